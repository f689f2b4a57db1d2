import { createHash } from "node:crypto"

/** A challenge of digest authentication (RFC 7616). */
export interface DigestChallenge {
  readonly realm: string
  readonly nonce: string
  readonly opaque: string | undefined
  readonly algorithm: "MD5" | "SHA-256"
  readonly qop: "auth" | undefined
}

const parameter = /([a-z]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/giu

/** The first challenge of a `WWW-Authenticate` that this client can meet; undefined if there is none. */
export const readChallenge = (header: string | undefined): DigestChallenge | undefined => {
  for (const text of (header ?? "").split(/(?:^|,)\s*(?=(?:Digest|Basic|Bearer)\s)/iu)) {
    if (!/^\s*Digest\s/iu.test(text)) continue
    const values = Object.fromEntries(
      Array.from(text.matchAll(parameter), ([, name, quoted, plain]) => [
        name!.toLowerCase(),
        quoted?.replaceAll(/\\(.)/gu, "$1") ?? plain!
      ])
    )
    const { algorithm = "MD5", nonce, opaque, qop, realm } = values
    const name = algorithm.toUpperCase()
    if (realm === undefined || nonce === undefined || (name !== "MD5" && name !== "SHA-256")) continue
    const offered = qop?.split(",").map((one) => one.trim().toLowerCase())
    if (offered !== undefined && !offered.includes("auth")) continue
    return { realm, nonce, opaque, algorithm: name, qop: offered === undefined ? undefined : "auth" }
  }
  return undefined
}

/** The `Authorization` of a request. `count` is the number of requests with this nonce, from 1 on. */
export const digestHeader = (
  { algorithm, nonce, opaque, qop, realm }: DigestChallenge,
  login: { readonly username: string; readonly password: string },
  request: { readonly method: string; readonly uri: string; readonly count: number; readonly clientNonce: string }
): string => {
  const hash = (text: string) =>
    createHash(algorithm === "MD5" ? "md5" : "sha256")
      .update(text)
      .digest("hex")
  const quoted = (text: string) => `"${text.replaceAll(/["\\]/gu, "\\$&")}"`
  const count = request.count.toString(16).padStart(8, "0")
  const secret = hash(`${login.username}:${realm}:${login.password}`)
  const call = hash(`${request.method}:${request.uri}`)
  const response =
    qop === undefined
      ? hash(`${secret}:${nonce}:${call}`)
      : hash(`${secret}:${nonce}:${count}:${request.clientNonce}:${qop}:${call}`)
  return `Digest ${[
    `username=${quoted(login.username)}`,
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `uri=${quoted(request.uri)}`,
    `algorithm=${algorithm}`,
    ...(opaque === undefined ? [] : [`opaque=${quoted(opaque)}`]),
    ...(qop === undefined ? [] : [`qop=${qop}`, `nc=${count}`, `cnonce=${quoted(request.clientNonce)}`]),
    `response="${response}"`
  ].join(", ")}`
}
