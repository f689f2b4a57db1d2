import type { LatestState, ReadingBatch, ResolvedReading } from "./readingBatch.ts"

/**
 * What became of a reading: it is stored; its device already has one of that time; its device belongs to no workspace
 * any more; the database does not take it.
 */
export type Outcome = "stored" | "duplicate" | "gone" | "refused"

export interface Written {
  /** In the order of the readings. */
  readonly outcomes: ReadonlyArray<Outcome>
  /** The newest reading of a device that was just written to. */
  readonly latest: (deviceId: string) => LatestState | undefined
}

/** What became of the offered readings of a batch. Lists that would name everything are left out. */
export interface BatchAnswer {
  /** Ids of the readings that were stored, null when all were. */
  readonly stored: ReadonlyArray<string> | null
  /** Ids of the devices that belong to a workspace, null when all do. */
  readonly associated: ReadonlyArray<string> | null
  /** Current states that are not what the batch offered: the device had a newer reading, or that one before. */
  readonly elsewhere: ReadonlyArray<LatestState & { readonly deviceId: string }> | null
}

/** Tells what became of any readings of a batch. */
export const writtenOf = ({ newest, repeats }: Pick<ReadingBatch, "newest" | "repeats">, answer: BatchAnswer) => {
  const stored = answer.stored && new Set(answer.stored)
  const associated = answer.associated && new Set(answer.associated)
  const elsewhere = new Map(answer.elsewhere?.map((state) => [state.deviceId, state]))
  const latest = (deviceId: string) => elsewhere.get(deviceId) ?? newest.get(deviceId)
  const outcomeOf = ({ id, deviceId }: ResolvedReading): Outcome => {
    if ((stored === null || stored.has(id)) && !repeats.has(id)) return "stored"
    return associated === null || associated.has(deviceId) ? "duplicate" : "gone"
  }
  const isWhole = stored === null && repeats.size === 0
  const outcomes = (readings: ReadonlyArray<ResolvedReading>): Written["outcomes"] =>
    isWhole ? readings.map(() => "stored") : readings.map(outcomeOf)
  return (readings: ReadonlyArray<ResolvedReading>): Written => ({ outcomes: outcomes(readings), latest })
}

export const nothing: Written = { outcomes: [], latest: () => undefined }

export const refused: Written = { outcomes: ["refused"], latest: () => undefined }

export const joined = (before: Written, after: Written): Written => ({
  outcomes: [...before.outcomes, ...after.outcomes],
  latest: (deviceId) => after.latest(deviceId) ?? before.latest(deviceId)
})
