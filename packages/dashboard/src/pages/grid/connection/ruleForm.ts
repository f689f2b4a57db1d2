import type { CommandType } from "@edp/domain/devices/DeviceType"
import { type DispatchActions, type DispatchedType, dispatchedTypes } from "@edp/domain/dispatches/Dispatch"
import { type GridRule, sharedPayloads, sharingTypes } from "@edp/domain/grid/GridProgram"
import { modeCommand } from "@edp/domain/schedules/Schedule"
import { formInput, type FormValues, typedNumber } from "../../../kit/commands/commandForm.ts"
import { commandOfSlug } from "../../../kit/commands/inputSchemas.ts"
import { modeForm } from "../../../kit/commands/modeForm.ts"

export type SharingType = (typeof sharingTypes)[number]
export type ChargeState = NonNullable<GridRule["chargeState"]>
export type Effect = "actions" | "share" | "chargeState"

/** The action of the devices of a type: nothing, a mode with its fields, or a power. */
export interface ActionForm {
  readonly how: "" | "mode" | "power"
  readonly mode: FormValues
  readonly power: string
}

export interface RuleForm {
  /** Identifies the rule while rules are added, moved and removed. */
  readonly key: number
  readonly payloadType: string
  readonly minimum: string
  readonly maximum: string
  readonly effect: Effect
  readonly share: SharingType
  readonly chargeState: ChargeState
  readonly actions: Readonly<Record<DispatchedType, ActionForm>>
}

const noAction: ActionForm = { how: "", mode: {}, power: "" }

const noActions = Object.fromEntries(dispatchedTypes.map((type) => [type, noAction])) as RuleForm["actions"]

export const newRule = (key: number, payloadType: string): RuleForm =>
  withPayloadType(
    {
      key,
      payloadType: "",
      minimum: "",
      maximum: "",
      effect: "actions",
      share: "battery",
      chargeState: "discharge",
      actions: noActions
    },
    payloadType
  )

/** The effects that a rule for a type of payload can have. */
export const effectsFor = (payloadType: string): ReadonlyArray<Effect> => {
  if (sharedPayloads.some((each) => each === payloadType)) return ["share", "actions"]
  return payloadType === "CHARGE_STATE_SETPOINT" ? ["chargeState", "actions"] : ["actions"]
}

/** The types of devices that can share the power of a type of payload. */
export const sharingFor = (payloadType: string): ReadonlyArray<SharingType> =>
  payloadType === "DISPATCH_SETPOINT_RELATIVE" ? ["battery"] : sharingTypes

/** The rule for another type of payload. An effect that it has no longer gives way to its usual one. */
export const withPayloadType = (rule: RuleForm, payloadType: string): RuleForm => {
  const effects = effectsFor(payloadType)
  const wasUsual = rule.effect === effectsFor(rule.payloadType)[0]
  return {
    ...rule,
    payloadType,
    effect: wasUsual || !effects.includes(rule.effect) ? effects[0]! : rule.effect,
    share: sharingFor(payloadType).includes(rule.share) ? rule.share : "battery"
  }
}

const actionForm = (action: Readonly<Record<string, unknown>> | undefined): ActionForm => {
  if (action === undefined) return noAction
  return "operatingMode" in action
    ? { how: "mode", mode: modeForm(action), power: "" }
    : { how: "power", mode: {}, power: String(action["targetPowerW"]) }
}

export const rulesForm = (rules: ReadonlyArray<GridRule>): ReadonlyArray<RuleForm> =>
  rules.map(({ actions, chargeState, maximum, minimum, payloadType, share }, key) => ({
    ...newRule(key, payloadType),
    minimum: minimum === undefined ? "" : String(minimum),
    maximum: maximum === undefined ? "" : String(maximum),
    effect: share !== undefined ? "share" : chargeState !== undefined ? "chargeState" : "actions",
    ...(share !== undefined && { share }),
    ...(chargeState !== undefined && { chargeState }),
    actions: Object.fromEntries(
      dispatchedTypes.map((type) => [
        type,
        actionForm(actions?.[type] as Readonly<Record<string, unknown>> | undefined)
      ])
    ) as RuleForm["actions"]
  }))

/** The command whose input the modes of a type are. A dispatch restores the settings by itself, so `reset` is no mode of one. */
export const commandOfType = (type: DispatchedType): CommandType => ({
  ...commandOfSlug(modeCommand(type)),
  ...(type === "battery" && { limits: { operatingMode: { enum: ["charge", "discharge", "idle"] } } })
})

/** The fields of a rule that have a wrong value, and why: keys of the messages of the page. */
export interface RuleProblems {
  readonly minimum?: "number"
  readonly maximum?: "number" | "belowFrom"
  readonly actions?: "noAction"
}

const isNumberOrEmpty = (text: string) => text.trim() === "" || typedNumber(text) !== undefined

export const ruleProblems = ({ actions, effect, maximum, minimum }: RuleForm): RuleProblems => {
  const [from, to] = [typedNumber(minimum), typedNumber(maximum)]
  return {
    ...(!isNumberOrEmpty(minimum) && { minimum: "number" as const }),
    ...(!isNumberOrEmpty(maximum)
      ? { maximum: "number" as const }
      : from !== undefined && to !== undefined && to < from && { maximum: "belowFrom" as const }),
    ...(effect === "actions" &&
      Object.values(actions).every(({ how }) => how === "") && { actions: "noAction" as const })
  }
}

/** Why a power is none of a type of devices; undefined if it is one. Only batteries deliver power. */
export const powerProblem = (type: DispatchedType, text: string): "number" | "notNegative" | undefined => {
  const power = typedNumber(text)
  if (power === undefined) return "number"
  return type !== "battery" && power < 0 ? "notNegative" : undefined
}

const toActions = (forms: RuleForm["actions"]): DispatchActions =>
  Object.fromEntries(
    dispatchedTypes.flatMap((type) => {
      const { how, mode, power } = forms[type]
      if (how === "") return []
      const action = how === "mode" ? formInput(commandOfType(type), mode).input : { targetPowerW: typedNumber(power) }
      return [[type, action]]
    })
  )

/** The rules of forms without problems. */
export const toRules = (forms: ReadonlyArray<RuleForm>): ReadonlyArray<GridRule> =>
  forms.map(({ actions, chargeState, effect, maximum, minimum, payloadType, share }) => {
    const [from, to] = [typedNumber(minimum), typedNumber(maximum)]
    return {
      payloadType: payloadType.trim(),
      ...(from !== undefined && { minimum: from }),
      ...(to !== undefined && { maximum: to }),
      ...(effect === "actions" && { actions: toActions(actions) }),
      ...(effect === "share" && { share }),
      ...(effect === "chargeState" && { chargeState })
    }
  })
