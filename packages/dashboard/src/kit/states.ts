import type { Alert } from "@edp/domain/alerts/Alert"
import type { DeliveryStatus } from "@edp/domain/destinations/Delivery"
import type { OnlineStatus } from "@edp/domain/devices/DeviceType"
import type { DispatchStatus } from "@edp/domain/dispatches/Dispatch"
import type { ProgramInstanceStatus } from "@edp/domain/programs/ProgramInstance"
import type { State } from "./components.tsx"

/** The looks of severities and statuses that several pages show. */
export const severityStates: Readonly<Record<Alert["severity"], State>> = {
  CRITICAL: "bad",
  WARNING: "warn",
  INFO: "info"
}

export const onlineStates: Readonly<Record<OnlineStatus, State>> = {
  online: "good",
  asleep: "info",
  offline: "bad",
  unknown: "plain"
}

export const deliveryStates: Readonly<Record<DeliveryStatus, State>> = {
  pending: "info",
  succeeded: "good",
  failed: "bad",
  superseded: "plain"
}

export const dispatchStates: Readonly<Record<DispatchStatus, State>> = {
  draft: "plain",
  scheduled: "info",
  running: "good",
  completed: "plain",
  cancelled: "bad"
}

export const instanceStates: Readonly<Record<ProgramInstanceStatus, State>> = {
  ACTIVE: "good",
  INACTIVE: "warn",
  ARCHIVED: "plain"
}
