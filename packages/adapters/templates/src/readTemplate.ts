import { schemaDetails } from "@edp/domain/errors/schemaDetails"
import { Cause, Exit, Schema } from "effect"
import { isObject, parsePath } from "@edp/adapter-kit/decoding/jsonPath"
import { registersPerValue } from "@edp/adapter-kit/decoding/registers"
import { checkHttpDevice, checkHttpTemplate, forcedModes } from "./checkHttpTemplate.ts"
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
  type RegisterWrite,
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

/** Checks what makes sense only with some commands or types. */
const checkWrite = (at: string, slug: string, write: RegisterWrite, problems: Record<string, string>) => {
  const modes = forcedModes[slug] ?? []
  if (write.function === 6 && registersPerValue(write.type) !== 1) {
    problems[`${at}.function`] = "Must be 16: function 6 writes one register"
  }
  if (write.renew !== undefined && slug !== "battery:set-operating-mode") {
    problems[`${at}.renew`] = "Must be a part of battery:set-operating-mode: no other command forces a mode by itself"
  }
  if (write.when?.every((mode) => modes.includes(mode)) === false) {
    problems[`${at}.when`] = modes.length === 0 ? "Must be left out" : `Must be a list of ${modes.join(", ")}`
  }
}

/** Checks that the commands of the fixture are those of the devices. */
const checkSends = ({ devices, fixture }: ModbusTemplate, problems: Record<string, string>) => {
  const commands = devices.flatMap((device) =>
    Object.keys(device.commands ?? {}).map((slug) => `${device.key} ${slug}`)
  )
  for (const [n, { command, device }] of (fixture.sends ?? []).entries()) {
    if (!commands.includes(`${device} ${command}`)) {
      problems[`fixture.sends.${n}.command`] = "Must be a command of one of the template's devices"
    }
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
    else if ("payload" in command)
      checkValues(`${place}.payload`, slug, placed(`${place}.payload`, command.payload), "mqtt", problems)
    else {
      checkValues(place, slug, placed(place, command), "modbus", problems)
      for (const [n, write] of command.entries()) checkWrite(`${place}.${n}`, slug, write, problems)
    }
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
    if (template.protocol === "modbus") checkSends(template, problems)
  }
  return Object.keys(problems).length === 0 ? { template } : { problems }
}
