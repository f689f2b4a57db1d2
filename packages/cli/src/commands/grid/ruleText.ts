import {
  type DispatchAction,
  type DispatchActions,
  type DispatchedType,
  dispatchedTypes
} from "@edp/domain/dispatches/Dispatch"
import type { GridRule } from "@edp/domain/grid/GridProgram"
import { Effect } from "effect"
import { usage } from "../../kernel/CliFailure.ts"
import { formatActions } from "../dispatches/actionText.ts"
import { parseMode } from "../schedules/ruleText.ts"

export const RULE_FORM =
  "'PAYLOAD [VALUES]: EFFECT', such as 'SIMPLE 2..: battery discharge, charger stop-charging' or 'DISPATCH_SETPOINT: share battery'"

const number = String.raw`-?\d+(?:\.\d+)?`
const form = new RegExp(
  String.raw`^\s*(?<payloadType>\S.*?)(?:\s+(?<values>${number}(?:\.\.(?:${number})?)?|\.\.${number}))?\s*:\s+(?<effect>.*\S)\s*$`,
  "u"
)
const single = /^(share|chargeState)\s+(\S+)$/u
const power = new RegExp(String.raw`^targetPowerW=(${number})$`, "u")

/** `1` is one value, `1..3` a range, `2..` and `..0` have one bound. */
const parseValues = (values: string | undefined) => {
  if (values === undefined) return {}
  const [from = "", to = from] = values.split("..")
  return { ...(from !== "" && { minimum: Number(from) }), ...(to !== "" && { maximum: Number(to) }) }
}

const isDispatched = (type: string): type is DispatchedType => dispatchedTypes.some((one) => one === type)

const parseActions = Effect.fnUntraced(function* (effect: string) {
  const actions: Partial<Record<DispatchedType, DispatchAction>> = {}
  for (const part of effect.split(",")) {
    const [, type = "", action = ""] = /^\s*(\S*)\s*(.*?)\s*$/u.exec(part)!
    if (!isDispatched(type) || action === "") {
      return yield* usage(
        `--rule: ${JSON.stringify(part.trim())} is no action`,
        `An action is a type of device with a mode or targetPowerW=W: ${dispatchedTypes.join(", ")}.`,
        "Other effects are share TYPE and chargeState charge or discharge."
      )
    }
    if (actions[type] !== undefined)
      return yield* usage(`--rule has two actions for ${type}: ${JSON.stringify(effect)}`)
    const match = power.exec(action)
    actions[type] =
      match === null ? ((yield* parseMode(type, action)) as DispatchAction) : { targetPowerW: Number(match[1]) }
  }
  return actions as DispatchActions
})

/** Parses `SIMPLE 1: charger stop-charging`. The service validates the rule. */
export const parseRule = Effect.fnUntraced(function* (text: string) {
  const { effect, payloadType, values } = form.exec(text)?.groups ?? {}
  if (payloadType === undefined || effect === undefined) {
    return yield* usage(`--rule must be ${RULE_FORM}, not ${JSON.stringify(text)}`)
  }
  const match = single.exec(effect)
  const meaning = match === null ? { actions: yield* parseActions(effect) } : { [match[1]!]: match[2]! }
  return { payloadType, ...parseValues(values), ...meaning } as GridRule
})

const formatValues = ({ maximum, minimum }: GridRule) => {
  if (minimum === undefined && maximum === undefined) return ""
  return minimum === maximum ? ` ${minimum}` : ` ${minimum ?? ""}..${maximum ?? ""}`
}

const formatEffect = ({ actions, chargeState, share }: GridRule) => {
  if (share !== undefined) return `share ${share}`
  return chargeState === undefined ? formatActions(actions ?? {}, ", ") : `chargeState ${chargeState}`
}

/** A rule as `parseRule` reads it. */
export const formatRule = (rule: GridRule): string => `${rule.payloadType}${formatValues(rule)}: ${formatEffect(rule)}`
