import { createHmac, timingSafeEqual } from "node:crypto"

/** The claims of a token: the key that it was issued for, and its end in seconds since 1970. */
export interface TokenClaims {
  readonly keyId: string
  readonly expiresAt: number
}

const form = /^edpoadr1\.([\w-]{1,512})\.([\w-]{43})$/u

const mac = (key: Uint8Array, payload: string) =>
  createHmac("sha256", createHmac("sha256", key).update("edp openadr access token\0").digest()).update(payload).digest()

/** A bearer token that the service can check without storing it. */
export const signToken = (key: Uint8Array, { expiresAt, keyId }: TokenClaims): string => {
  const payload = Buffer.from(JSON.stringify([keyId, expiresAt])).toString("base64url")
  return `edpoadr1.${payload}.${mac(key, payload).toString("base64url")}`
}

/** The claims of a token that one of the keys has signed and that has not expired; otherwise undefined. */
export const verifyToken = (keys: ReadonlyArray<Uint8Array>, token: string, now: number): TokenClaims | undefined => {
  const found = form.exec(token)
  if (found === null) return undefined
  const payload = found[1]!
  const given = Buffer.from(found[2]!, "base64url")
  if (!keys.some((key) => timingSafeEqual(mac(key, payload), given))) return undefined
  const [keyId, expiresAt] = JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) as [string, number]
  return expiresAt * 1000 > now ? { keyId, expiresAt } : undefined
}
