import { Effect } from "effect"
import { AdapterError } from "../AdapterError.ts"
import { fingerprintField, readFingerprint } from "../http/certificateFingerprint.ts"
import type { FormField, LocalizedText } from "../ManufacturerAdapter.ts"
import type { ModbusAddress, Transport } from "./ModbusClient.ts"
import type { FormValues } from "./ModbusDriver.ts"

export const text = (en: string, es: string, de?: string): LocalizedText => ({
  en,
  es,
  ...(de !== undefined && { de })
})

const hostField: FormField = {
  name: "host",
  kind: "host",
  label: text("Address of the device", "Dirección del dispositivo", "Adresse des Geräts"),
  help: text(
    "A name or IP address in your network, such as 192.168.1.20. Give the device a fixed address in your router.",
    "Un nombre o una dirección IP de su red, como 192.168.1.20. Asigne al dispositivo una dirección fija en el router.",
    "Ein Name oder eine IP-Adresse in Ihrem Netzwerk, z. B. 192.168.1.20. Geben Sie dem Gerät im Router eine feste Adresse."
  ),
  required: true
}

const portField: FormField = {
  name: "port",
  kind: "integer",
  label: text("Port", "Puerto", "Port"),
  minimum: 1,
  maximum: 65_535,
  required: true
}

export const nameField: FormField = {
  name: "name",
  kind: "text",
  label: text("Name", "Nombre", "Name"),
  help: text(
    "Shown in lists, such as “Garage”",
    "Se muestra en las listas, como «Garaje»",
    "Wird in Listen angezeigt, z. B. „Garage“"
  ),
  required: false
}

/** `unitId`, or `unitId-<of>` where a device has several units. */
export const unitField = (initial: number, of?: string): FormField => ({
  name: of === undefined ? "unitId" : `unitId-${of}`,
  kind: "integer",
  label:
    of === undefined
      ? text("Modbus unit id", "Identificador de unidad Modbus", "Modbus-Geräte-ID")
      : text(`Modbus unit id (${of})`, `Identificador de unidad Modbus (${of})`, `Modbus-Geräte-ID (${of})`),
  help: text(
    "Also called device or slave address, in the device's Modbus settings",
    "También llamado dirección de dispositivo o de esclavo, en los ajustes Modbus del dispositivo",
    "Auch Geräte- oder Slave-Adresse genannt, in den Modbus-Einstellungen des Geräts"
  ),
  minimum: 0,
  maximum: 255,
  initial: String(initial),
  required: true
})

const entered = (values: FormValues, name: string) => {
  const value = values[name]?.trim() ?? ""
  return value === "" ? undefined : value
}

/** A text that a person entered; undefined if none. */
export const enteredText = entered

/** An integer within the bounds of its field, else its initial value; undefined if it has none. */
export const enteredInteger = (
  values: FormValues,
  field: FormField
): Effect.Effect<number | undefined, AdapterError> => {
  const value = entered(values, field.name) ?? field.initial
  if (value === undefined) return Effect.succeed(undefined)
  const number = Number(value)
  const { maximum = Number.MAX_SAFE_INTEGER, minimum = Number.MIN_SAFE_INTEGER } = field
  return Number.isInteger(number) && number >= minimum && number <= maximum
    ? Effect.succeed(number)
    : Effect.fail(
        AdapterError.of("misconfigured", `${field.label.en} must be an integer from ${minimum} to ${maximum}`)
      )
}

/** One of the field's choices, else its initial value. */
export const enteredChoice = (values: FormValues, field: FormField): string | undefined =>
  field.choices?.map(({ value }) => value).find((value) => value === entered(values, field.name)) ?? field.initial

export const enteredAddress = Effect.fnUntraced(function* (values: FormValues) {
  const host = entered(values, "host")
  if (host === undefined) return yield* AdapterError.of("misconfigured", "The address of the device is required")
  const port = (yield* enteredInteger(values, portField))!
  return { host, port } satisfies ModbusAddress
})

/** The fields of the address. The port is that of all devices in question, or is left open where theirs differ. */
export const addressAt = (ports: ReadonlyArray<number>): ReadonlyArray<FormField> => {
  const [first] = ports
  if (ports.some((one) => one !== first)) return [hostField, { ...portField, required: false }]
  return [
    hostField,
    {
      ...portField,
      help: text(
        `${first} on most devices`,
        `${first} en la mayoría de los dispositivos`,
        `${first} bei den meisten Geräten`
      ),
      initial: String(first)
    }
  ]
}

const transportNames: Readonly<Record<Transport, LocalizedText>> = {
  tcp: text("Modbus TCP", "Modbus TCP", "Modbus TCP"),
  serial: text(
    "RS485 through a converter (RTU over TCP)",
    "RS485 mediante un convertidor (RTU sobre TCP)",
    "RS485 über einen Umsetzer (RTU über TCP)"
  ),
  tls: text("Modbus TCP with TLS", "Modbus TCP con TLS", "Modbus TCP mit TLS")
}

const transportField = (offered: ReadonlyArray<Transport>): FormField => ({
  name: "transport",
  kind: "choice",
  label: text("Connection", "Conexión", "Verbindung"),
  choices: offered.map((value) => ({ value, label: transportNames[value] })),
  initial: offered[0]!,
  required: true
})

const fingerprintWithTls: FormField = {
  ...fingerprintField,
  help: text(
    "Only with TLS, for a certificate of no known authority. Leave it empty to see the fingerprint, and compare it with that of the device",
    "Solo con TLS, para un certificado de ninguna autoridad conocida. Déjela vacía para ver la huella y compárela con la del dispositivo",
    "Nur mit TLS, für ein Zertifikat von keiner bekannten Stelle. Lassen Sie das Feld leer, um den Fingerabdruck zu sehen, und vergleichen Sie ihn mit dem des Geräts"
  )
}

/** The fields of the connection, if there is a choice. */
export const transportFields = (offered: ReadonlyArray<Transport>): ReadonlyArray<FormField> => [
  ...(offered.length > 1 ? [transportField(offered)] : []),
  ...(offered.includes("tls") ? [fingerprintWithTls] : [])
]

/** The connection that a person chose; that of Modbus TCP is not named. */
export const enteredTransport = Effect.fnUntraced(function* (
  values: FormValues,
  offered: ReadonlyArray<Transport>
): Effect.fn.Return<Pick<ModbusAddress, "transport" | "fingerprint">, AdapterError> {
  const transport = entered(values, "transport") ?? offered[0]!
  if (!offered.some((one) => one === transport)) {
    return yield* AdapterError.of("misconfigured", `transport must be one of ${offered.join(", ")}`)
  }
  if (transport !== "tls") return transport === "tcp" ? {} : { transport: transport as Transport }
  return { transport, fingerprint: (yield* readFingerprint(entered(values, "fingerprint"))) ?? null }
})
