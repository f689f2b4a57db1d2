import { Effect } from "effect"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { FormField } from "@edp/adapter-kit/ManufacturerAdapter"
import { enteredInteger, unitField } from "@edp/adapter-kit/modbus/formFields"
import type { FormValues, OpenUnit } from "@edp/adapter-kit/modbus/ModbusDriver"
import { capacityField, needsCapacity } from "./capacity.ts"
import type { ModbusTemplate } from "./DeviceTemplate.ts"
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
