import type { AlertConfiguration, AlertRule } from "@edp/domain/alerts/AlertConfiguration"

const shown = (rule: AlertRule | null) => {
  if (rule === null) return "all"
  return `${rule.mode === "SHOW" ? "only" : "all but"} ${rule.values.join(", ")}`
}

const severities = (minimum: AlertConfiguration["minimumSeverity"]) =>
  minimum === null || minimum === "INFO" ? "all" : minimum === "WARNING" ? "WARNING, CRITICAL" : minimum

export const configurationFields = (configuration: AlertConfiguration) =>
  [
    ["workspace", configuration.workspaceId],
    ["severities", severities(configuration.minimumSeverity)],
    ["types", shown(configuration.types)],
    ["subtypes", shown(configuration.subtypes)],
    ["source systems", shown(configuration.sourceSystems)],
    [
      "saved",
      configuration.savedAt === null
        ? "nothing: every alert is listed"
        : `${configuration.savedAt} by ${configuration.savedBy}`
    ]
  ] as const
