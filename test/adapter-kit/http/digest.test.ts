import { digestHeader, readChallenge } from "@edp/adapter-kit/http/digest"
import { expect, it } from "vitest"

const nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
const opaque = "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
const challenge = (algorithm: string) =>
  `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, nonce="${nonce}", opaque="${opaque}"`
const login = { username: "Mufasa", password: "Circle of Life" }
const request = {
  method: "GET",
  uri: "/dir/index.html",
  count: 1,
  clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
}

it.each([
  ["MD5", "8ca523f5e9506fed4657c9700eebdbec"],
  ["SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"]
])("digest authentication by %s gives the response of the example of RFC 7616", (algorithm, response) => {
  const read = readChallenge(challenge(algorithm))!
  expect(read).toEqual({ realm: "http-auth@example.org", nonce, opaque, algorithm, qop: "auth" })
  const header = digestHeader(read, login, request)
  expect(header).toContain(`response="${response}"`)
  expect(header).toContain("nc=00000001, ")
})

it("the first challenge that can be met is taken, and none where there is none", () => {
  expect(readChallenge(`${challenge("SHA-512-256")}, ${challenge("MD5")}`)).toMatchObject({ algorithm: "MD5" })
  expect(readChallenge(`Basic realm="x, y", ${challenge("SHA-256")}`)).toMatchObject({ algorithm: "SHA-256" })
  expect(readChallenge('Digest realm="a \\"b\\"", nonce="1"')).toEqual({
    realm: 'a "b"',
    nonce: "1",
    opaque: undefined,
    algorithm: "MD5",
    qop: undefined
  })
  const none = [undefined, "", 'Basic realm="x"', 'Digest nonce="1"', 'Digest realm="x", nonce="1", qop="auth-int"']
  expect(none.map(readChallenge)).toEqual(none.map(() => undefined))
})
