import type { DeviceConnection } from "@edp/domain/dashboard/DeviceConnection"
import type { OnlineStatus } from "@edp/domain/devices/DeviceType"
import type { State } from "../../kit/components.tsx"

/**
 * The statuses that the page may show. `unanswered`: within its window, but the latest attempt to read it has failed. `last_known`: the
 * page hears nothing from the service, so that it knows the former status alone.
 */
export type ShownStatus = OnlineStatus | "unanswered" | "last_known"

/** The looks of each status. A device that does not respond is never green. */
export const shownStates: Readonly<Record<ShownStatus, State>> = {
  online: "good",
  asleep: "info",
  offline: "bad",
  unknown: "plain",
  unanswered: "warn",
  last_known: "plain"
}

interface Observed {
  readonly onlineStatus: OnlineStatus
  readonly lastOnlineAt: string | null
}

const isAfter = (time: string | null | undefined, other: string | null) => (time ?? "") > (other ?? "")

/** The seconds after a reading within which the device counts as online; undefined if the connection does not tell. */
const onlineWindowMs = ({ lastOnlineAt, onlineUntil }: DeviceConnection) =>
  lastOnlineAt === null || onlineUntil === null ? undefined : Date.parse(onlineUntil) - Date.parse(lastOnlineAt)

/**
 * The status of a device that was online when it was read. It is not shown as online when its window has passed since, when the latest
 * attempt to read it has failed, or while the page hears nothing.
 */
export const findShownStatus = (
  { lastOnlineAt, onlineStatus }: Observed,
  connection: DeviceConnection | undefined,
  now: number,
  isFollowing: boolean
): ShownStatus => {
  if (onlineStatus !== "online") return onlineStatus
  if (connection !== undefined) {
    const window = onlineWindowMs(connection)
    if (window !== undefined && lastOnlineAt !== null && now > Date.parse(lastOnlineAt) + window) return "offline"
    const isSame = !isAfter(lastOnlineAt, connection.lastOnlineAt)
    if (isSame && connection.onlineStatus === "offline") return "offline"
    if (isAfter(connection.account?.lastError?.at, lastOnlineAt)) return "unanswered"
  }
  return isFollowing ? "online" : "last_known"
}

/** Why a device is not reached, the reason first that keeps the others from being seen. */
export type Cause =
  | "sign_in"
  | "disconnected"
  | "paused"
  | "setup"
  | "network"
  | "manufacturer"
  | "source"
  | "silent"
  | "never"

/** Failures that the settings of the account or of the device cause. */
const setupFailures: ReadonlySet<string> = new Set([
  "misconfigured",
  "refused",
  "token_refused",
  "pairing_required",
  "scope_missing",
  "plan_required",
  "terms_not_accepted"
])

const causeByFailure = (failure: string): Cause => {
  if (setupFailures.has(failure)) return "setup"
  return failure === "unreachable" || failure === "asleep" ? "network" : "manufacturer"
}

/** The cause of what is wrong with the connection of a device; undefined if nothing is. */
export const findCause = (connection: DeviceConnection): Cause | undefined => {
  const { account, disconnectedAt, isDirect, isUnreachable, onlineStatus } = connection
  if (account?.status === "failed") return "sign_in"
  if (disconnectedAt !== null || account?.status === "disconnected") return "disconnected"
  const isReached = onlineStatus === "online" || onlineStatus === "asleep"
  if (account !== null && account.lastError !== null) return causeByFailure(account.lastError.failure)
  if (isReached) return undefined
  if (account !== null && account.pausedUntil !== null) return "paused"
  if (isUnreachable) return "network"
  if (onlineStatus === "unknown") return "never"
  return isDirect || account === null ? "source" : "silent"
}
