import { Effect } from "effect"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { FormField } from "@edp/adapter-kit/ManufacturerAdapter"
import { enteredInteger, text, unitField } from "@edp/adapter-kit/modbus/formFields"
import type { FormValues, OpenUnit } from "@edp/adapter-kit/modbus/ModbusDriver"
import type { ModbusDevice, ModbusTemplate } from "./DeviceTemplate.ts"
import { readSerial, readTemplateRegisters, templateUnitIds } from "./registerReads.ts"

const makeUnitField = (template: ModbusTemplate, unitId: number) =>
  unitField(
    unitId,
    templateUnitIds(template).length === 1
      ? undefined
      : template.devices
          .filter((device) => device.unitId === unitId)
          .map(({ key }) => key)
          .join("-")
  )

/** Batteries that report percent alone: their charge in Wh needs their capacity. */
export const needsCapacity = (device: ModbusDevice) =>
  device.type === "battery" &&
  device.fields["charge"] === undefined &&
  device.static?.["capacity"] === undefined &&
  device.fixedStatic?.["capacity"] === undefined

const capacityField = (template: ModbusTemplate, { key, model }: ModbusDevice): FormField => {
  const isOnly = template.devices.filter(needsCapacity).length === 1
  return {
    name: isOnly ? "batteryCapacity" : `batteryCapacity-${key}`,
    kind: "integer",
    label: isOnly
      ? text("Capacity of the battery in Wh", "Capacidad de la batería en Wh")
      : text(`Capacity of ${model} in Wh`, `Capacidad de ${model} en Wh`),
    help: text(
      "The device reports percent alone. Leave it empty if there is no battery.",
      "El dispositivo solo comunica el porcentaje. Déjelo vacío si no hay batería."
    ),
    minimum: 100,
    maximum: 100_000_000,
    required: false
  }
}

export const formFields = (template: ModbusTemplate): ReadonlyArray<FormField> => [
  ...templateUnitIds(template).map((unitId) => makeUnitField(template, unitId)),
  ...template.devices.filter(needsCapacity).map((device) => capacityField(template, device))
]

/** Tries the units of a form. */
export const connect = (template: ModbusTemplate) =>
  Effect.fnUntraced(function* (open: OpenUnit, values: FormValues) {
    const unitIds = Object.fromEntries(
      yield* Effect.forEach(templateUnitIds(template), (unitId) =>
        Effect.map(
          enteredInteger(values, makeUnitField(template, unitId)),
          (entered = unitId) => [String(unitId), entered] as const
        )
      )
    )
    const capacities = Object.fromEntries(
      (yield* Effect.forEach(template.devices.filter(needsCapacity), (device) =>
        Effect.map(enteredInteger(values, capacityField(template, device)), (capacity) =>
          capacity === undefined ? [] : [[device.key, capacity] as const]
        )
      )).flat()
    )
    const { isEmpty } = yield* readTemplateRegisters(open, template, unitIds)
    const units = Object.values(unitIds)
    if (isEmpty) {
      return yield* AdapterError.of(
        "misconfigured",
        `The device responds by Modbus, but unit ${units.join(", ")} has none of the registers of ${template.name}. Correct the unit id, or choose another kind of device.`
      )
    }
    const serial = yield* readSerial(open, template, unitIds)
    return { config: { serial, unitIds, capacities }, serial, unitId: units[0]!, name: template.name }
  })
