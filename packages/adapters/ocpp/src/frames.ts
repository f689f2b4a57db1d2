/**
 * The framing of OCPP-J, the same in 1.6 and 2.0.1 but for the names of two errors. A message is a JSON array that begins
 * with its type: 2 is a CALL, 3 a CALLRESULT, 4 a CALLERROR. (OCPP 1.6J specification, chapter 4; OCPP 2.0.1 part 4, chapter 4.)
 */
export type OcppVersion = "1.6" | "2.0.1"

/** The names of the WebSocket subprotocols, the preferred one first. */
export const subprotocols: ReadonlyArray<{ readonly name: string; readonly version: OcppVersion }> = [
  { name: "ocpp2.0.1", version: "2.0.1" },
  { name: "ocpp1.6", version: "1.6" }
]

/** The version that both sides speak; undefined if the station offers none of ours. */
export const chosenSubprotocol = (offered: ReadonlyArray<string>) =>
  subprotocols.find(({ name }) => offered.includes(name))

export type Payload = Readonly<Record<string, unknown>>

export interface Call {
  readonly _tag: "Call"
  readonly id: string
  readonly action: string
  readonly payload: Payload
}

export interface CallResult {
  readonly _tag: "CallResult"
  readonly id: string
  readonly payload: Payload
}

export interface CallError {
  readonly _tag: "CallError"
  readonly id: string
  readonly code: string
  readonly description: string
  readonly details: Payload
}

export type Frame = Call | CallResult | CallError

/** A message that is no frame. `response` is what the standard wants said to it; null where it is to be dropped. */
export interface Malformed {
  readonly _tag: "Malformed"
  readonly problem: string
  readonly response: CallError | null
}

export interface FrameLimits {
  /** Bytes of a message in UTF-8. */
  readonly maxBytes: number
  /** Arrays and objects inside one another, the message itself included. */
  readonly maxDepth: number
}

/** A NotifyReport of a large station takes some 20 kB; the deepest message of both versions has ten levels. */
export const defaultLimits: FrameLimits = { maxBytes: 131_072, maxDepth: 16 }

/** Message ids have at most 36 characters, so that a UUID fits. */
const MAX_ID = 36
const MAX_ACTION = 64
const MAX_DESCRIPTION = 255

const errorNames = {
  format: { "1.6": "FormationViolation", "2.0.1": "FormatViolation" },
  // 1.6 spells it with one r, and validators of stations compare the text
  occurrence: { "1.6": "OccurenceConstraintViolation", "2.0.1": "OccurrenceConstraintViolation" },
  type: { "1.6": "TypeConstraintViolation", "2.0.1": "TypeConstraintViolation" },
  property: { "1.6": "PropertyConstraintViolation", "2.0.1": "PropertyConstraintViolation" },
  notImplemented: { "1.6": "NotImplemented", "2.0.1": "NotImplemented" },
  notSupported: { "1.6": "NotSupported", "2.0.1": "NotSupported" },
  security: { "1.6": "SecurityError", "2.0.1": "SecurityError" },
  framework: { "1.6": "GenericError", "2.0.1": "RpcFrameworkError" }
} as const
export type CallErrorKind = keyof typeof errorNames

export const callError = (
  version: OcppVersion,
  id: string,
  kind: CallErrorKind,
  description: string,
  details: Payload = {}
): CallError => ({
  _tag: "CallError",
  id,
  code: errorNames[kind][version],
  description: description.slice(0, MAX_DESCRIPTION),
  details
})

const isObject = (value: unknown): value is Payload =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The deepest nesting of a JSON text, found without parsing it: brackets inside strings do not count. */
export const nestingDepth = (text: string): number => {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let n = 0; n < text.length; n++) {
    const character = text[n]
    if (inString) {
      if (character === "\\") n++
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === "[" || character === "{") deepest = Math.max(deepest, ++depth)
    else if (character === "]" || character === "}") depth--
  }
  return deepest
}

/**
 * A message whose id cannot be read gets no response in 1.6, which has no way to address one, and an error for the id -1 in
 * 2.0.1. The parser never echoes content of such a message.
 */
const unreadable = (version: OcppVersion, problem: string): Malformed => ({
  _tag: "Malformed",
  problem,
  response: version === "1.6" ? null : callError(version, "-1", "framework", problem)
})

const dropped = (problem: string): Malformed => ({ _tag: "Malformed", problem, response: null })

const isId = (value: unknown): value is string =>
  typeof value === "string" && value.length > 0 && value.length <= MAX_ID

const readCall = (version: OcppVersion, id: string, action: unknown, payload: unknown): Call | Malformed => {
  const refused = (problem: string): Malformed => ({
    _tag: "Malformed",
    problem,
    response: callError(version, id, "format", problem)
  })
  if (typeof action !== "string" || action.length === 0 || action.length > MAX_ACTION)
    return refused("The action must be a text of 1 to 64 characters")
  // Some stations send null instead of the empty object.
  if (payload === null || payload === undefined) return { _tag: "Call", id, action, payload: {} }
  return isObject(payload) ? { _tag: "Call", id, action, payload } : refused("The payload must be an object")
}

/** Reads one message of a station. Never throws. */
export const readFrame = (
  version: OcppVersion,
  text: string,
  limits: FrameLimits = defaultLimits
): Frame | Malformed => {
  if (Buffer.byteLength(text) > limits.maxBytes)
    return unreadable(version, `The message exceeds ${limits.maxBytes} bytes`)
  if (nestingDepth(text) > limits.maxDepth)
    return unreadable(version, `The message has more than ${limits.maxDepth} levels`)
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return unreadable(version, "The message is not JSON")
  }
  if (!Array.isArray(message)) return unreadable(version, "The message is not an array")
  const [type, id, third, fourth, fifth] = message as ReadonlyArray<unknown>
  if (type === 2) return isId(id) ? readCall(version, id, third, fourth) : unreadable(version, "The message has no id")
  // A response is never answered, or two peers could go on for ever.
  if (type === 3)
    return isId(id) && (isObject(third) || third === null || third === undefined)
      ? { _tag: "CallResult", id, payload: isObject(third) ? third : {} }
      : dropped("A CALLRESULT without an id or with a payload that is no object")
  if (type === 4)
    return isId(id) && typeof third === "string"
      ? {
          _tag: "CallError",
          id,
          code: third,
          description: typeof fourth === "string" ? fourth : "",
          details: isObject(fifth) ? fifth : {}
        }
      : dropped("A CALLERROR without an id or a code")
  return dropped("The message has an unknown type")
}

/** The text of a frame. */
export const writeFrame = (frame: Frame): string => {
  switch (frame._tag) {
    case "Call":
      return JSON.stringify([2, frame.id, frame.action, frame.payload])
    case "CallResult":
      return JSON.stringify([3, frame.id, frame.payload])
    case "CallError":
      return JSON.stringify([4, frame.id, frame.code, frame.description, frame.details])
  }
}
