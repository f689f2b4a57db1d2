import type { DispatchActions, DispatchedType } from "@edp/domain/dispatches/Dispatch"
import type { GridOutcome } from "@edp/domain/grid/GridEvent"
import type { GridRule } from "@edp/domain/grid/GridProgram"
import { alertTypes, signalTypes } from "@edp/domain/openadr/payloadTypes"
import type { EventPayloadDescriptor, ValuesMap } from "@edp/domain/openadr/values"

/** The meaning of a payload for devices, before it is known how many of them share a power. */
export type Directive =
  | { readonly kind: "actions"; readonly actions: DispatchActions }
  /** The power that all devices of the type consume together, W. */
  | {
      readonly kind: "share"
      readonly type: Extract<DispatchedType, "battery" | "charger" | "vehicle">
      readonly watts: number
    }

/** The outcome of a payload. */
export interface Judged {
  readonly payloadType: string
  readonly outcome: GridOutcome
  readonly detail: string | null
  readonly directive?: Directive
}

const signals: ReadonlySet<string> = new Set(signalTypes)
const alerts: ReadonlySet<string> = new Set(alertTypes)
/** Payload types of which 0 means normal operation, without a rule. */
const levels = new Set(["SIMPLE", "CONTROL_LEVEL_OFFSET", "CONTROL_LEVEL_OFFSET_PERCENT"])

const fits = ({ maximum = Infinity, minimum = -Infinity, payloadType }: GridRule, type: string, value: unknown) =>
  payloadType === type &&
  (typeof value === "number" ? value >= minimum && value <= maximum : minimum === -Infinity && maximum === Infinity)

const unfit = (payloadType: string, detail: string): Judged => ({ payloadType, outcome: "unfit_value", detail })

/** The watts of a power in a unit; undefined for a unit that is none of power. KW is the usual one. */
const toWatts = (value: number, units: string | null | undefined) =>
  units === undefined || units === null || units === "KW" ? value * 1000 : units === "W" ? value : undefined

const shared = (rule: GridRule, type: string, value: unknown, units: string | null | undefined): Judged => {
  if (typeof value !== "number") return unfit(type, "The value is no number")
  const watts = toWatts(value, units)
  if (watts === undefined) return unfit(type, `The unit is ${units}, not KW`)
  if (rule.share !== "battery" && watts < 0) return unfit(type, "Only batteries deliver power")
  return {
    payloadType: type,
    outcome: "dispatched",
    detail: null,
    directive: { kind: "share", type: rule.share!, watts }
  }
}

const charged = (rule: GridRule, type: string, value: unknown, units: string | null | undefined): Judged => {
  if (units !== undefined && units !== null && units !== "PERCENT")
    return unfit(type, `The unit is ${units}, not PERCENT`)
  if (typeof value !== "number" || value < 0 || value > 1) {
    return unfit(type, "The value is no state of charge from 0.0 to 1.0")
  }
  const percent = Math.round(value * 1000) / 10
  const isCharge = rule.chargeState === "charge"
  if (isCharge ? percent === 0 : percent === 100)
    return unfit(type, `${percent} percent leaves nothing to ${rule.chargeState}`)
  const battery = isCharge
    ? ({ operatingMode: "charge", maximumBatteryReserve: percent, enableGridInteraction: true } as const)
    : ({ operatingMode: "discharge", minimumBatteryReserve: percent, enableGridInteraction: true } as const)
  return {
    payloadType: type,
    outcome: "dispatched",
    detail: null,
    directive: { kind: "actions", actions: { battery } }
  }
}

const judgeOne = (
  { type, values }: ValuesMap,
  rules: ReadonlyArray<GridRule>,
  units: ReadonlyMap<string, string | null | undefined>
): Judged => {
  if (alerts.has(type)) return { payloadType: type, outcome: "alert", detail: alertText(values) }
  const [value] = values
  const rule = rules.find((each) => fits(each, type, value))
  if (rule !== undefined) {
    if (rule.share !== undefined) return shared(rule, type, value, units.get(type))
    if (rule.chargeState !== undefined) return charged(rule, type, value, units.get(type))
    return {
      payloadType: type,
      outcome: "dispatched",
      detail: null,
      directive: { kind: "actions", actions: rule.actions! }
    }
  }
  if (signals.has(type)) return { payloadType: type, outcome: "signal", detail: null }
  if (levels.has(type) && value === 0) return { payloadType: type, outcome: "normal", detail: null }
  return { payloadType: type, outcome: "no_rule", detail: null }
}

const DETAIL_LENGTH = 1000

const alertText = (values: ValuesMap["values"]) => {
  const text = values.filter((value) => typeof value === "string").join(" ")
  return text === "" ? null : text.slice(0, DETAIL_LENGTH)
}

/** The units of payloads: those that the event states go before those of its program. */
export const payloadUnits = (
  ...descriptors: ReadonlyArray<ReadonlyArray<Pick<EventPayloadDescriptor, "payloadType" | "units">> | null | undefined>
): ReadonlyMap<string, string | null | undefined> =>
  new Map(
    descriptors
      .toReversed()
      .flatMap((list) => (list ?? []).map(({ payloadType, units }) => [payloadType, units] as const))
  )

/** Judges the payloads of an interval. The first one that means something for devices counts for them. */
export const judge = (
  payloads: ReadonlyArray<ValuesMap>,
  rules: ReadonlyArray<GridRule>,
  units: ReadonlyMap<string, string | null | undefined>
): { readonly judged: ReadonlyArray<Judged>; readonly directive: Directive | undefined } => {
  const judged = payloads.map((payload) => judgeOne(payload, rules, units))
  return { judged, directive: judged.find(({ directive }) => directive !== undefined)?.directive }
}
