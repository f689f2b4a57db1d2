import { readingSchemas } from "@edp/domain/devices/DeviceState"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import { staticStateSchemas } from "@edp/domain/devices/StaticState"
import { schemaDetails } from "@edp/domain/errors/schemaDetails"
import { Cause, Exit, Schema } from "effect"
import { isObject, parsePath } from "@edp/adapter-kit/decoding/jsonPath"
import type { TypedDevice } from "@edp/adapter-kit/decoding/observation"
import { convertUnit, fieldUnits, type Unit } from "@edp/adapter-kit/decoding/units"
import {
  type DeviceTemplate,
  type ModbusDevice,
  ModbusTemplate,
  type MqttDevice,
  MqttTemplate,
  SunSpecTemplate
} from "./DeviceTemplate.ts"

/** Messages by the dotted path of the field; each says what the field takes. */
export type TemplateProblems = Readonly<Record<string, string>>

export type TemplateResult = { readonly template: DeviceTemplate } | { readonly problems: TemplateProblems }

const schemas = { modbus: ModbusTemplate, mqtt: MqttTemplate, sunspec: SunSpecTemplate } as const

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

const namesOfState = (type: TypedDevice) => Object.keys(readingSchemas[type].fields)

/** Undefined for types whose static fields are free. */
const namesOfStatic = (type: TypedDevice): ReadonlyArray<string> | undefined => {
  const schema: Schema.Top = staticStateSchemas[type]
  return "fields" in schema && isObject(schema.fields) ? Object.keys(schema.fields) : undefined
}

interface AnyField {
  readonly unit?: Unit
  readonly path?: string
}
interface AnyValue extends AnyField {
  readonly input?: string
  readonly value?: string | number | boolean
  readonly otherwise?: string | number | boolean
}

/** Checks what the schema of one field can't: names, units and paths. */
const checkFields = (
  at: string,
  fields: Readonly<Record<string, AnyField>>,
  names: ReadonlyArray<string> | undefined,
  problems: Record<string, string>
) => {
  for (const [name, { path, unit }] of Object.entries(fields)) {
    const target = fieldUnits[name]
    if (names !== undefined && !names.includes(name)) problems[`${at}.${name}`] = `Must be one of ${names.join(", ")}`
    if (unit !== undefined && target !== undefined && convertUnit(1, unit, target) === undefined) {
      problems[`${at}.${name}.unit`] = `Must be a unit that can be converted to ${target}`
    }
    if (path !== undefined && parsePath(path) === undefined) {
      problems[`${at}.${name}.path`] = "Must be a path such as ENERGY.Power or emeters[0].power"
    }
  }
}

/** Messages set modes alone: nothing reads the power of one back. */
const inputsByMessage = (inputs: Readonly<Record<string, Unit | undefined>>) => {
  const { targetPowerW: _, ...others } = inputs
  return others
}

const checkValues = (
  at: string,
  slug: string,
  values: ReadonlyArray<AnyValue>,
  protocol: "modbus" | "mqtt",
  problems: Record<string, string>
) => {
  const all = commandInputs[slug as CommandSlug]
  if (all === undefined) {
    problems[at] = `Must have the names ${Object.keys(commandInputs).join(", ")}`
    return
  }
  const inputs: Readonly<Record<string, Unit | undefined>> = protocol === "mqtt" ? inputsByMessage(all) : all
  for (const [n, { input, otherwise, path, unit, value }] of values.entries()) {
    if (input === "targetPowerW" && Object.hasOwn(inputs, input) && otherwise === undefined) {
      problems[`${at}.${n}.otherwise`] = "Is required: a mode without a power must not keep that of an earlier one"
    }
    if ((input === undefined) === (value === undefined)) problems[`${at}.${n}`] = "Must have either input or value"
    if (input !== undefined && !Object.hasOwn(inputs, input)) {
      problems[`${at}.${n}.input`] = `Must be one of ${Object.keys(inputs).join(", ")}`
    }
    const source = input === undefined ? undefined : inputs[input]
    if (unit !== undefined && (source === undefined || convertUnit(1, source, unit) === undefined)) {
      problems[`${at}.${n}.unit`] = "Must be a unit into which the input can be converted"
    }
    if (path !== undefined && parsePath(path) === undefined) problems[`${at}.${n}.path`] = "Must be a path such as a.b"
  }
}

const checkDevice = (at: string, device: ModbusDevice | MqttDevice, problems: Record<string, string>) => {
  checkFields(`${at}.fields`, device.fields, namesOfState(device.type), problems)
  checkFields(`${at}.static`, device.static ?? {}, namesOfStatic(device.type), problems)
  checkFields(
    `${at}.fixedStatic`,
    Object.fromEntries(Object.keys(device.fixedStatic ?? {}).map((name) => [name, {}])),
    namesOfStatic(device.type),
    problems
  )
  if ("outlet" in device && device.outlet?.path !== undefined && parsePath(device.outlet.path) === undefined) {
    problems[`${at}.outlet.path`] = "Must be a path such as a.b"
  }
  for (const [slug, command] of Object.entries(device.commands ?? {})) {
    const place = `${at}.commands.${slug}`
    if (!slug.startsWith(`${device.type}:`)) problems[place] = `Must be a command of a device of type ${device.type}`
    else if ("payload" in command) checkValues(`${place}.payload`, slug, command.payload, "mqtt", problems)
    else checkValues(place, slug, command, "modbus", problems)
  }
}

const checkKeys = (
  at: string,
  keys: ReadonlyArray<{ readonly key: string }>,
  expected: ReadonlyArray<string>,
  problems: Record<string, string>
) => {
  for (const [n, { key }] of keys.entries()) {
    if (keys.findIndex((one) => one.key === key) !== n) problems[`${at}.${n}.key`] = "Must be unique in the template"
    if (at === "devices" && !expected.includes(key)) problems[`fixture.expected.${key}`] = "Is required"
  }
}

/** Reads a template. The problems name each wrong field and what it takes. */
export const readTemplate = (document: unknown): TemplateResult => {
  const protocol = isObject(document) ? document["protocol"] : undefined
  if (protocol !== "modbus" && protocol !== "mqtt" && protocol !== "sunspec") {
    return { problems: { protocol: `Must be one of ${Object.keys(schemas).join(", ")}` } }
  }
  const schema: Schema.Codec<DeviceTemplate, unknown> = schemas[protocol]
  const exit = Schema.decodeUnknownExit(schema, { errors: "all", onExcessProperty: "error" })(document)
  if (Exit.isFailure(exit)) {
    return { problems: { ...schemaDetails(Cause.squash(exit.cause) as Schema.SchemaError, "template") } }
  }
  const template = exit.value
  const problems: Record<string, string> = {}
  if (template.protocol === "sunspec") checkKeys("units", template.units, [], problems)
  else {
    checkKeys("devices", template.devices, Object.keys(template.fixture.expected), problems)
    for (const [n, device] of template.devices.entries()) checkDevice(`devices.${n}`, device, problems)
  }
  return Object.keys(problems).length === 0 ? { template } : { problems }
}
