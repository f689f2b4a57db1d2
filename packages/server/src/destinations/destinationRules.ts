import {
  type CreateDestination,
  type DestinationType,
  MASK,
  type UpdateDestination
} from "@edp/domain/destinations/Destination"
import { SECRET_BYTES, secretBytes } from "@edp/domain/events/webhookSignature"
import { isShownUrl } from "./destinationRow.ts"

/** The reason that a destination shows which an operator has deactivated. */
export const BY_OPERATOR = "Deactivated by an operator"

/** Headers of the connection, of the message itself or of its signature. */
const forbidden = new Set([
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent"
])

const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/u
/** Visible ASCII with spaces inside: nothing that could end the header, such as a line break. */
const VALUE = /^[\x21-\x7e](?:[\x20-\x7e]{0,1998}[\x21-\x7e])?$/u

/** The caller's headers that a delivery cannot carry, each with the reason. */
const refusedHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> => {
  const names = Object.keys(headers)
  const seen = new Set<string>()
  const refused = names.flatMap((name): ReadonlyArray<readonly [string, string]> => {
    const lower = name.toLowerCase()
    const twice = seen.has(lower)
    seen.add(lower)
    if (!NAME.test(name)) return [[name, "Must be named by letters, digits and hyphens"]]
    if (forbidden.has(lower) || lower.startsWith("webhook-")) return [[name, "Must not be set: the platform sets it"]]
    if (twice) return [[name, "Must be given once, ignoring case"]]
    return VALUE.test(headers[name]!) ? [] : [[name, "Must be 1 to 2000 visible ASCII characters"]]
  })
  return Object.fromEntries(refused.map(([name, sentence]) => [`headers.${name}`, sentence]))
}

/** Fields that only some types have. */
const typesByField = {
  url: ["WEBHOOK", "MANUFACTURER_COMMAND"],
  secret: ["WEBHOOK", "MANUFACTURER_COMMAND"],
  headers: ["WEBHOOK", "MANUFACTURER_COMMAND"],
  email: ["EMAIL"],
  phoneNumber: ["SMS"],
  kafkaConfig: ["KAFKA"],
  manufacturer: ["MANUFACTURER_COMMAND"]
} as const satisfies Readonly<Record<string, ReadonlyArray<DestinationType>>>

/** Fields that each type requires. */
const needed: Readonly<Record<DestinationType, ReadonlyArray<keyof typeof typesByField>>> = {
  WEBHOOK: ["url"],
  EMAIL: ["email"],
  SMS: ["phoneNumber"],
  KAFKA: ["kafkaConfig"],
  MANUFACTURER_COMMAND: ["url", "manufacturer"]
}

type Headers = Readonly<Record<string, string>> | null

interface DestinationInput extends Omit<Partial<CreateDestination>, "headers" | "kafkaConfig"> {
  readonly headers?: Headers | undefined
  readonly kafkaConfig?: unknown
}

/** A change after its headers were merged into the current ones. */
export interface MergedChange extends Omit<UpdateDestination, "headers"> {
  readonly headers: Headers | undefined
}
type Details = Record<string, string>

const foreignFields = (type: DestinationType, given: DestinationInput): Details =>
  Object.fromEntries(
    Object.entries(typesByField)
      .filter(([field, types]) => {
        const value = given[field as keyof DestinationInput]
        return value !== undefined && value !== null && !(types as ReadonlyArray<DestinationType>).includes(type)
      })
      .map(([field, types]) => [field, `Must be absent: only destinations of type ${types.join(" or ")} have it`])
  )

const wrongEvents = (type: DestinationType, eventTypes: ReadonlyArray<string> | undefined): Details => {
  if (type === "MANUFACTURER_COMMAND") {
    return eventTypes !== undefined && eventTypes.length > 0
      ? {
          eventTypes: "Must be empty or absent: a destination of type MANUFACTURER_COMMAND receives only commands"
        }
      : {}
  }
  return eventTypes?.length === 0 ? { eventTypes: "Must be at least one event type" } : {}
}

const wrongSecret = (secret: string | undefined): Details =>
  secret !== undefined && secretBytes(secret) === undefined
    ? { secret: `Must be whsec_ and ${SECRET_BYTES.minimum} to ${SECRET_BYTES.maximum} bytes in base64` }
    : {}

const wrongUrl = (url: string | undefined): Details =>
  url !== undefined && isShownUrl(url)
    ? { url: `Must be the full URL: ${MASK} is the mask of another one in lists` }
    : {}

const wrongHeaders = (headers: Headers | undefined): Details =>
  headers === undefined || headers === null ? {} : refusedHeaders(headers)

/** Problems of the given fields: fields of other types, and values that the type does not accept. */
const wrongFields = (type: DestinationType, given: DestinationInput): Details => ({
  ...wrongSecret(given.secret),
  ...wrongUrl(given.url),
  ...wrongHeaders(given.headers),
  ...wrongEvents(type, given.eventTypes),
  ...foreignFields(type, given)
})

/** Reasons against creating a destination, by field; empty when there are none. */
export const refusedCreation = (input: CreateDestination): Details => {
  const type = input.destinationType
  const missing = needed[type].filter((field) => input[field] === undefined)
  return {
    ...(type !== "MANUFACTURER_COMMAND" && input.eventTypes === undefined
      ? { eventTypes: "Must be at least one event type" }
      : {}),
    ...Object.fromEntries(missing.map((field) => [field, `Needed for a destination of type ${type}`])),
    ...wrongFields(type, input)
  }
}

/** Reasons against a change, by field; empty when there are none. */
export const refusedChange = (type: DestinationType, input: MergedChange): Details => ({
  ...(input.destinationType !== undefined && input.destinationType !== type
    ? { destinationType: `Must be ${type}: the type can't be changed` }
    : {}),
  ...wrongFields(type, input)
})
