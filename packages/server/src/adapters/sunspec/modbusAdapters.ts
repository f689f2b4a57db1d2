import type { AnyManufacturerAdapter } from "../ManufacturerAdapter.ts"
import { modbusAdapter } from "../modbus/ModbusAdapter.ts"
import type { ModbusDriver } from "../modbus/ModbusDriver.ts"
import { type DeviceTemplate, manufacturerSlug } from "../templates/DeviceTemplate.ts"
import { registerDriver } from "../templates/registerDriver.ts"
import { anySunSpecDevice, sunSpecDriver } from "./sunSpecDriver.ts"

export const sunSpecAdapter = modbusAdapter({ slug: "sunspec", name: "SunSpec Modbus", drivers: [anySunSpecDevice] })

/** The driver of a template over Modbus; none of one over another protocol. */
export const makeDrivers = (template: DeviceTemplate): ReadonlyArray<ModbusDriver> =>
  template.protocol === "modbus"
    ? [registerDriver(template)]
    : template.protocol === "sunspec"
      ? [sunSpecDriver(template.slug, template.name, template.units)]
      : []

/** An adapter for each manufacturer with templates over Modbus. One with several asks which. */
export const modbusTemplateAdapters = (
  templates: ReadonlyArray<DeviceTemplate>
): ReadonlyArray<AnyManufacturerAdapter> => {
  const manufacturers = Map.groupBy(
    templates.filter(({ protocol }) => protocol !== "mqtt"),
    manufacturerSlug
  )
  return Array.from(manufacturers, ([slug, own]) =>
    modbusAdapter({ slug, name: own[0]!.manufacturer, drivers: own.flatMap(makeDrivers) })
  )
}
