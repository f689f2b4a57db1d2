import { AlertSeverity } from "@edp/domain/alerts/AlertStatus"
import {
  type AlertRule,
  type AlertRules,
  everyAlert,
  type SaveAlertConfiguration
} from "@edp/domain/alerts/AlertConfiguration"

type Rule<Value extends string> = { readonly mode: "SHOW" | "HIDE"; readonly values: ReadonlyArray<Value> } | null

const distinct = <Value extends string>(rule: Rule<Value> | undefined): Rule<Value> =>
  rule ? { mode: rule.mode, values: [...new Set(rule.values)] } : null

/** The rules as they are stored: null where one is absent, each value once. */
export const wholeRules = (input: SaveAlertConfiguration): AlertRules => ({
  minimumSeverity: input.minimumSeverity ?? everyAlert.minimumSeverity,
  types: distinct(input.types),
  subtypes: distinct(input.subtypes),
  sourceSystems: distinct(input.sourceSystems)
})

/**
 * The values that a rule shows; undefined when the query should exclude the hidden ones instead. When most values are
 * hidden, listing the few shown ones gives the query planner a correct estimate.
 */
export const shownBy = (rule: AlertRule, codes: ReadonlyArray<string> = []): ReadonlyArray<string> | undefined => {
  if (rule.mode === "SHOW") return rule.values
  const hidden = new Set<string>(rule.values)
  return hidden.size * 2 > codes.length && codes.length > 0 ? codes.filter((code) => !hidden.has(code)) : undefined
}

/** The severities from a minimum up, the most severe first; undefined when that is all of them. */
export const severitiesFrom = (
  minimum: AlertRules["minimumSeverity"]
): ReadonlyArray<(typeof AlertSeverity.literals)[number]> | undefined => {
  const mostSevereFirst = AlertSeverity.literals
  const count = minimum === null ? mostSevereFirst.length : mostSevereFirst.indexOf(minimum) + 1
  return count === mostSevereFirst.length ? undefined : mostSevereFirst.slice(0, count)
}
