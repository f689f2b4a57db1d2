import { type CommandSlug, type DeviceType, commandSlugs, deviceTypes } from "@edp/domain/devices/DeviceType"
import { INTERVENTIONS_LIMIT, Intervention } from "@edp/domain/devices/Intervention"
import { staticStateSchemas } from "@edp/domain/devices/StaticState"
import { type Details, validator } from "@edp/domain/errors/validator"
import { Coordinates } from "@edp/domain/shared/Address"
import { Result, type Schema } from "effect"
import type { DiscoveredDevice } from "@edp/adapter-kit/Account"
import { stateText } from "../../readings/ingest/telemetryChecks.ts"
import type { ImportedFields } from "./importedFields.ts"

type Fields = Readonly<Record<string, unknown>>

/** A value as far as it fits the contract, and a sentence for each part that was left out. */
export interface Checked<A> {
  readonly value: A | undefined
  readonly problems: ReadonlyArray<string>
}

const sentences = (details: Details) => Object.entries(details).map(([field, problem]) => `${field}: ${problem}`)

const withoutFields = (fields: Fields, details: Details, whole: string): Fields => {
  const wrong = new Set(Object.keys(details).map((path) => path.slice(whole.length + 1).split(".", 1)[0]))
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !wrong.has(name)))
}

/** Checks fields; those that are wrong are left out, and all of them if the rest is not enough. */
const checkFields = <A>(
  fields: Fields,
  whole: string,
  check: (fields: Fields) => Result.Result<A, Details>
): Checked<A> => {
  const first = check(fields)
  if (Result.isSuccess(first)) return { value: first.success, problems: [] }
  const problems = sentences(first.failure)
  const second = check(withoutFields(fields, first.failure, whole))
  return { value: Result.isSuccess(second) ? second.success : undefined, problems }
}

/** Adapters set fields that they know nothing of to undefined or null: both mean that there is no value. */
const present = (fields: object): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** A state of a device as the JSON text that is stored. */
export const checkState = (type: DeviceType, state: object): Checked<string> =>
  checkFields(present(state), "state", (fields) => {
    const details: Details = Object.create(null)
    const text = stateText(type, fields, ["state"], details)
    return text === undefined ? Result.fail(details) : Result.succeed(text)
  })

const staticDecoders = Object.fromEntries(
  Object.entries(staticStateSchemas).map(([type, schema]) => [
    type,
    validator(schema as Schema.Codec<Fields, unknown>, "staticState")
  ])
) as Record<DeviceType, ReturnType<typeof validator<Fields>>>

export const checkStaticState = (type: DeviceType, staticState: object): Checked<object> =>
  checkFields(present(staticState), "staticState", (fields) => staticDecoders[type](fields, ["staticState"]))

const decodeIntervention = validator(Intervention as Schema.Codec<Intervention, unknown>, "interventions")

export const checkInterventions = (
  interventions: ReadonlyArray<Intervention>
): Checked<ReadonlyArray<Intervention>> => {
  const decoded = interventions.map((one) => decodeIntervention(one, ["interventions"]))
  return {
    value: decoded.flatMap((one) => (Result.isSuccess(one) ? [one.success] : [])).slice(0, INTERVENTIONS_LIMIT),
    problems: decoded.flatMap((one) => (Result.isFailure(one) ? sentences(one.failure) : []))
  }
}

const known: ReadonlySet<string> = new Set(commandSlugs)

export const checkCommands = (commands: ReadonlyArray<CommandSlug>): Checked<ReadonlyArray<CommandSlug>> => ({
  value: [...new Set(commands)].filter((slug) => known.has(slug)),
  problems: commands.filter((slug) => !known.has(slug)).map((slug) => `commands: ${slug} is unknown`)
})

const decodeCoordinates = validator(Coordinates, "coordinates")

export const checkCoordinates = (coordinates: Coordinates): Checked<Coordinates> => {
  const decoded = decodeCoordinates(coordinates)
  return Result.isSuccess(decoded)
    ? { value: decoded.success, problems: [] }
    : { value: undefined, problems: sentences(decoded.failure) }
}

/** Text that the database can store, cut to a length. */
export const storedText = (text: string, maximum: number): string =>
  [...text.toWellFormed().replaceAll("\0", "")].slice(0, maximum).join("")

const textOrNull = (text: string | null) => {
  const stored = text === null ? "" : storedText(text, 255).trim()
  return stored === "" ? null : stored
}

/** Whether a device of a listing can be imported. */
export const isImportable = ({ incompatible, manufacturerDeviceId, type }: DiscoveredDevice): boolean =>
  incompatible === null &&
  manufacturerDeviceId !== "" &&
  storedText(manufacturerDeviceId, 255) === manufacturerDeviceId &&
  deviceTypes.includes(type)

/** The fields of a listed device as they are stored. */
export const importedFields = (device: DiscoveredDevice): ImportedFields => {
  const model = textOrNull(device.model) ?? device.type
  const { modelYear, staticState, type } = device
  return {
    name: textOrNull(device.name) ?? model,
    type,
    model,
    serialNumber: textOrNull(device.serialNumber),
    rawType: textOrNull(device.rawType),
    rawModel: textOrNull(device.rawModel),
    modelYear: Number.isInteger(modelYear) && modelYear! > 1900 && modelYear! < 2200 ? modelYear : null,
    staticState: staticState === null ? null : (checkStaticState(type, staticState).value ?? null),
    commands: checkCommands(device.commands).value!
  }
}
