import { Effect, Redacted } from "effect"
import type { AdapterError } from "@edp/adapter-kit/AdapterError"
import { brokerFields, type FormValues, readBroker, valueFrom, wrongValue } from "@edp/adapter-kit/broker/brokerForm"
import { fingerprintField } from "@edp/adapter-kit/http/certificateFingerprint"
import type { FormField } from "@edp/adapter-kit/ManufacturerAdapter"
import type { InstanceAddress } from "./HomeAssistantSession.ts"

const tls = brokerFields.filter(({ name }) => name === "tls")
const LEAST_CAPACITY = 100
const GREATEST_CAPACITY = 1_000_000
const TOKEN_LIMIT = 1000

/** The fields with which a person names an instance. */
export const fields: ReadonlyArray<FormField> = [
  {
    name: "host",
    label: { en: "Address of Home Assistant", es: "Dirección de Home Assistant", de: "Adresse von Home Assistant" },
    help: {
      en: "A name or an IP address, such as 192.168.1.20",
      es: "Un nombre o una dirección IP, como 192.168.1.20",
      de: "Ein Name oder eine IP-Adresse, etwa 192.168.1.20"
    },
    kind: "host",
    required: true
  },
  {
    name: "port",
    label: { en: "Port", es: "Puerto", de: "Port" },
    help: { en: "Usually 8123", es: "Normalmente 8123", de: "Meist 8123" },
    kind: "integer",
    minimum: 1,
    maximum: 65_535,
    initial: "8123",
    required: true
  },
  ...tls,
  {
    ...fingerprintField,
    help: {
      en: "Only for a certificate that comes from no known authority",
      es: "Solo para un certificado que no es de una autoridad conocida",
      de: "Nur für ein Zertifikat, das von keiner bekannten Stelle ist"
    }
  },
  {
    name: "token",
    label: { en: "Long-lived access token", es: "Token de acceso de larga duración", de: "Langlebiges Zugriffstoken" },
    help: {
      en: "Create it in Home Assistant: your profile, Security, Long-lived access tokens",
      es: "Créelo en Home Assistant: su perfil, Seguridad, Tokens de acceso de larga duración",
      de: "In Home Assistant erstellen: Ihr Profil, Sicherheit, Langlebige Zugriffstoken"
    },
    kind: "password",
    required: true
  },
  {
    name: "batteryCapacity",
    label: {
      en: "Usable capacity of the battery (Wh)",
      es: "Capacidad útil de la batería (Wh)",
      de: "Nutzbare Kapazität der Batterie (Wh)"
    },
    help: {
      en: "Needed for one battery that does not report its stored energy",
      es: "Necesaria para una batería que no informa de su energía almacenada",
      de: "Nötig für eine Batterie, die ihre gespeicherte Energie nicht meldet"
    },
    kind: "integer",
    minimum: LEAST_CAPACITY,
    maximum: GREATEST_CAPACITY,
    required: false
  }
]

export interface ConnectForm {
  readonly instance: InstanceAddress
  readonly batteryCapacity: number | null
}

export const readForm = (values: FormValues): Effect.Effect<ConnectForm, AdapterError> =>
  Effect.gen(function* () {
    const {
      fingerprint,
      host,
      port,
      tls: isTls
    } = yield* readBroker({
      host: values["host"] ?? "",
      port: values["port"] ?? "8123",
      tls: values["tls"] ?? "no",
      fingerprint: values["fingerprint"] ?? ""
    })
    const token = valueFrom(values, "token")
    if (token === undefined || token.length > TOKEN_LIMIT || !/^[\x21-\x7e]+$/.test(token)) {
      return yield* wrongValue(`token must be a long-lived access token of at most ${TOKEN_LIMIT} characters`)
    }
    const written = valueFrom(values, "batteryCapacity")
    const capacity = written === undefined ? null : Number(written)
    if (
      capacity !== null &&
      (!Number.isInteger(capacity) || capacity < LEAST_CAPACITY || capacity > GREATEST_CAPACITY)
    ) {
      return yield* wrongValue(
        `batteryCapacity must be a whole number of Wh from ${LEAST_CAPACITY} to ${GREATEST_CAPACITY}`
      )
    }
    return {
      instance: { host, port, tls: isTls, fingerprint, token: Redacted.make(token) },
      batteryCapacity: capacity
    }
  })
