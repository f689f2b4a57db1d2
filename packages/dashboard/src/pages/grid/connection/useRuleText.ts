import type { GridRule } from "@edp/domain/grid/GridProgram"
import { formatNumber } from "../../../i18n/format.ts"
import { useLanguage, useMessages } from "../../../i18n/useMessages.ts"
import { useInputText } from "../../../kit/commands/CommandItem.tsx"

/** A rule in words: when it counts, and what devices do then. */
export const useRuleText = () => {
  const t = useMessages("grid")
  const { types } = useMessages("devices")
  const language = useLanguage()
  const inputText = useInputText()
  const number = (value: number) => formatNumber(language, value, 6)
  const condition = ({ maximum, minimum, payloadType }: GridRule) => {
    if (minimum === undefined && maximum === undefined) return t.anyValue({ type: payloadType })
    if (minimum === undefined) return t.valuesTo({ type: payloadType, maximum: number(maximum!) })
    if (maximum === undefined) return t.valuesFrom({ type: payloadType, minimum: number(minimum) })
    return minimum === maximum
      ? `${payloadType} ${number(minimum)}`
      : t.valuesBetween({ type: payloadType, minimum: number(minimum), maximum: number(maximum) })
  }
  const effect = ({ actions, chargeState, share }: GridRule) => {
    if (share !== undefined) return t.shareEffects[share]
    if (chargeState !== undefined) return t.chargeEffects[chargeState]
    return Object.entries(actions ?? {})
      .map(
        ([type, action]) =>
          `${types[type as keyof typeof types]}: ${inputText(action as Readonly<Record<string, unknown>>)}`
      )
      .join("; ")
  }
  return (rule: GridRule) => ({ condition: condition(rule), effect: effect(rule) })
}
