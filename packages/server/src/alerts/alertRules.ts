import { AlertSeverity } from "@edp/domain/alerts/Alert"
import {
  type AlertRule,
  type AlertRules,
  everyAlert,
  type SaveAlertConfiguration
} from "@edp/domain/alerts/AlertConfiguration"

type Rule<Value extends string> = { readonly mode: "SHOW" | "HIDE"; readonly values: ReadonlyArray<Value> } | null

const distinct = <Value extends string>(rule: Rule<Value> | undefined): Rule<Value> =>
  rule ? { mode: rule.mode, values: [...new Set(rule.values)] } : null

/** The rules as they are kept: none where one is left out, each value once. */
export const wholeRules = (input: SaveAlertConfiguration): AlertRules => ({
  minimumSeverity: input.minimumSeverity ?? everyAlert.minimumSeverity,
  types: distinct(input.types),
  subtypes: distinct(input.subtypes),
  sourceSystems: distinct(input.sourceSystems)
})

/**
 * The values that a rule shows; undefined where it is better said which it hides. Where most of the words are hidden, the
 * database estimates what is left by what is shown alone, and it must know that it is little.
 */
export const shownBy = (rule: AlertRule, words: ReadonlyArray<string> = []): ReadonlyArray<string> | undefined => {
  if (rule.mode === "SHOW") return rule.values
  const hidden = new Set<string>(rule.values)
  return hidden.size * 2 > words.length && words.length > 0 ? words.filter((word) => !hidden.has(word)) : undefined
}

/** The severities from a least one on, the gravest first; undefined where all are. */
export const severitiesFrom = (
  minimum: AlertRules["minimumSeverity"]
): ReadonlyArray<(typeof AlertSeverity.literals)[number]> | undefined => {
  const gravestFirst = AlertSeverity.literals
  const count = minimum === null ? gravestFirst.length : gravestFirst.indexOf(minimum) + 1
  return count === gravestFirst.length ? undefined : gravestFirst.slice(0, count)
}
