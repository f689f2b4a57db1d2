import { Effect, Redacted } from "effect"
import type { AdapterError } from "@edp/adapter-kit/AdapterError"
import { type FormValues, valueFrom, wrongValue } from "@edp/adapter-kit/broker/brokerForm"
import type { FormField } from "@edp/adapter-kit/ManufacturerAdapter"

const LEAST_CAPACITY = 100
const GREATEST_CAPACITY = 1_000_000

/** The fields with which a person pairs a device. */
export const fields: ReadonlyArray<FormField> = [
  {
    name: "code",
    label: { en: "Pairing code", es: "Código de emparejamiento", de: "Kopplungscode" },
    help: {
      en: "The 11 digits below the Matter symbol, or the text of the QR code, which begins with MT:. For a device that is in another app already, let that app make a new code",
      es: "Los 11 dígitos bajo el símbolo de Matter, o el texto del código QR, que empieza por MT:. Si el dispositivo ya está en otra aplicación, cree en ella un código nuevo",
      de: "Die 11 Ziffern unter dem Matter-Symbol oder der Text des QR-Codes, der mit MT: beginnt. Für ein Gerät, das schon in einer anderen App ist, dort einen neuen Code erzeugen"
    },
    kind: "text",
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
      en: "Needed for a home battery: Matter does not tell it",
      es: "Necesaria para una batería doméstica: Matter no la indica",
      de: "Nötig für eine Hausbatterie: Matter nennt sie nicht"
    },
    kind: "integer",
    minimum: LEAST_CAPACITY,
    maximum: GREATEST_CAPACITY,
    required: false
  }
]

export interface ConnectForm {
  /** Without spaces and hyphens, or the payload of a QR code. */
  readonly code: Redacted.Redacted
  readonly batteryCapacity: number | null
}

/** 11 digits, 21 with vendor and product, or the payload of a QR code in its alphabet (base 38). */
const pairingCode = /^(?:\d{11}|\d{21}|MT:[0-9A-Z.-]{19,200})$/

export const WRONG_CODE =
  "code must be the 11 or 21 digits of a pairing code, or the text of a QR code, which begins with MT:"

export const readForm = (values: FormValues): Effect.Effect<ConnectForm, AdapterError> =>
  Effect.gen(function* () {
    const written = valueFrom(values, "code") ?? ""
    const code = /^mt:/i.test(written) ? written.toUpperCase() : written.replaceAll(/[\s-]/g, "")
    if (!pairingCode.test(code)) return yield* wrongValue(WRONG_CODE)
    const capacityText = valueFrom(values, "batteryCapacity")
    const capacity = capacityText === undefined ? null : Number(capacityText)
    if (
      capacity !== null &&
      (!Number.isInteger(capacity) || capacity < LEAST_CAPACITY || capacity > GREATEST_CAPACITY)
    ) {
      return yield* wrongValue(
        `batteryCapacity must be a whole number of Wh from ${LEAST_CAPACITY} to ${GREATEST_CAPACITY}`
      )
    }
    return { code: Redacted.make(code), batteryCapacity: capacity }
  })
