import { readingSchemas } from "@edp/domain/devices/DeviceState"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { staticStateSchemas } from "@edp/domain/devices/StaticState"
import { Schema, SchemaAST } from "effect"

/** Types of devices whose fields the contract names. */
export type TypedDevice = Exclude<DeviceType, "other" | "unknown">

/** The fields of a state that a device reported. What it left out is absent. */
export type ReportedState<T extends TypedDevice> = Partial<(typeof readingSchemas)[T]["Type"]>
export type ReportedStatic = Readonly<Record<string, unknown>>

/** A device as one reading of it describes it. */
export interface Observation<T extends TypedDevice = TypedDevice> {
  readonly type: T
  readonly state: ReportedState<T>
  readonly staticState: ReportedStatic
  /** Fields that the contract requires and the device did not report. The state is a reading only if there is none. */
  readonly missing: ReadonlyArray<string>
  /** Values that were reported and not understood, a sentence each. */
  readonly problems: ReadonlyArray<string>
}

/** Values of required fields that say that nothing is known. */
const unknowns: Readonly<Partial<Record<TypedDevice, Readonly<Record<string, unknown>>>>> = {
  battery: { chargingState: "unknown", whConsumed: null },
  charger: { chargingState: "unknown" },
  thermostat: { operatingMode: "unknown", fanMode: "unknown" },
  vehicle: { chargingState: "unknown" },
  water_heater: { operatingMode: "unknown" }
}

/** Fields that the contract wants as integers. */
const integers = new Set(["gridPower", "gridEnergy"])

const isOptional = (schema: Schema.Top): boolean => SchemaAST.isOptional(schema.ast)

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value)

const rounded = (type: TypedDevice, field: string, value: unknown) =>
  isNumber(value) && (integers.has(field) || (type === "meter" && field === "power")) ? Math.round(value) + 0 : value

/** Fields computed from others: Wh from percent and capacity, and the reverse. */
const derived = (type: TypedDevice, fields: Readonly<Record<string, unknown>>, capacity: unknown) => {
  if (type !== "battery" || !isNumber(capacity) || capacity <= 0) return fields
  const { charge, chargePercentage } = fields
  if (charge === undefined && isNumber(chargePercentage)) {
    return { ...fields, charge: Math.round((capacity * chargePercentage) / 100) }
  }
  if (chargePercentage === undefined && isNumber(charge)) {
    return { ...fields, chargePercentage: Math.round((1000 * charge) / capacity) / 10 }
  }
  return fields
}

interface CheckedFields {
  readonly kept: Record<string, unknown>
  readonly problems: Array<string>
}

const checked = (
  schemas: Readonly<Record<string, Schema.Top>>,
  fields: Readonly<Record<string, unknown>>
): CheckedFields => {
  const result: CheckedFields = { kept: {}, problems: [] }
  for (const [field, value] of Object.entries(fields)) {
    if (value === undefined) continue
    const schema = schemas[field]
    if (schema === undefined) result.problems.push(`${field} is not a field of this type of device`)
    else if (Schema.is(schema)(value)) result.kept[field] = value
    else result.problems.push(`${field} has the value ${JSON.stringify(value)}, which the contract does not allow`)
  }
  return result
}

/**
 * Checks reported fields against the contract. A value that it does not allow is left out and reported, so one wrong register
 * does not lose the rest. Required choices that the device does not have become `unknown`; no number is invented.
 */
export const observe = <T extends TypedDevice>(
  type: T,
  reported: Readonly<Record<string, unknown>>,
  reportedStatic: ReportedStatic = {},
  problems: ReadonlyArray<string> = []
): Observation<T> => {
  const staticSchema: Schema.Top = staticStateSchemas[type]
  const staticFields = "fields" in staticSchema ? (staticSchema.fields as Record<string, Schema.Top>) : undefined
  const statics: CheckedFields =
    staticFields === undefined
      ? {
          kept: Object.fromEntries(Object.entries(reportedStatic).filter(([, one]) => one !== undefined)),
          problems: []
        }
      : checked(staticFields, reportedStatic)
  const schemas: Readonly<Record<string, Schema.Top>> = readingSchemas[type].fields
  const state = checked(
    schemas,
    Object.fromEntries(
      Object.entries(derived(type, reported, statics.kept["capacity"])).map(([field, value]) => [
        field,
        rounded(type, field, value)
      ])
    )
  )
  for (const [field, value] of Object.entries(unknowns[type] ?? {})) state.kept[field] ??= value
  return {
    type,
    state: state.kept as ReportedState<T>,
    staticState: statics.kept,
    missing: Object.entries(schemas).flatMap(([field, schema]) =>
      isOptional(schema) || field in state.kept ? [] : [field]
    ),
    problems: [...problems, ...statics.problems, ...state.problems]
  }
}
