import { readingSchemas } from "@edp/domain/devices/DeviceState"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import { staticStateSchemas } from "@edp/domain/devices/StaticState"
import type { Schema } from "effect"
import { isObject, parseFilterPath, parsePath } from "@edp/adapter-kit/decoding/jsonPath"
import type { TypedDevice } from "@edp/adapter-kit/decoding/observation"
import { convertUnit, fieldUnits, type Unit } from "@edp/adapter-kit/decoding/units"

/** Messages by the dotted path of the field; each says what the field takes. */
export type TemplateProblems = Readonly<Record<string, string>>

/** Inputs of the commands that templates can have, with their units. */
export const commandInputs: Readonly<Partial<Record<CommandSlug, Readonly<Record<string, Unit | undefined>>>>> = {
  "battery:set-reserve": { chargePercentage: "%" },
  "battery:set-operating-mode": {
    operatingMode: undefined,
    minimumBatteryReserve: "%",
    maximumBatteryReserve: "%",
    enableGridInteraction: undefined,
    targetPowerW: "W"
  },
  "charger:set-operating-mode": { operatingMode: undefined, targetPowerW: "W" },
  "thermostat:set-operating-mode": { operatingMode: undefined, heatTarget: "°F", coolTarget: "°F" },
  "thermostat:set-fan-mode": { fanMode: undefined },
  "vehicle:set-operating-mode": { operatingMode: undefined, targetPowerW: "W" },
  "vehicle:set-charge-limit": { chargeLimit: "%" }
}

export const namesOfState = (type: TypedDevice) => Object.keys(readingSchemas[type].fields)

/** Undefined for types whose static fields are free. */
export const namesOfStatic = (type: TypedDevice): ReadonlyArray<string> | undefined => {
  const schema: Schema.Top = staticStateSchemas[type]
  return "fields" in schema && isObject(schema.fields) ? Object.keys(schema.fields) : undefined
}

interface AnyField {
  readonly unit?: Unit
  readonly path?: string
}
export interface AnyValue extends AnyField {
  readonly input?: string
  readonly value?: string | number | boolean
  readonly otherwise?: string | number | boolean
}

/** Checks what the schema of one field can't: names, units and paths. */
export const checkFields = (
  at: string,
  fields: Readonly<Record<string, AnyField>>,
  names: ReadonlyArray<string> | undefined,
  problems: Record<string, string>,
  parse: (path: string) => unknown = parsePath
) => {
  for (const [name, { path, unit }] of Object.entries(fields)) {
    const target = fieldUnits[name]
    if (names !== undefined && !names.includes(name)) problems[`${at}.${name}`] = `Must be one of ${names.join(", ")}`
    if (unit !== undefined && target !== undefined && convertUnit(1, unit, target) === undefined) {
      problems[`${at}.${name}.unit`] = `Must be a unit that can be converted to ${target}`
    }
    if (path !== undefined && parse(path) === undefined) problems[`${at}.${name}.path`] = pathMessage(parse)
  }
}

const pathMessage = (parse: unknown) =>
  parse === parseFilterPath
    ? 'Must be a path such as a.b[0].c or a[?name=="x"].value'
    : "Must be a path such as ENERGY.Power or emeters[0].power"

/** Messages set modes alone: nothing reads the power of one back. */
const inputsByMessage = (inputs: Readonly<Record<string, Unit | undefined>>) => {
  const { targetPowerW: _, ...others } = inputs
  return others
}

/** Checks the values of a command, each by its place in the document. */
export const checkValues = (
  at: string,
  slug: string,
  values: ReadonlyArray<readonly [place: string, value: AnyValue]>,
  protocol: "modbus" | "mqtt" | "http",
  problems: Record<string, string>
) => {
  const all = commandInputs[slug as CommandSlug]
  if (all === undefined) {
    problems[at] = `Must have the names ${Object.keys(commandInputs).join(", ")}`
    return
  }
  const inputs: Readonly<Record<string, Unit | undefined>> = protocol === "mqtt" ? inputsByMessage(all) : all
  for (const [place, { input, otherwise, path, unit, value }] of values) {
    if (input === "targetPowerW" && Object.hasOwn(inputs, input) && otherwise === undefined) {
      problems[`${place}.otherwise`] = "Is required: a mode without a power must not keep that of an earlier one"
    }
    if ((input === undefined) === (value === undefined)) problems[place] = "Must have either input or value"
    if (input !== undefined && !Object.hasOwn(inputs, input)) {
      problems[`${place}.input`] = `Must be one of ${Object.keys(inputs).join(", ")}`
    }
    const source = input === undefined ? undefined : inputs[input]
    if (unit !== undefined && (source === undefined || convertUnit(1, source, unit) === undefined)) {
      problems[`${place}.unit`] = "Must be a unit into which the input can be converted"
    }
    if (path !== undefined && parsePath(path) === undefined) problems[`${place}.path`] = "Must be a path such as a.b"
  }
}
