import {
  type CreateDispatch,
  type DispatchAction,
  type DispatchedType,
  baselineMethods,
  dispatchedTypes
} from "@edp/domain/dispatches/Dispatch"
import { Clock, Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { usage } from "../../kernel/CliFailure.ts"
import { durationFlag, toSeconds } from "../../kernel/durationFlag.ts"
import { bodyText } from "../../kernel/files.ts"
import { json, parseObject, text } from "../../kernel/flags.ts"
import { given } from "../../kernel/paging.ts"
import { parseMode } from "../schedules/ruleText.ts"

const mode = (type: DispatchedType, example: string) => text(type, `Mode of each ${type}, such as ${example}`)

const power = (type: DispatchedType, meaning: string) =>
  Flag.Finite(`${type}-power`).pipe(
    Flag.withDescription(`Power of each ${type} instead of a mode, W: ${meaning}`),
    Flag.optional
  )

/** The flags of a dispatch with one interval. */
export const intervalFlags = {
  start: text("start", "Start: an instant such as 2026-07-14T17:00:00-07:00, or a time from now such as 30m"),
  duration: durationFlag("duration", "Length, such as 2h"),
  battery: mode("battery", "discharge, charge, idle or 'discharge minimumBatteryReserve=20'"),
  batteryPower: power("battery", "positive discharges, negative (--battery-power=-2000) charges, 0 holds it idle"),
  charger: mode("charger", "stop-charging"),
  chargerPower: power("charger", "0 stops charging"),
  vehicle: mode("vehicle", "stop-charging"),
  vehiclePower: power("vehicle", "0 stops charging"),
  thermostat: mode("thermostat", "'cool coolTarget=78'")
}

export const settingFlags = {
  nominatedPowerW: Flag.Finite("nominated-power").pipe(
    Flag.withDescription("Reduction that is promised for all sites together, W"),
    Flag.optional
  ),
  randomizeStartSeconds: durationFlag("random-start", "Each site begins at a random delay of up to this, such as 5m"),
  priority: Flag.Int("priority").pipe(
    Flag.withDescription("Rank on overlap: 0 is the highest; default: 1"),
    Flag.optional
  ),
  baseline: Flag.Literals("baseline", baselineMethods).pipe(
    Flag.withDescription("Default: device-metered if only batteries act, else x-of-y"),
    Flag.optional
  ),
  parameters: json("baseline-parameters", `Parameters of --baseline, such as '{"x":3,"y":5}'`).pipe(Flag.optional),
  file: text("file", "Body of the request as JSON: FILE, or - for standard input; other flags replace its fields")
}

type Text = Option.Option<string>
type Quantity = Option.Option<number>

export interface BodyFlags {
  readonly start: Text
  readonly duration: Quantity
  readonly battery: Text
  readonly batteryPower: Quantity
  readonly charger: Text
  readonly chargerPower: Quantity
  readonly vehicle: Text
  readonly vehiclePower: Quantity
  readonly thermostat: Text
  readonly nominatedPowerW: Quantity
  readonly randomizeStartSeconds: Quantity
  readonly priority: Quantity
  readonly baseline: Option.Option<(typeof baselineMethods)[number]>
  readonly parameters: Text
  readonly file: Text
}

const parseActions = Effect.fnUntraced(function* (flags: BodyFlags) {
  const powers = {
    battery: flags.batteryPower,
    charger: flags.chargerPower,
    vehicle: flags.vehiclePower,
    thermostat: Option.none<number>()
  }
  const actions: Partial<Record<DispatchedType, DispatchAction>> = {}
  for (const type of dispatchedTypes) {
    const [mode, target] = [flags[type], powers[type]]
    if (Option.isSome(mode) && Option.isSome(target)) {
      return yield* usage(`--${type} and --${type}-power can't be given together`)
    }
    if (Option.isSome(mode)) actions[type] = (yield* parseMode(type, mode.value)) as DispatchAction
    if (Option.isSome(target)) actions[type] = { targetPowerW: target.value }
  }
  return actions
})

const parseStart = Effect.fnUntraced(function* (start: string) {
  const seconds = toSeconds(start)
  return seconds === undefined ? start : new Date((yield* Clock.currentTimeMillis) + seconds * 1000).toISOString()
})

/** The interval that the flags describe; undefined if they describe none. */
const parseInterval = Effect.fnUntraced(function* (flags: BodyFlags) {
  const { duration, file, start } = flags
  const actions = yield* parseActions(flags)
  const acts = Object.keys(actions).length > 0
  if (!acts && Option.isNone(start) && Option.isNone(duration)) return undefined
  if (Option.isSome(file)) {
    return yield* usage("--file has the intervals: --start, --duration and modes can't be given with it")
  }
  if (!acts || Option.isNone(start) || Option.isNone(duration)) {
    return yield* usage(
      "An interval needs --start, --duration and a mode or a power",
      "Such as --start 30m --duration 2h --battery discharge; several intervals are in a --file"
    )
  }
  return { startsAt: yield* parseStart(start.value), durationSeconds: duration.value, actions }
})

const readFile = Effect.fnUntraced(function* (file: Text) {
  if (Option.isNone(file)) return {}
  return yield* parseObject("file", yield* bodyText(file.value === "-" ? "-" : `@${file.value}`))
})

/** The fields of a request that the flags name. The service validates them. */
export const parseBody = Effect.fnUntraced(function* (flags: BodyFlags) {
  const { baseline, file, nominatedPowerW, parameters, priority, randomizeStartSeconds } = flags
  if (Option.isSome(parameters) && Option.isNone(baseline)) {
    return yield* usage("--baseline-parameters needs --baseline")
  }
  const interval = yield* parseInterval(flags)
  return {
    ...((yield* readFile(file)) as Partial<CreateDispatch>),
    ...(interval !== undefined && { intervals: [interval] }),
    ...given({ nominatedPowerW, priority, randomizeStartSeconds }),
    ...(Option.isSome(baseline) && {
      baseline: {
        method: baseline.value,
        ...(Option.isSome(parameters) && { parameters: yield* parseObject("baseline-parameters", parameters.value) })
      }
    })
  }
})
