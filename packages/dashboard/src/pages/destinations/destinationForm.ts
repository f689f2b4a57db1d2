import {
  type CreateDestination,
  type Destination,
  type DestinationType,
  type DeviceGroup,
  MASK,
  type UpdateDestination
} from "@edp/domain/destinations/Destination"
import type { KafkaConfigInput, KafkaConfigPatch } from "@edp/domain/destinations/KafkaConfig"
import type { EventType } from "@edp/domain/events/EventType"

export type Mechanism = "plain" | "scram-sha-256" | "scram-sha-512"

/** The values of the form, as its controls hold them. */
export interface DestinationForm {
  readonly type: DestinationType
  readonly label: string
  readonly url: string
  readonly email: string
  readonly phoneNumber: string
  readonly manufacturer: string
  /** One header in a line, `Name: value`. */
  readonly headers: string
  /** Empty: the service generates one. */
  readonly secret: string
  /** One broker in a line, `host:port`. */
  readonly brokers: string
  readonly topic: string
  readonly clientId: string
  readonly ssl: boolean
  readonly mechanism: Mechanism | "none"
  readonly username: string
  readonly password: string
  readonly eventTypes: ReadonlyArray<EventType>
  readonly deviceType: DeviceGroup
  readonly includeWeather: boolean
}

export const emptyForm: DestinationForm = {
  type: "WEBHOOK",
  label: "",
  url: "",
  email: "",
  phoneNumber: "",
  manufacturer: "",
  headers: "",
  secret: "",
  brokers: "",
  topic: "",
  clientId: "",
  ssl: true,
  mechanism: "none",
  username: "",
  password: "",
  eventTypes: [],
  deviceType: "ALL",
  includeWeather: false
}

export const hasUrl = (type: DestinationType) => type === "WEBHOOK" || type === "MANUFACTURER_COMMAND"

/** The form of a stored destination. A stored password is its mask, which leaves it unchanged. */
export const formFrom = (stored: Destination): DestinationForm => ({
  ...emptyForm,
  type: stored.destinationType ?? "WEBHOOK",
  label: stored.label ?? "",
  url: stored.url ?? "",
  email: stored.email ?? "",
  phoneNumber: stored.phoneNumber ?? "",
  manufacturer: stored.manufacturer ?? "",
  headers: Object.entries(stored.headers ?? {})
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n"),
  brokers: stored.kafkaConfig?.brokers.join("\n") ?? "",
  topic: stored.kafkaConfig?.topic ?? "",
  clientId: stored.kafkaConfig?.clientId ?? "",
  ssl: stored.kafkaConfig?.ssl ?? true,
  mechanism: stored.kafkaConfig?.sasl?.mechanism ?? "none",
  username: stored.kafkaConfig?.sasl?.username ?? "",
  password: stored.kafkaConfig?.sasl == null ? "" : MASK,
  eventTypes: stored.eventTypes,
  deviceType: stored.deviceType ?? "ALL",
  includeWeather: stored.includeWeather === true
})

const lines = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

/** The headers of the form; undefined if a line is none. */
export const parseHeaders = (text: string): Readonly<Record<string, string>> | undefined => {
  const parsed = lines(text).map((line) => /^([^:\s]+)\s*:\s*(.+)$/.exec(line))
  if (parsed.some((match) => match === null)) return undefined
  return Object.fromEntries(parsed.map((match) => [match![1]!, match![2]!]))
}

/** Why a value of the form can't be sent. The service checks everything again, and more. */
export type FormProblem = "types" | "url" | "email" | "phone" | "headers" | "brokers" | "manufacturer"
export type FormProblems = Readonly<Partial<Record<keyof DestinationForm, FormProblem>>>

const isHttp = (text: string) => /^https?:\/\/[^/\s]/i.test(text) && URL.canParse(text)
const isBroker = (text: string) => /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+):\d{1,5}$/i.test(text)

const check = (text: string, isValid: (text: string) => boolean, problem: FormProblem): FormProblem | undefined =>
  text.trim() === "" || isValid(text.trim()) ? undefined : problem

/** The problems of what a form says, by its fields. The controls know which of them must not be empty. */
export const formProblems = (form: DestinationForm): FormProblems => {
  const { type } = form
  const found: Partial<Record<keyof DestinationForm, FormProblem | undefined>> = {
    ...(hasUrl(type) && {
      url: check(form.url, isHttp, "url"),
      headers: parseHeaders(form.headers) === undefined ? "headers" : undefined
    }),
    ...(type === "EMAIL" && { email: check(form.email, (text) => /^[^\s@]+@[^\s@]+$/.test(text), "email") }),
    ...(type === "SMS" && {
      phoneNumber: check(form.phoneNumber, (text) => /^\+[1-9]\d{6,14}$/.test(text), "phone")
    }),
    ...(type === "MANUFACTURER_COMMAND"
      ? { manufacturer: check(form.manufacturer, (text) => /^[a-z0-9][a-z0-9-]{0,62}$/.test(text), "manufacturer") }
      : { eventTypes: form.eventTypes.length === 0 ? "types" : undefined }),
    ...(type === "KAFKA" && {
      brokers: check(form.brokers, (text) => lines(text).every(isBroker), "brokers")
    })
  }
  return Object.fromEntries(Object.entries(found).filter(([, problem]) => problem !== undefined)) as FormProblems
}

const kafkaConfig = (form: DestinationForm): KafkaConfigInput => ({
  brokers: lines(form.brokers),
  topic: form.topic.trim(),
  ssl: form.ssl,
  ...(form.clientId.trim() !== "" && { clientId: form.clientId.trim() }),
  sasl:
    form.mechanism === "none"
      ? null
      : { mechanism: form.mechanism, username: form.username.trim(), password: form.password }
})

/** The fields that a creation and a change have in common. */
const shared = (form: DestinationForm) => ({
  label: form.label.trim() === "" ? null : form.label.trim(),
  ...(form.type !== "MANUFACTURER_COMMAND" && {
    eventTypes: form.eventTypes,
    deviceType: form.deviceType,
    includeWeather: form.includeWeather
  }),
  ...(hasUrl(form.type) && { url: form.url.trim() }),
  ...(form.type === "EMAIL" && { email: form.email.trim() }),
  ...(form.type === "SMS" && { phoneNumber: form.phoneNumber.trim() })
})

export const toCreate = (form: DestinationForm): CreateDestination => ({
  ...shared(form),
  destinationType: form.type,
  ...(hasUrl(form.type) && form.headers.trim() !== "" && { headers: parseHeaders(form.headers) ?? {} }),
  ...(hasUrl(form.type) && form.secret.trim() !== "" && { secret: form.secret.trim() }),
  ...(form.type === "MANUFACTURER_COMMAND" && { manufacturer: form.manufacturer.trim() }),
  ...(form.type === "KAFKA" && { kafkaConfig: kafkaConfig(form) })
})

/** The change that makes a stored destination what the form says. Headers that the form no longer has are removed. */
export const toUpdate = (form: DestinationForm, stored: Destination): UpdateDestination => {
  const headers = parseHeaders(form.headers) ?? {}
  const removed = Object.keys(stored.headers ?? {}).filter((name) => !(name in headers))
  return {
    ...shared(form),
    ...(hasUrl(form.type) && { headers: { ...headers, ...Object.fromEntries(removed.map((name) => [name, null])) } }),
    ...(form.type === "KAFKA" && { kafkaConfig: kafkaConfig(form) satisfies KafkaConfigPatch })
  }
}

/** The service's reasons by the fields of the form: those of `kafkaConfig.sasl.password` belong to `password`. */
export const refusedFields = (
  details: Readonly<Record<string, string>>
): Readonly<Partial<Record<keyof DestinationForm, string>>> => {
  const found: Partial<Record<keyof DestinationForm, string>> = {}
  for (const [path, reason] of Object.entries(details)) {
    const parts = path.split(".").filter((part) => part !== "kafkaConfig" && part !== "sasl")
    const name = parts[0] === "destinationType" ? "type" : parts[0]
    if (name === undefined || !(name in emptyForm)) continue
    const field = name as keyof DestinationForm
    const text = parts.length > 1 && field === "headers" ? `${parts.slice(1).join(".")}: ${reason}` : reason
    found[field] = found[field] === undefined ? text : `${found[field]} · ${text}`
  }
  return found
}
