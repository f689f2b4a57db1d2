import { isIP } from "node:net"
import { Effect, Redacted } from "effect"
import { AdapterError } from "../AdapterError.ts"
import { fingerprintField, readFingerprint } from "../http/certificateFingerprint.ts"
import type { FormField } from "../ManufacturerAdapter.ts"
import type { BrokerAddress } from "./BrokerAddress.ts"

export type FormValues = Readonly<Record<string, string>>

/** The fields with which a person names a broker. */
export const brokerFields: ReadonlyArray<FormField> = [
  {
    name: "host",
    label: { en: "Address of the MQTT broker", es: "Dirección del bróker MQTT" },
    help: {
      en: "A name or an IP address, such as 192.168.1.20",
      es: "Un nombre o una dirección IP, como 192.168.1.20"
    },
    kind: "host",
    required: true
  },
  {
    name: "port",
    label: { en: "Port", es: "Puerto" },
    help: { en: "Usually 1883, or 8883 with encryption", es: "Normalmente 1883, u 8883 con cifrado" },
    kind: "integer",
    minimum: 1,
    maximum: 65_535,
    initial: "1883",
    required: true
  },
  {
    name: "tls",
    label: { en: "Encryption (TLS)", es: "Cifrado (TLS)" },
    kind: "choice",
    choices: [
      { value: "no", label: { en: "No", es: "No" } },
      { value: "yes", label: { en: "Yes", es: "Sí" } }
    ],
    initial: "no",
    required: true
  },
  {
    ...fingerprintField,
    help: {
      en: "Only for a broker whose certificate comes from no known authority",
      es: "Solo para un bróker cuyo certificado no es de una autoridad conocida"
    }
  },
  { name: "username", label: { en: "User name", es: "Nombre de usuario" }, kind: "text", required: false },
  { name: "password", label: { en: "Password", es: "Contraseña" }, kind: "password", required: false }
]

/** A value that the person has to correct. */
export const wrongValue = (message: string) => AdapterError.of("misconfigured", message)

const hostName = /^(?=.{1,120}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?$/i
const LOGIN_LIMIT = 200

/** A field without surrounding spaces; undefined if it is empty. */
export const valueFrom = (values: FormValues, name: string): string | undefined => {
  const value = values[name]?.trim()
  return value === "" ? undefined : value
}

/** The broker that a person named. The version of the protocol is known once the broker has answered. */
export const readBroker = (values: FormValues): Effect.Effect<BrokerAddress, AdapterError> =>
  Effect.gen(function* () {
    const host = valueFrom(values, "host") ?? ""
    if (isIP(host) === 0 && !hostName.test(host)) {
      return yield* wrongValue("host must be a name or an IP address, without a scheme and a port")
    }
    const port = Number(valueFrom(values, "port"))
    if (!Number.isInteger(port) || port < 1 || port > 65_535) {
      return yield* wrongValue("port must be a whole number from 1 to 65535")
    }
    const tls = valueFrom(values, "tls") ?? "no"
    if (tls !== "yes" && tls !== "no") return yield* wrongValue("tls must be yes or no")
    const pinned = yield* readFingerprint(valueFrom(values, "fingerprint"))
    if (pinned !== undefined && tls === "no") return yield* wrongValue("fingerprint needs encryption (tls)")
    const username = valueFrom(values, "username")
    // Spaces may belong to a password.
    const password = values["password"] === "" ? undefined : values["password"]
    if ((username?.length ?? 0) > LOGIN_LIMIT)
      return yield* wrongValue(`username must have at most ${LOGIN_LIMIT} characters`)
    if ((password?.length ?? 0) > LOGIN_LIMIT)
      return yield* wrongValue(`password must have at most ${LOGIN_LIMIT} characters`)
    if (password !== undefined && username === undefined)
      return yield* wrongValue("username is required with a password")
    return {
      host,
      port,
      tls: tls === "yes",
      fingerprint: pinned ?? null,
      username: username ?? null,
      password: password === undefined ? null : Redacted.make(password),
      version: 5
    }
  })
