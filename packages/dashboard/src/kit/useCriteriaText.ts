import type { Condition } from "@edp/domain/collections/criteria"
import { useMessages } from "../i18n/useMessages.ts"

/** Criteria in words, such as "type is battery and (tags contains pilot or …)". */
export const useCriteriaText = () => {
  const t = useMessages("collections")
  const text = (condition: Condition, isInside = true): string => {
    if ("not" in condition) return `${t.not} (${text(condition.not, false)})`
    if ("attribute" in condition) {
      const { attribute, operator, value } = condition
      const shown = Array.isArray(value) ? value.join(", ") : String(value)
      const values = operator === "exists" ? (value === true ? t.yes : t.no) : shown
      return `${attribute} ${t.operators[operator]} ${values}`
    }
    const [parts, word] = "all" in condition ? [condition.all, t.and] : [condition.any, t.or]
    const joined = parts.map((part) => text(part)).join(` ${word} `)
    return isInside && parts.length > 1 ? `(${joined})` : joined
  }
  return (condition: Condition) => text(condition, false)
}
