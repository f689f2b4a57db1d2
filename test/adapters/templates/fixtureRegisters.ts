import type { DeviceTemplate } from "@edp/adapter-templates/DeviceTemplate"
import { shippedTemplates } from "@edp/adapter-templates/templateFiles"
import type { ModbusRegisters } from "../../support/peers/ModbusServer.ts"

export type LocalTemplate = Exclude<DeviceTemplate, { protocol: "mqtt" | "http" }>

/** The templates over Modbus that come with the service. */
export const modbusTemplates = shippedTemplates.filter(
  (one): one is LocalTemplate => one.protocol === "modbus" || one.protocol === "sunspec"
)

/** The registers of a template's fixture, with unit ids of the installation in place of the template's. */
export const fixtureRegisters = (
  template: LocalTemplate,
  unitIds: Readonly<Record<string, number>> = {}
): ModbusRegisters => {
  const units: Record<string, Record<string, Record<string, ReadonlyArray<number>>>> = {}
  for (const [place, words] of Object.entries(template.fixture.registers)) {
    const [unit = "", table = "", address = ""] = place.split("/")
    const tables = (units[String(unitIds[unit] ?? unit)] ??= {})
    ;(tables[table] ??= {})[address] = words
  }
  return units
}

/** Values of the form besides the address: the capacity that a person enters for the fixture's battery. */
export const fixtureForm = (template: LocalTemplate): Readonly<Record<string, string>> => {
  const [known] = Object.values(template.fixture.known ?? {})
  return known?.["capacity"] === undefined ? {} : { batteryCapacity: String(known["capacity"]) }
}
