import { AlertSeverity } from "@edp/domain/alerts/AlertStatus"
import type { AlertRule, AlertRules } from "@edp/domain/alerts/AlertConfiguration"

const passes = (rule: AlertRule | null, value: string | null) => {
  if (rule === null) return true
  const isNamed = value !== null && (rule.values as ReadonlyArray<string>).includes(value)
  return rule.mode === "SHOW" ? isNamed : !isNamed
}

interface Ruled {
  readonly severity: (typeof AlertSeverity.literals)[number]
  readonly type: string
  readonly subtype: string | null
  readonly sourceSystem: string
}

/** Whether the lists of a workspace show an alert. */
export const isShownBy =
  ({ minimumSeverity, sourceSystems, subtypes, types }: AlertRules) =>
  ({ severity, sourceSystem, subtype, type }: Ruled): boolean => {
    const mostSevereFirst = AlertSeverity.literals
    return (
      (minimumSeverity === null || mostSevereFirst.indexOf(severity) <= mostSevereFirst.indexOf(minimumSeverity)) &&
      passes(types, type) &&
      passes(subtypes, subtype) &&
      passes(sourceSystems, sourceSystem)
    )
  }
