import { schemaDetails } from "@edp/domain/errors/schemaDetails"
import { Cause, Exit, Schema } from "effect"
import { isObject, parsePath } from "@edp/adapter-kit/decoding/jsonPath"
import { checkHttpDevice, checkHttpTemplate } from "./checkHttpTemplate.ts"
import {
  type AnyValue,
  checkFields,
  checkValues,
  namesOfState,
  namesOfStatic,
  type TemplateProblems
} from "./checkParts.ts"
import {
  type DeviceTemplate,
  type ModbusDevice,
  ModbusTemplate,
  type MqttDevice,
  MqttTemplate,
  SunSpecTemplate
} from "./DeviceTemplate.ts"
import { HttpTemplate } from "./HttpTemplate.ts"

export type TemplateResult = { readonly template: DeviceTemplate } | { readonly problems: TemplateProblems }

export const templateSchemas = {
  modbus: ModbusTemplate,
  mqtt: MqttTemplate,
  sunspec: SunSpecTemplate,
  http: HttpTemplate
} as const

/** Values of a list with their places. */
const placed = (at: string, values: ReadonlyArray<AnyValue>) => values.map((value, n) => [`${at}.${n}`, value] as const)

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
    else if ("payload" in command)
      checkValues(`${place}.payload`, slug, placed(`${place}.payload`, command.payload), "mqtt", problems)
    else checkValues(place, slug, placed(place, command), "modbus", problems)
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
  if (typeof protocol !== "string" || !Object.hasOwn(templateSchemas, protocol)) {
    return { problems: { protocol: `Must be one of ${Object.keys(templateSchemas).join(", ")}` } }
  }
  const schema: Schema.Codec<DeviceTemplate, unknown> = templateSchemas[protocol as keyof typeof templateSchemas]
  const exit = Schema.decodeUnknownExit(schema, { errors: "all", onExcessProperty: "error" })(document)
  if (Exit.isFailure(exit)) {
    return { problems: { ...schemaDetails(Cause.squash(exit.cause) as Schema.SchemaError, "template") } }
  }
  const template = exit.value
  const problems: Record<string, string> = {}
  if (template.protocol === "sunspec") checkKeys("units", template.units, [], problems)
  else {
    checkKeys("devices", template.devices, Object.keys(template.fixture.expected), problems)
    if (template.protocol === "http") {
      checkHttpTemplate(template, problems)
      for (const [n, device] of template.devices.entries()) checkHttpDevice(`devices.${n}`, device, template, problems)
    } else for (const [n, device] of template.devices.entries()) checkDevice(`devices.${n}`, device, problems)
  }
  return Object.keys(problems).length === 0 ? { template } : { problems }
}
