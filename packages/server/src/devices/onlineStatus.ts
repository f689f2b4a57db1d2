import type { OnlineStatus } from "@edp/domain/devices/DeviceType"

/** What a device's reachability goes by. */
export interface Heard {
  /** Time of the newest reading; null when there is none. */
  readonly at: Date | null
  /** What the source itself said with that reading. */
  readonly reportedStatus: string | null
  /** A reading from this instant on is young enough for the device's manufacturer. */
  readonly onlineSince: Date
}

/** Goes by the readings' times alone, but for a device that said it goes to sleep: it is not expected to speak. */
export const onlineStatusOf = ({ at, reportedStatus, onlineSince }: Heard): OnlineStatus => {
  if (at === null) return "unknown"
  if (reportedStatus === "asleep") return "asleep"
  return at.getTime() >= onlineSince.getTime() ? "online" : "offline"
}
