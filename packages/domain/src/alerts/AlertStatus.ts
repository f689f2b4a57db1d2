import { oneOf } from "../shared/quantities.ts"

export const AlertSeverity = oneOf(["CRITICAL", "WARNING", "INFO"], "Severity").annotate({
  identifier: "AlertSeverity"
})
export const AlertStatus = oneOf(["OPEN", "ACKNOWLEDGED", "IGNORED", "RESOLVED"], "Status of the alert").annotate({
  identifier: "AlertStatus"
})
export type AlertStatus = typeof AlertStatus.Type
