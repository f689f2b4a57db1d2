import { AlertStatus } from "@edp/domain/alerts/AlertStatus"

/** Alerts that are not over, which the fleet and the sites count. */
export const UNRESOLVED = "OPEN,ACKNOWLEDGED"

/** The choices of the filter by status, as the address has them. */
export const alertStatusChoices = ["all", UNRESOLVED, ...AlertStatus.literals] as const
export type AlertStatusChoice = (typeof alertStatusChoices)[number]

/** The statuses of a choice; undefined lists every status. */
export const statusesFor = (choice: AlertStatusChoice): ReadonlyArray<AlertStatus> | undefined => {
  if (choice === "all") return undefined
  return choice === UNRESOLVED ? ["OPEN", "ACKNOWLEDGED"] : [choice]
}
