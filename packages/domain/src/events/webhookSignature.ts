/**
 * Webhook signatures of the Standard Webhooks specification: HMAC-SHA256 over `id.timestamp.body`, with a secret in the form
 * `whsec_` and 24 to 64 bytes in base64.
 *
 * @source https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */

/** Maximum difference in seconds between the time of a delivery and the receiver's clock, against replayed deliveries. */
export const TOLERANCE_SECONDS = 300

export const SECRET_PREFIX = "whsec_"
export const SECRET_BYTES = { minimum: 24, maximum: 64 } as const

/** The signed content of a delivery. */
export interface SignedMessage {
  /** The event's id: the same on every attempt. */
  readonly id: string
  /** Time of the attempt, in seconds since 1970. */
  readonly timestamp: number | string
  /** The body, byte for byte. */
  readonly body: string | Uint8Array
}

/** The headers of a delivery, with names in lower case. */
export interface SignatureHeaders {
  readonly "webhook-id"?: string | undefined
  readonly "webhook-timestamp"?: string | undefined
  readonly "webhook-signature"?: string | undefined
}

/** Reasons for rejecting a delivery. */
export type Refusal = "missing headers" | "bad timestamp" | "too old" | "too new" | "no matching signature"

const encoder = new TextEncoder()
const toBytes = (text: string | Uint8Array) => (typeof text === "string" ? encoder.encode(text) : text)

const toBase64 = (bytes: Uint8Array) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
const fromBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u.test(text)) return undefined
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

/** The bytes of a secret; undefined if it is invalid: another prefix, not base64, or not 24 to 64 bytes. */
export const secretBytes = (secret: string): Uint8Array<ArrayBuffer> | undefined => {
  if (!secret.startsWith(SECRET_PREFIX)) return undefined
  const bytes = fromBase64(secret.slice(SECRET_PREFIX.length))
  const fits = bytes !== undefined && bytes.length >= SECRET_BYTES.minimum && bytes.length <= SECRET_BYTES.maximum
  return fits ? bytes : undefined
}

/** Encodes bytes as a secret. */
export const toSecret = (bytes: Uint8Array) => `${SECRET_PREFIX}${toBase64(bytes)}`

const signedBytes = ({ id, timestamp, body }: SignedMessage) => {
  const [head, tail] = [encoder.encode(`${id}.${timestamp}.`), toBytes(body)]
  const whole = new Uint8Array(head.length + tail.length)
  whole.set(head)
  whole.set(tail, head.length)
  return whole
}

const importKey = (secret: string) => {
  const bytes = secretBytes(secret)
  if (bytes === undefined) throw new TypeError("The secret must be whsec_ and 24 to 64 bytes in base64")
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"])
}

/**
 * The value of `webhook-signature`: `v1,` and the signature in base64, one for each secret, separated by spaces. While a
 * secret is being replaced the old and the new one both sign.
 *
 * @throws {TypeError} if a secret is invalid.
 */
export const sign = async (secrets: ReadonlyArray<string>, message: SignedMessage): Promise<string> => {
  const bytes = signedBytes(message)
  const signatures = await Promise.all(
    secrets.map(async (secret) => new Uint8Array(await crypto.subtle.sign("HMAC", await importKey(secret), bytes)))
  )
  return signatures.map((signature) => `v1,${toBase64(signature)}`).join(" ")
}

const wrongTime = (timestamp: string, nowSeconds: number): Refusal | undefined => {
  if (!/^\d{1,15}$/u.test(timestamp)) return "bad timestamp"
  const age = nowSeconds - Number(timestamp)
  if (age > TOLERANCE_SECONDS) return "too old"
  return age < -TOLERANCE_SECONDS ? "too new" : undefined
}

/**
 * Verifies a delivery: the reason for rejecting it, or undefined if it is authentic. Signatures are compared in constant time.
 *
 * @param body The received body, before parsing.
 * @param nowSeconds The receiver's time in seconds since 1970.
 * @throws {TypeError} if the secret is invalid.
 */
export const refusalOf = async (
  secret: string,
  headers: SignatureHeaders,
  body: string | Uint8Array,
  nowSeconds: number
): Promise<Refusal | undefined> => {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures } = headers
  const key = await importKey(secret)
  if (!id || !timestamp || !signatures) return "missing headers"
  const refusal = wrongTime(timestamp, nowSeconds)
  if (refusal !== undefined) return refusal
  const bytes = signedBytes({ id, timestamp, body })
  for (const signature of signatures.split(" ")) {
    const given = signature.startsWith("v1,") ? fromBase64(signature.slice(3)) : undefined
    if (given !== undefined && (await crypto.subtle.verify("HMAC", key, given, bytes))) return undefined
  }
  return "no matching signature"
}
