import { mayRevert } from "@edp/domain/commands/commandInputs"
import type { CommandSlug, CommandType } from "@edp/domain/devices/DeviceType"
import { fromLocalText } from "../../i18n/period.ts"

/** A field of the form of a command. */
export type FormField =
  | { readonly kind: "choice"; readonly name: string; readonly values: ReadonlyArray<string> }
  | { readonly kind: "flag"; readonly name: string }
  | { readonly kind: "number"; readonly name: string; readonly range: Range }

interface Range {
  readonly minimum?: number
  readonly maximum?: number
  /** The value must be greater than this. */
  readonly above?: number
}

/** Why the value of a field can't be sent. */
export type FormProblem =
  | { readonly kind: "number" }
  | { readonly kind: "range"; readonly range: Range }
  /** It must be below another field. */
  | { readonly kind: "below"; readonly other: string }
  | { readonly kind: "past" | "time" }

/** The typed messages, by field; an empty text is no value. */
export type FormValues = Readonly<Record<string, string>>

interface Rule {
  readonly if: {
    readonly properties: Readonly<Record<string, { readonly const?: string; readonly enum?: ReadonlyArray<string> }>>
  }
  readonly then: {
    readonly required?: ReadonlyArray<string>
    readonly not?: { readonly required: ReadonlyArray<string> }
  }
}

interface Property {
  readonly type?: string
  readonly enum?: ReadonlyArray<string>
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
}

interface InputSchema {
  readonly properties?: Readonly<Record<string, Property>>
  readonly required?: ReadonlyArray<string>
  readonly allOf?: ReadonlyArray<Rule>
}

const bound = (values: ReadonlyArray<number | undefined>, choose: (...known: ReadonlyArray<number>) => number) => {
  const known = values.filter((value) => value !== undefined)
  return known.length === 0 ? undefined : choose(...known)
}

/** The fields of a command's form: those of its input schema, within the limits of the device. */
export const formFields = ({ inputSchema, limits }: CommandType): ReadonlyArray<FormField> =>
  Object.entries(((inputSchema ?? {}) as InputSchema).properties ?? {}).map(([name, property]): FormField => {
    const limit = limits?.[name]
    if (property.type === "boolean") return { kind: "flag", name }
    if (property.enum !== undefined) {
      const allowed = limit?.enum
      return {
        kind: "choice",
        name,
        values: allowed === undefined ? property.enum : property.enum.filter((value) => allowed.includes(value))
      }
    }
    const minimum = bound([property.minimum, limit?.minimum], Math.max)
    const maximum = bound([property.maximum, limit?.maximum], Math.min)
    const above = property.exclusiveMinimum
    return {
      kind: "number",
      name,
      range: {
        ...(minimum !== undefined && { minimum }),
        ...(maximum !== undefined && { maximum }),
        ...(above !== undefined && { above })
      }
    }
  })

/** The fields that mean something with a mode. With a mode that is not here, as without any mode, all do. */
const modeFields: Readonly<Record<string, ReadonlyArray<string>>> = {
  charge: ["enableGridInteraction", "targetPowerW", "maximumBatteryReserve", "executionPriority"],
  discharge: ["enableGridInteraction", "targetPowerW", "minimumBatteryReserve", "executionPriority"],
  idle: [],
  reset: [],
  heat: ["heatTarget"],
  cool: ["coolTarget"],
  auto: ["heatTarget", "coolTarget"],
  eco: [],
  off: []
}

/** The fields that belong to another mode than the chosen one; before the choice all but the mode. */
const foreignFields = (command: CommandType, values: FormValues): ReadonlyArray<string> => {
  const names = formFields(command).map(({ name }) => name)
  if (!names.includes("operatingMode")) return []
  const mode = values["operatingMode"] ?? ""
  const own = mode === "" ? [] : (modeFields[mode] ?? names)
  return names.filter((name) => name !== "operatingMode" && !own.includes(name))
}

const holds = ({ if: { properties } }: Rule, values: FormValues) =>
  Object.entries(properties).every(([name, { const: only, enum: some }]) => {
    const value = values[name] ?? ""
    return only !== undefined ? value === only : (some ?? []).includes(value)
  })

/** The fields that must and must not be sent with the present values. */
export const fieldRules = (command: CommandType, values: FormValues) => {
  const { required = [], allOf = [] } = (command.inputSchema ?? {}) as InputSchema
  const rules = allOf.filter((rule) => holds(rule, values))
  return {
    required: new Set([...required, ...rules.flatMap((rule) => rule.then.required ?? [])]),
    hidden: new Set([...foreignFields(command, values), ...rules.flatMap((rule) => rule.then.not?.required ?? [])])
  }
}

/** A number as a person types it, also with a decimal comma; undefined if it is none. */
export const typedNumber = (text: string): number | undefined => {
  const value = Number(text.trim().replace(",", "."))
  return text.trim() !== "" && Number.isFinite(value) ? value : undefined
}

const isWithin = (value: number, { minimum, maximum, above }: Range) =>
  value >= (minimum ?? value) && value <= (maximum ?? value) && (above === undefined || value > above)

const fieldProblem = (field: FormField, text: string): FormProblem | undefined => {
  if (text.trim() === "" || field.kind !== "number") return undefined
  const value = typedNumber(text)
  if (value === undefined) return { kind: "number" }
  return isWithin(value, field.range) ? undefined : { kind: "range", range: field.range }
}

/** Pairs of which the first must be below the second. */
const ordered = [
  ["minimumBatteryReserve", "maximumBatteryReserve"],
  ["heatTarget", "coolTarget"]
] as const

export interface FormInput {
  readonly input: Readonly<Record<string, string | number | boolean>>
  readonly problems: Readonly<Record<string, FormProblem>>
}

/** The input of a command as it was typed, and what is wrong with it. Required fields may be absent. */
export const formInput = (command: CommandType, values: FormValues): FormInput => {
  const { hidden } = fieldRules(command, values)
  const input: Record<string, string | number | boolean> = {}
  const problems: Record<string, FormProblem> = {}
  for (const field of formFields(command)) {
    const text = values[field.name] ?? ""
    if (hidden.has(field.name)) continue
    const problem = fieldProblem(field, text)
    if (problem !== undefined) problems[field.name] = problem
    else if (text.trim() !== "") {
      input[field.name] = field.kind === "number" ? typedNumber(text)! : field.kind === "flag" ? text === "true" : text
    }
  }
  for (const [lower, upper] of ordered) {
    const [low, high] = [input[lower], input[upper]]
    // A thermostat may keep two targets of which only one counts.
    const counts = lower !== "heatTarget" || input["operatingMode"] === "auto"
    if (counts && typeof low === "number" && typeof high === "number" && low >= high)
      problems[lower] = { kind: "below", other: upper }
  }
  return { input, problems }
}

/** Minutes after which a forced mode may end, as `revertAfter` of the API allows. */
export const revertMinutes = { minimum: 1, maximum: 1440 } as const

/** When a command is sent and how long its mode holds, as typed. */
export interface TimingValues {
  /** A local time of the site such as `2026-03-01T12:30`; empty: now. */
  readonly at: string
  /** Empty: the command's own. */
  readonly minutes: string
}

export interface Timing {
  readonly timing: { readonly scheduledFor?: string; readonly revertAfter?: number }
  readonly problems: { readonly at?: FormProblem; readonly minutes?: FormProblem }
}

/** The timing of a command as it was typed. */
export const formTiming = (values: TimingValues, timeZone: string, now: number): Timing => {
  const at = values.at === "" ? undefined : fromLocalText(values.at, timeZone)
  const atProblem: FormProblem | undefined =
    values.at === "" ? undefined : at === undefined ? { kind: "time" } : at <= now ? { kind: "past" } : undefined
  const minutes = typedNumber(values.minutes)
  const minutesProblem: FormProblem | undefined =
    values.minutes.trim() === ""
      ? undefined
      : minutes === undefined
        ? { kind: "number" }
        : isWithin(minutes, revertMinutes)
          ? undefined
          : { kind: "range", range: revertMinutes }
  return {
    timing: {
      ...(at !== undefined && atProblem === undefined && { scheduledFor: new Date(at).toISOString() }),
      ...(minutes !== undefined && minutesProblem === undefined && { revertAfter: Math.round(minutes * 60) })
    },
    problems: {
      ...(atProblem && { at: atProblem }),
      ...(minutesProblem && { minutes: minutesProblem })
    }
  }
}

/** Whether the mode of a command may end by itself. */
export const hasEnd = (type: CommandSlug, values: FormValues) =>
  (values["operatingMode"] ?? "") !== "" && mayRevert(type, values)
