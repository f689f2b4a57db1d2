/**
 * What was last found of a device that is expected to speak: it does; it fell silent; it fell silent again soon after it
 * had been heard; it is heard again after that.
 */
export type Phase = "online" | "silent" | "unsteady" | "settling"

/** A device to look at, as it is now. */
export interface Watched {
  readonly deviceId: string
  readonly phase: Phase
  /** When it was heard again after its last alert; null when it had none, or has been calm since. */
  readonly since: Date | null
  /** Time of its newest reading when it was found silent. */
  readonly heardAt: Date | null
  /** Null when the device is deleted or belongs to no workspace. */
  readonly workspaceId: string | null
  readonly connected: boolean
  /** Its newest reading; null when it has none. */
  readonly readingId: string | null
  readonly at: Date | null
  readonly asleep: boolean
  /** How long its readings count, in milliseconds, and until when the newest does. */
  readonly window: number
  readonly offlineAt: Date | null
}

/** What to write down of a device; `checkAt` null: nothing to be seen until it is heard. */
export interface Watch {
  readonly phase: Phase
  readonly since: Date | null
  readonly heardAt: Date | null
  readonly checkAt: Date | null
}

export type Verdict =
  /** Nothing has happened. */
  | { readonly kind: "same"; readonly watch: Watch }
  /** It fell silent, or did so once more. */
  | { readonly kind: "fell"; readonly watch: Watch }
  /** What was wrong is over. */
  | { readonly kind: "recovered"; readonly watch: Watch }
  /** It is not expected to speak any more. */
  | { readonly kind: "left" }

/**
 * An alert needs a silence that is longer than the window by a thirtieth of it, 30 seconds of 15 minutes: a device that
 * reports just in time and is a little late raises none.
 */
const patienceOf = (window: number) => window / 30

/** A device that falls silent again within so many windows after it was heard is unsteady, and calm after as many. */
const CALM_WINDOWS = 4

/** A shorter window, set meanwhile, is noticed after so many milliseconds at the latest. */
const LONGEST_WAIT = 3_600_000

const after = (date: Date, milliseconds: number) => new Date(date.getTime() + milliseconds)

const earliest = (...dates: ReadonlyArray<Date>) => new Date(Math.min(...dates.map((date) => date.getTime())))

/** Looks at a device that is expected to speak and has a reading. */
const judgeHeard = (watched: Watched, at: Date, offlineAt: Date, now: Date): Verdict => {
  const { phase, since, heardAt, asleep, window } = watched
  const silentAt = after(offlineAt, patienceOf(window))
  const calmAt = since === null ? null : after(since, CALM_WINDOWS * window)
  const isUnsteady = phase === "unsteady" || phase === "settling" || (calmAt !== null && silentAt < calmAt)
  const next = (phase: Phase, since: Date | null, ...others: ReadonlyArray<Date>): Watch => ({
    phase,
    since,
    heardAt: null,
    checkAt: earliest(silentAt, after(now, LONGEST_WAIT), ...others)
  })

  if (heardAt !== null && at.getTime() === heardAt.getTime()) {
    return { kind: "same", watch: { phase, since, heardAt, checkAt: null } }
  }
  // Readings do not go back: it was removed, and brought back with another history.
  if (heardAt !== null && at < heardAt) return { kind: "left" }
  if (silentAt <= now) {
    if (asleep) return { kind: "left" }
    return {
      kind: "fell",
      watch: { phase: isUnsteady ? "unsteady" : "silent", since: null, heardAt: at, checkAt: null }
    }
  }
  if (phase === "silent") return { kind: "recovered", watch: next("online", now) }
  if (phase === "unsteady") return { kind: "same", watch: next("settling", now, after(now, CALM_WINDOWS * window)) }
  const isCalm = calmAt !== null && calmAt <= now
  if (phase === "online") return { kind: "same", watch: next("online", isCalm ? null : since) }
  return isCalm
    ? { kind: "recovered", watch: next("online", null) }
    : { kind: "same", watch: next("settling", since, calmAt ?? now) }
}

export const judge = (watched: Watched, now: Date): Verdict => {
  const { workspaceId, connected, at, offlineAt } = watched
  const isExpected = workspaceId !== null && connected && at !== null && offlineAt !== null
  return isExpected ? judgeHeard(watched, at, offlineAt, now) : { kind: "left" }
}
