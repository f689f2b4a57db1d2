/**
 * Frames of Shelly's RPC, generation 2 and later: JSON-RPC 2.0 with the addresses `src` and `dst`, one JSON object a message
 * (Shelly technical documentation, RPC Protocol).
 */
export type Fields = Readonly<Record<string, unknown>>

/** The name with which the platform signs its requests. */
export const OWN_NAME = "edp"

/** Bytes of a message. The full status of a gateway with many sensors takes some 20 kB. */
export const MAX_FRAME_BYTES = 131_072

export type Frame =
  | { readonly _tag: "Notification"; readonly source: string; readonly method: string; readonly params: Fields }
  | { readonly _tag: "Response"; readonly source: string; readonly id: number; readonly result: Fields }
  | {
      readonly _tag: "Failure"
      readonly source: string
      readonly id: number
      readonly code: number | null
      readonly message: string
    }
  /** A request of the device. The platform has no methods. */
  | { readonly _tag: "Request"; readonly source: string; readonly id: number | string }
  | { readonly _tag: "Malformed" }

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The id of a device, such as shellypro3em-08f9e0000001: its model and its MAC address. */
const SOURCE = /^[a-z0-9][a-z0-9_.-]{2,63}$/i

const MAX_METHOD = 64
const MAX_ID = 64

const malformed: Frame = { _tag: "Malformed" }

/** A text as it is kept: without control characters and halves of surrogate pairs, which the database does not store. */
export const keptText = (value: unknown, length = 100): string | null => {
  if (typeof value !== "string") return null
  const text = value
    .replaceAll(/\p{Cc}/gu, "")
    .slice(0, length)
    .toWellFormed()
    .trim()
  return text === "" ? null : text
}

const isRequestId = (id: unknown): id is number | string =>
  typeof id === "number" || (typeof id === "string" && id !== "" && id.length <= MAX_ID)

const readError = (error: Fields): { readonly code: number | null; readonly message: string } => ({
  code: typeof error["code"] === "number" ? error["code"] : null,
  message: keptText(error["message"], 200) ?? "No reason given"
})

/** Reads one message of a device. Never throws. */
export const readFrame = (text: string): Frame => {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return malformed
  }
  if (!isFields(message)) return malformed
  const { error, id, method, params, result, src: source } = message
  if (typeof source !== "string" || !SOURCE.test(source)) return malformed
  if (method !== undefined) {
    if (typeof method !== "string" || method === "" || method.length > MAX_METHOD) return malformed
    if (id !== undefined && id !== null) return isRequestId(id) ? { _tag: "Request", source, id } : malformed
    return { _tag: "Notification", source, method, params: isFields(params) ? params : {} }
  }
  if (typeof id !== "number") return malformed
  if (isFields(error)) return { _tag: "Failure", source, id, ...readError(error) }
  return { _tag: "Response", source, id, result: isFields(result) ? result : {} }
}

/** A request of the platform. */
export const writeRequest = (id: number, method: string, params: Fields): string =>
  JSON.stringify({ jsonrpc: "2.0", id, src: OWN_NAME, method, params })

/** The response to a request of the device, which asks for a method that the platform does not have. */
export const writeNoSuchMethod = (id: number | string, device: string): string =>
  JSON.stringify({ id, src: OWN_NAME, dst: device, error: { code: 404, message: "There is no such method" } })
