import type { RaisedAlert } from "./alertOccurrences.ts"
import { silenceLimits } from "./silenceLimits.ts"
import { Schema } from "effect"

/**
 * The result of the last check of a device that should report: it reports; it is silent; it is silent again soon after it
 * had recovered; it reports again after that.
 */
export type Phase = "online" | "silent" | "unsteady" | "settling"

/** A device to check, with its current state. */
export const Watched = Schema.Struct({
  deviceId: Schema.String,
  phase: Schema.Literals(["online", "silent", "unsteady", "settling"]),
  /** When it reported again after its last alert; null when it had none, or has been stable since. */
  since: Schema.NullOr(Schema.Date),
  /** Time of its newest reading when it was found silent. */
  heardAt: Schema.NullOr(Schema.Date),
  /** Null when the device is deleted or belongs to no workspace. */
  workspaceId: Schema.NullOr(Schema.String),
  connected: Schema.Boolean,
  /** Its newest reading; null when it has none. */
  readingId: Schema.NullOr(Schema.String),
  at: Schema.NullOr(Schema.Date),
  asleep: Schema.Boolean,
  /** Its online window in milliseconds, 0 once it was deleted, and when the window of the newest reading ends. */
  window: Schema.Finite,
  offlineAt: Schema.NullOr(Schema.Date)
})
export type Watched = typeof Watched.Type

/** The state to store; `checkAt` null: no check is due until the device reports. */
export interface Watch {
  readonly phase: Phase
  readonly since: Date | null
  readonly heardAt: Date | null
  readonly checkAt: Date | null
}

export type Verdict =
  /** No change. */
  | { readonly kind: "same"; readonly watch: Watch }
  /** It became silent, perhaps again. */
  | { readonly kind: "fell"; readonly watch: Watch }
  /** The problem is over. */
  | { readonly kind: "recovered"; readonly watch: Watch }
  /** It is no longer expected to report. */
  | { readonly kind: "left" }

/** A thirtieth of the window, 30 seconds for 15 minutes: a device that reports slightly late raises no alert. */
const tolerance = (window: number) => window / 30

/** A device that becomes silent within this number of windows after a recovery is unsteady; afterwards it is stable. */
const STABLE_WINDOWS = 4

const after = (date: Date, milliseconds: number) => new Date(date.getTime() + milliseconds)

const earliest = (...dates: ReadonlyArray<Date>) => new Date(Math.min(...dates.map((date) => date.getTime())))

/** Judges a device that should report and has a reading. */
const judgeHeard = (watched: Watched, at: Date, offlineAt: Date, now: Date): Verdict => {
  const { phase, since, heardAt, asleep, window } = watched
  const silentAt = after(offlineAt, tolerance(window))
  const stableAt = since === null ? null : after(since, STABLE_WINDOWS * window)
  const isUnsteady = phase === "unsteady" || phase === "settling" || (stableAt !== null && silentAt < stableAt)
  const next = (phase: Phase, since: Date | null, ...others: ReadonlyArray<Date>): Watch => ({
    phase,
    since,
    heardAt: null,
    // A reading from the future keeps no device from being checked in time.
    checkAt: earliest(
      silentAt,
      after(now, window + tolerance(window)),
      after(now, silenceLimits.longestWaitSeconds * 1000),
      ...others
    )
  })

  if (heardAt !== null && at.getTime() === heardAt.getTime()) {
    return { kind: "same", watch: { phase, since, heardAt, checkAt: null } }
  }
  // Readings never move back, so the device was removed and added again with another history.
  if (heardAt !== null && at < heardAt) return { kind: "left" }
  if (silentAt <= now) {
    if (asleep) return { kind: "left" }
    return {
      kind: "fell",
      watch: { phase: isUnsteady ? "unsteady" : "silent", since: null, heardAt: at, checkAt: null }
    }
  }
  if (phase === "silent") return { kind: "recovered", watch: next("online", now) }
  if (phase === "unsteady") return { kind: "same", watch: next("settling", now, after(now, STABLE_WINDOWS * window)) }
  const isStable = stableAt !== null && stableAt <= now
  if (phase === "online") return { kind: "same", watch: next("online", isStable ? null : since) }
  return isStable
    ? { kind: "recovered", watch: next("online", null) }
    : { kind: "same", watch: next("settling", since, stableAt ?? now) }
}

export const judge = (watched: Watched, now: Date): Verdict => {
  const { workspaceId, connected, at, offlineAt } = watched
  const isExpected = workspaceId !== null && connected && at !== null && offlineAt !== null
  return isExpected ? judgeHeard(watched, at, offlineAt, now) : { kind: "left" }
}

/** The platform as source system, and as the user who resolves. */
export const PLATFORM = "edp"

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

/** Formats a duration such as `90 minutes`, in the largest unit that gives a whole number. */
const durationText = (milliseconds: number) => {
  const [unit, length] = units.find(([, length]) => milliseconds % length === 0) ?? units[3]
  const n = Math.round(milliseconds / length)
  return `${n} ${unit}${n === 1 ? "" : "s"}`
}

/** The alert for a device that stopped reporting. */
export const silenceAlert = ({ deviceId, workspaceId, at, window }: Silent): RaisedAlert => ({
  workspaceId,
  deviceId,
  sourceSystem: PLATFORM,
  type,
  severity: "WARNING",
  title: "Device is offline",
  description: `The newest reading is of ${at.toISOString()}. A device of this manufacturer is expected to report within ${durationText(window)}.`
})

/** Selects that alert, to resolve it. */
export const silenceOver = (deviceId: string) => ({ deviceId, sourceSystem: PLATFORM, type }) as const
