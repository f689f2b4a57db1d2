import type { FormField } from "@edp/adapter-kit/ManufacturerAdapter"
import { text } from "@edp/adapter-kit/modbus/formFields"

/** A device of a template, as far as its capacity goes. */
interface DeviceOfTemplate {
  readonly key: string
  readonly type: string
  readonly model: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly static?: Readonly<Record<string, unknown>>
  readonly fixedStatic?: Readonly<Record<string, unknown>>
}

/** Batteries that report percent alone: their charge in Wh needs their capacity. */
export const needsCapacity = (device: DeviceOfTemplate) =>
  device.type === "battery" &&
  device.fields["charge"] === undefined &&
  device.static?.["capacity"] === undefined &&
  device.fixedStatic?.["capacity"] === undefined

export const capacityField = (
  template: { readonly devices: ReadonlyArray<DeviceOfTemplate> },
  { key, model }: DeviceOfTemplate
): FormField => {
  const isOnly = template.devices.filter(needsCapacity).length === 1
  return {
    name: isOnly ? "batteryCapacity" : `batteryCapacity-${key}`,
    kind: "integer",
    label: isOnly
      ? text("Capacity of the battery in Wh", "Capacidad de la batería en Wh", "Kapazität der Batterie in Wh")
      : text(`Capacity of ${model} in Wh`, `Capacidad de ${model} en Wh`, `Kapazität von ${model} in Wh`),
    help: text(
      "The device reports percent alone. Leave it empty if there is no battery.",
      "El dispositivo solo comunica el porcentaje. Déjelo vacío si no hay batería.",
      "Das Gerät meldet nur Prozent. Lassen Sie das Feld leer, wenn es keine Batterie gibt."
    ),
    minimum: 100,
    maximum: 100_000_000,
    required: false
  }
}
