import { type AlertGroups, type AlertRules, passesRule, passesSeverity } from "@edp/domain/alerts/AlertConfiguration"

export type RuleName = keyof AlertRules

/** How many present alerts each rule hides by itself, and how many all rules show together. */
export interface Preview {
  readonly hidden: Readonly<Record<RuleName, number>>
  readonly shown: number
  readonly total: number
}

/** Applies rules to the present alerts as the service does with its lists. */
export const previewRules = (rules: AlertRules, { groups, total }: AlertGroups): Preview => {
  const hidden = { minimumSeverity: 0, types: 0, subtypes: 0, sourceSystems: 0 }
  let shown = total
  for (const { count, severity, sourceSystem, subtype, type } of groups) {
    const passes = {
      minimumSeverity: passesSeverity(rules.minimumSeverity, severity),
      types: passesRule(rules.types, type),
      subtypes: passesRule(rules.subtypes, subtype),
      sourceSystems: passesRule(rules.sourceSystems, sourceSystem)
    }
    let isShown = true
    for (const name of Object.keys(passes) as ReadonlyArray<RuleName>) {
      if (passes[name]) continue
      hidden[name] += count
      isShown = false
    }
    if (!isShown) shown -= count
  }
  return { hidden, shown, total }
}
