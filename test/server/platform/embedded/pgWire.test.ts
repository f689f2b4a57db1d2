import { readResponse, type Request, RequestReader } from "@edp/server/platform/embedded/pgWire"
import { describe, expect, it } from "vitest"

const message = (type: string, body: Buffer | string = "") => {
  const bytes = Buffer.from(body)
  const head = Buffer.alloc(5, type)
  head.writeInt32BE(4 + bytes.length, 1)
  return Buffer.concat([head, bytes])
}

const startup = (code: number, ...rest: ReadonlyArray<number>) => {
  const bytes = Buffer.alloc(8 + 4 * rest.length)
  ;[bytes.length, code, ...rest].forEach((value, index) => bytes.writeInt32BE(value, 4 * index))
  return bytes
}

const version3 = 196608
const parse = (name: string) => message("P", `${name}\0SELECT 1\0\0\0`)
const sync = message("S")

describe("requests of a client", () => {
  const session = Buffer.concat([
    startup(80877103),
    startup(version3),
    parse("named"),
    sync,
    parse(""),
    message("H"),
    message("B", "\0"),
    sync,
    message("Q", "SELECT 2\0"),
    message("C", "Snamed\0"),
    parse("other"),
    sync,
    message("X")
  ])
  const listKinds = (requests: ReadonlyArray<Request>) =>
    requests.map((request) =>
      request.kind === "batch" ? `batch ${request.bytes.length} ${request.endsCycle}` : request.kind
    )

  const whole = listKinds(new RequestReader().read(session))

  it("are split at Sync, Flush and simple queries", () => {
    expect(whole).toEqual([
      "encryption",
      "startup",
      `batch ${parse("named").length + 5} true`,
      `batch ${parse("").length + 5} false`,
      "batch 11 true",
      "batch 14 true",
      `batch ${12 + parse("other").length + 5} true`,
      "terminate"
    ])
  })

  it("do not depend on how they are chunked", () => {
    for (const size of [1, 2, 3, 7, 11, 64]) {
      const reader = new RequestReader()
      const requests: Array<Request> = []
      for (let at = 0; at < session.length; at += size) requests.push(...reader.read(session.subarray(at, at + size)))
      expect(listKinds(requests)).toEqual(whole)
    }
  })

  it("track the names of prepared statements that are not closed", () => {
    const reader = new RequestReader()
    reader.read(session)
    expect([...reader.prepared]).toEqual(["other"])
  })

  it("have the process and the secret of a cancellation", () => {
    expect(new RequestReader().read(startup(80877102, 7, 4711))).toEqual([
      { kind: "cancel", processId: 7, secret: 4711 }
    ])
  })
})

describe("a response of the server", () => {
  it("ends with the status of its last ReadyForQuery", () => {
    const response = readResponse(Buffer.concat([message("Z", "T"), message("D", "Z\0\0\0\x05I"), message("Z", "E")]))
    expect(response.status).toBe("E".charCodeAt(0))
  })

  it("has no status while the server expects more", () => {
    expect(readResponse(message("1")).status).toBeUndefined()
  })

  it("contains its notifications", () => {
    const notification = message("A", "\0\0\0\x01news\0hello\0")
    const response = readResponse(Buffer.concat([message("C", "NOTIFY\0"), notification, message("Z", "I")]))
    expect(response.notifications).toEqual([notification])
  })
})
