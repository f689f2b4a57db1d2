import { Effect, type JsonSchema, Result, Schema } from "effect"
import { type CommandLimits, type CommandSlug, type CommandType, commandTypes } from "../devices/DeviceType.ts"
import { type Details, validator } from "../errors/validator.ts"
import { documents, typedAs } from "../shared/documents.ts"
import { flag, oneOf, quantity } from "../shared/quantities.ts"
import {
  isPowerCommand,
  powerModes,
  type PowerRange,
  ratedPower,
  takesTargetPower,
  targetPowerLimits
} from "./targetPower.ts"

const optional = Schema.optionalKey

const percentage = (description: string) => quantity(description, { minimum: 0, maximum: 100 })

export const BatteryReserveInput = Schema.Struct({
  chargePercentage: percentage("State of charge that is kept for backup, percent")
}).annotate({ identifier: "BatteryReserveInput", description: "Input of battery:set-reserve" })

const targetPowerW = (description: string) =>
  optional(
    quantity(
      `${description}, W; it may stay below it. Only for a device whose static state says \`takesTargetPower\``,
      { above: 0 }
    )
  )

/** `targetPowerW` comes only with some modes. */
const powerOnlyWith = (others: ReadonlyArray<string>) =>
  documents({
    allOf: [
      {
        if: { properties: { operatingMode: { enum: others } } },
        // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
        then: { not: { required: ["targetPowerW"] } }
      }
    ]
  })

/** A field that is left out keeps its default, which is not stored. */
export const BatteryModeInput = Schema.Struct({
  operatingMode: oneOf(
    ["charge", "discharge", "idle", "reset"],
    "`charge`, `discharge` and `idle` force a mode; `reset` restores the settings from before it"
  ),
  minimumBatteryReserve: optional(
    percentage(
      "State of charge at which discharging stops, percent: below maximumBatteryReserve; by default the present reserve"
    )
  ),
  maximumBatteryReserve: optional(
    percentage("State of charge at which charging stops, percent: above minimumBatteryReserve; 100 by default")
  ),
  enableGridInteraction: optional(
    flag("Whether charging may import from the grid and discharging may export to it").annotate({ default: false })
  ),
  executionPriority: optional(
    oneOf(
      ["baseline", "grid_services"],
      "Goal that the device puts first where the two conflict: its normal operation or grid services"
    )
  ),
  targetPowerW: targetPowerW(
    "Power with which the battery charges or discharges, at most its maxChargeRate or maxDischargeRate and its greatest power by default"
  )
})
  .check(powerOnlyWith(["idle", "reset"]))
  .annotate({ identifier: "BatteryModeInput", description: "Input of battery:set-operating-mode" })

export const ChargingModeInput = Schema.Struct({
  operatingMode: oneOf(["start-charging", "stop-charging"], "Whether charging starts or stops"),
  targetPowerW: targetPowerW("Power with which the vehicle is charged, the greatest by default")
})
  .check(powerOnlyWith(["stop-charging"]))
  .annotate({
    identifier: "ChargingModeInput",
    description: "Input of charger:set-operating-mode and vehicle:set-operating-mode"
  })

const whenMode = (mode: string, ...required: ReadonlyArray<string>) => ({
  if: { properties: { operatingMode: { const: mode } } },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required }
})

export const ThermostatModeInput = Schema.Struct({
  operatingMode: oneOf(
    ["heat", "cool", "auto", "eco", "off"],
    "Operating mode; heat needs heatTarget, cool needs coolTarget, auto needs both"
  ),
  heatTarget: optional(quantity("Heating setpoint, degrees Fahrenheit: below coolTarget with operatingMode auto")),
  coolTarget: optional(quantity("Cooling setpoint, degrees Fahrenheit: above heatTarget with operatingMode auto"))
})
  .check(
    documents({
      allOf: [
        whenMode("heat", "heatTarget"),
        whenMode("cool", "coolTarget"),
        whenMode("auto", "heatTarget", "coolTarget")
      ]
    })
  )
  .annotate({ identifier: "ThermostatModeInput", description: "Input of thermostat:set-operating-mode" })

export const FanModeInput = Schema.Struct({
  fanMode: oneOf(["auto", "on", "off", "circulate"], "Fan mode")
}).annotate({ identifier: "FanModeInput", description: "Input of thermostat:set-fan-mode" })

export const ChargeLimitInput = Schema.Struct({
  chargeLimit: percentage("State of charge at which charging ends, percent")
}).annotate({ identifier: "ChargeLimitInput", description: "Input of vehicle:set-charge-limit" })

export const NoInput = Schema.Record(Schema.String, Schema.Never.annotate({ message: "Is not known here" })).annotate({
  identifier: "NoInput",
  description:
    "The empty object: input of thermostat:pause-schedule, thermostat:resume-schedule and vehicle:check-pairing-status"
})

/** The schema of the input of each type. Rules between fields are checked by `decodeCommandInput`. */
const schemas = {
  "battery:set-reserve": BatteryReserveInput,
  "battery:set-operating-mode": BatteryModeInput,
  "charger:set-operating-mode": ChargingModeInput,
  "thermostat:set-operating-mode": ThermostatModeInput,
  "thermostat:set-fan-mode": FanModeInput,
  "thermostat:pause-schedule": NoInput,
  "thermostat:resume-schedule": NoInput,
  "vehicle:check-pairing-status": NoInput,
  "vehicle:set-charge-limit": ChargeLimitInput,
  "vehicle:set-operating-mode": ChargingModeInput
} as const satisfies Record<CommandSlug, Schema.Top>

/** The input of each type of command. */
export type CommandInputs = { readonly [T in CommandSlug]: (typeof schemas)[T]["Type"] }

/** The input of a command of any type. */
export type CommandInput = CommandInputs[CommandSlug]

/**
 * A type of command with its input: `type` determines the fields of `input`.
 *
 * @example
 * const precool: TypedCommand = { type: "thermostat:set-operating-mode", input: { operatingMode: "cool", coolTarget: 72 } }
 */
export type TypedCommand = {
  readonly [T in CommandSlug]: { readonly type: T; readonly input: CommandInputs[T] }
}[CommandSlug]

/** The input of a request, which is validated once its type is known. */
export const CommandInputField = typedAs(
  Schema.Union([
    BatteryReserveInput,
    BatteryModeInput,
    ChargingModeInput,
    ThermostatModeInput,
    FanModeInput,
    ChargeLimitInput,
    NoInput
  ]),
  Schema.Record(Schema.String, Schema.Any).annotate({ message: "Must be a JSON object" })
).annotate({
  identifier: "CommandInput",
  description: "Input of the command, in the form of its type; an unknown field is VALIDATION_ERROR"
})

type Fields = Readonly<Record<string, unknown>>

const isBelow = (lower: unknown, upper: unknown) =>
  typeof lower !== "number" || typeof upper !== "number" || lower < upper

const misplacedPower = (type: CommandSlug, { operatingMode, targetPowerW: power }: Fields): Details =>
  power === undefined || !isPowerCommand(type) || (powerModes[type] as ReadonlyArray<unknown>).includes(operatingMode)
    ? {}
    : { targetPowerW: `Must be absent unless operatingMode is ${powerModes[type].join(" or ")}` }

/** The fields that break a rule between several of them. A field of a wrong type breaks none. */
const crossFieldProblems = (type: CommandSlug, input: Fields): Details => {
  if (isPowerCommand(type)) {
    return isBelow(input.minimumBatteryReserve, input.maximumBatteryReserve)
      ? misplacedPower(type, input)
      : { ...misplacedPower(type, input), minimumBatteryReserve: "Must be below maximumBatteryReserve" }
  }
  if (type !== "thermostat:set-operating-mode") return {}
  const { operatingMode, heatTarget, coolTarget } = input
  const problems: Details = {}
  const isAuto = operatingMode === "auto"
  for (const [field, mode] of [
    ["heatTarget", "heat"],
    ["coolTarget", "cool"]
  ] as const) {
    if ((isAuto || operatingMode === mode) && !Object.hasOwn(input, field))
      problems[field] = `Is required with operatingMode ${operatingMode}`
  }
  if (isAuto && !isBelow(heatTarget, coolTarget)) problems.heatTarget = "Must be below coolTarget"
  return problems
}

const decoders = Object.fromEntries(
  Object.entries(schemas).map(([type, schema]) => [
    type,
    validator(schema as Schema.Codec<CommandInput, unknown>, "input", { onExcessProperty: "error" })
  ])
) as unknown as Readonly<Record<CommandSlug, ReturnType<typeof validator<CommandInput>>>>

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Decodes the input of a command of a type. Fails with a message for every wrong field, by its path such as
 * `input.chargePercentage`. The input is returned as it was given: defaults are not filled in, so that a stored command shows
 * what its caller asked for.
 */
export const decodeCommandInput = <T extends CommandSlug>(
  type: T,
  input: unknown
): Effect.Effect<CommandInputs[T], Details> => {
  const decoded = decoders[type](input, ["input"])
  const details: Details = Result.isFailure(decoded) ? decoded.failure : {}
  for (const [field, message] of isObject(input) ? Object.entries(crossFieldProblems(type, input)) : []) {
    details[`input.${field}`] ??= message
  }
  if (Result.isSuccess(decoded) && Object.keys(details).length === 0) {
    return Effect.succeed(decoded.success as CommandInputs[T])
  }
  return Effect.fail(details)
}

const freeze = <A>(value: A): A => {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(freeze)
  return value
}

const toInputSchema = (type: CommandSlug): JsonSchema.JsonSchema => {
  const { schema } = Schema.toJsonSchemaDocument(schemas[type], {
    onExcessProperty: "error",
    referencePolicy: () => undefined
  })
  // The entry of `availableCommands` describes the whole, and the rules between fields need no description of their own.
  const {
    allOf,
    description: _,
    ...rest
  } = schema as { readonly allOf?: ReadonlyArray<{ readonly allOf?: unknown }> } & Fields
  const rules = allOf?.flatMap((part) => part.allOf ?? [])
  return freeze({ ...rest, ...(rules && { allOf: rules }) })
}

/**
 * The JSON Schema (draft 2020-12) of the input of each type. It states all rules but the order of two fields: minimum below
 * maximum reserve, and heating below cooling target.
 */
export const inputSchemas = Object.freeze(
  Object.fromEntries(Object.keys(schemas).map((type) => [type, toInputSchema(type as CommandSlug)]))
) as Readonly<Record<CommandSlug, JsonSchema.JsonSchema>>

/** The schema for a device that takes no power. */
const withoutPower = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  const { allOf: _, properties, ...rest } = schema
  const { targetPowerW: __, ...others } = properties as Fields
  return freeze({ ...rest, properties: others })
}

const powerlessSchemas = Object.freeze(
  Object.fromEntries(
    Object.entries(inputSchemas).map(([type, schema]) => [
      type,
      isPowerCommand(type as CommandSlug) ? withoutPower(schema) : schema
    ])
  )
) as Readonly<Record<CommandSlug, JsonSchema.JsonSchema>>

/**
 * The command as an entry of `availableCommands`, without the limits of a device. `confirmWithin` is in seconds. Its input has
 * `targetPowerW` only for a device that takes it.
 */
export const commandType = (slug: CommandSlug, confirmWithin: number, withPower = false): CommandType => ({
  slug,
  description: commandTypes[slug],
  inputSchema: (withPower ? inputSchemas : powerlessSchemas)[slug],
  confirmWithin
})

/** The part of a device that limits its commands. */
export interface LimitedDevice {
  readonly staticState?: object | null | undefined
}

const knownModes = (modes: unknown) => {
  const known = Array.isArray(modes) ? modes.filter((mode) => typeof mode === "string" && mode !== "unknown") : []
  return known.length === 0 ? undefined : { enum: known as ReadonlyArray<string> }
}

const range = (minimum: unknown, maximum: unknown) =>
  typeof minimum === "number" || typeof maximum === "number"
    ? {
        ...(typeof minimum === "number" ? { minimum } : {}),
        ...(typeof maximum === "number" ? { maximum } : {})
      }
    : undefined

/**
 * The limits that a device sets to the fields of a command's input, as keywords of JSON Schema; undefined without any. A mode
 * that the device does not list is not allowed, unless it lists none.
 */
export const commandLimits = (type: CommandSlug, { staticState }: LimitedDevice): CommandLimits | undefined => {
  if (takesTargetPower(type, staticState)) {
    const limits = targetPowerLimits(type, staticState)
    return Object.keys(limits).length === 0 ? undefined : { targetPowerW: limits }
  }
  if (type !== "thermostat:set-operating-mode" && type !== "thermostat:set-fan-mode") return undefined
  const known = (staticState ?? {}) as Fields
  const limits =
    type === "thermostat:set-fan-mode"
      ? { fanMode: knownModes(known.allowedFanModes) }
      : {
          operatingMode: knownModes(known.allowedModes),
          heatTarget: range(known.minHeatSetpoint, known.maxHeatSetpoint),
          coolTarget: range(known.minCoolSetpoint, known.maxCoolSetpoint)
        }
  const set = Object.entries(limits).filter(([, limit]) => limit !== undefined)
  return set.length === 0 ? undefined : (Object.fromEntries(set) as CommandLimits)
}

const rangeMessage = ({ minimum, maximum }: CommandLimits[string]) => {
  if (minimum === undefined) return `Must be at most ${maximum} on this device`
  return maximum === undefined
    ? `Must be at least ${minimum} on this device`
    : `Must be from ${minimum} to ${maximum} on this device`
}

const powerProblem = (power: number, { maximum, minimum }: PowerRange): string | undefined =>
  power < (minimum ?? power) || power > (maximum ?? power)
    ? rangeMessage({ ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }) })
    : undefined

const powerRestrictions = (type: CommandSlug, input: Fields, { staticState }: LimitedDevice): Details => {
  const power = input.targetPowerW
  if (typeof power !== "number") return {}
  const problem = takesTargetPower(type, staticState)
    ? powerProblem(power, ratedPower(type, input.operatingMode, staticState))
    : "Must be absent: this device takes no power"
  return problem === undefined ? {} : { "input.targetPowerW": problem }
}

/** A message for each field of a valid input that exceeds the limits of a device, by its path such as `input.heatTarget`. */
export const restrictions = (type: CommandSlug, input: Fields, device: LimitedDevice): Details => {
  if (isPowerCommand(type)) return powerRestrictions(type, input, device)
  const details: Details = {}
  for (const [field, limit] of Object.entries(commandLimits(type, device) ?? {})) {
    const value = input[field]
    if (typeof value === "string" && limit.enum !== undefined && !limit.enum.includes(value))
      details[`input.${field}`] = `Must be one of ${limit.enum.join(", ")} on this device`
    if (typeof value === "number" && (value < (limit.minimum ?? value) || value > (limit.maximum ?? value)))
      details[`input.${field}`] = rangeMessage(limit)
  }
  return details
}

/** Whether `revertAfter` is allowed: where the settings from before can be restored. */
export const mayRevert = (type: CommandSlug, input: Fields): boolean =>
  type === "battery:set-operating-mode"
    ? input.operatingMode !== "reset"
    : type === "charger:set-operating-mode" || type === "vehicle:set-operating-mode"

/** Whether a command forces a mode that ends: a battery's mode always, starting and stopping a charge if it is to revert. */
export const isForcedMode = (type: CommandSlug, input: Fields, revertAfter: number | null | undefined): boolean =>
  mayRevert(type, input) && (type === "battery:set-operating-mode" || typeof revertAfter === "number")
