import { Effect } from "effect"
import { AdapterError } from "../AdapterError.ts"
import type { FormField, LocalizedText } from "../ManufacturerAdapter.ts"
import type { ModbusAddress } from "./ModbusClient.ts"
import type { FormValues } from "./ModbusDriver.ts"

export const text = (en: string, es: string, de?: string): LocalizedText => ({
  en,
  es,
  ...(de !== undefined && { de })
})

export const addressFields: ReadonlyArray<FormField> = [
  {
    name: "host",
    kind: "host",
    label: text("Address of the device", "Dirección del dispositivo", "Adresse des Geräts"),
    help: text(
      "A name or IP address in your network, such as 192.168.1.20. Give the device a fixed address in your router.",
      "Un nombre o una dirección IP de su red, como 192.168.1.20. Asigne al dispositivo una dirección fija en el router.",
      "Ein Name oder eine IP-Adresse in Ihrem Netzwerk, z. B. 192.168.1.20. Geben Sie dem Gerät im Router eine feste Adresse."
    ),
    required: true
  },
  {
    name: "port",
    kind: "integer",
    label: text("Port", "Puerto", "Port"),
    help: text("502 on most devices", "502 en la mayoría de los dispositivos", "502 bei den meisten Geräten"),
    minimum: 1,
    maximum: 65_535,
    initial: "502",
    required: true
  }
]

export const nameField: FormField = {
  name: "name",
  kind: "text",
  label: text("Name", "Nombre", "Name"),
  help: text(
    "Optional: shown in lists, such as “Garage”",
    "Opcional: se muestra en las listas, como «Garaje»",
    "Freiwillig: wird in Listen angezeigt, z. B. „Garage“"
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
  minimum: 1,
  maximum: 247,
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
  const port = (yield* enteredInteger(values, addressFields[1]!))!
  return { host, port } satisfies ModbusAddress
})
