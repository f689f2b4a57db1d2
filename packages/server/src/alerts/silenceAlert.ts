import type { RaisedAlert } from "./raisedAlert.ts"

/** The service itself, as the source of an alert and as who resolves it. */
export const OURSELVES = "edp"

const type = "COMMUNICATIONS"

interface Silent {
  readonly deviceId: string
  readonly workspaceId: string
  /** Time of the newest reading. */
  readonly at: Date
  /** How long readings count, in milliseconds. */
  readonly window: number
}

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000]
] as const

/** `90 minutes`: in the largest unit of which it is a whole number. */
const inWords = (milliseconds: number) => {
  const [unit, length] = units.find(([, length]) => milliseconds % length === 0) ?? units[3]
  const n = Math.round(milliseconds / length)
  return `${n} ${unit}${n === 1 ? "" : "s"}`
}

/** The alert of a device that fell silent. */
export const silenceAlert = ({ deviceId, workspaceId, at, window }: Silent): RaisedAlert => ({
  workspaceId,
  deviceId,
  sourceSystem: OURSELVES,
  type,
  severity: "WARNING",
  title: "Device is offline",
  description: `The newest reading is of ${at.toISOString()}. A device of this manufacturer is expected to report within ${inWords(window)}.`
})

/** What resolves it. */
export const silenceOver = (deviceId: string) => ({ deviceId, sourceSystem: OURSELVES, type }) as const
