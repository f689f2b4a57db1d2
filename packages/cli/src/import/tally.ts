import type { RowResult } from "./FileRow.ts"

const KEPT_FAILURES = 20

/** How many rows went which way, and the first of those that failed. */
export interface Tally {
  readonly created: number
  readonly exists: number
  readonly valid: number
  readonly failed: number
  /** Of the created and the existing ones: those that an earlier run told of. */
  readonly earlier: number
  readonly failures: ReadonlyArray<RowResult>
}

export const nothingTallied: Tally = { created: 0, exists: 0, valid: 0, failed: 0, earlier: 0, failures: [] }

export const addResults = (tally: Tally, results: ReadonlyArray<RowResult>, earlier: number): Tally => {
  const count = (status: RowResult["status"]) => results.filter((result) => result.status === status).length
  const failed = results.filter(({ status }) => status === "failed")
  return {
    created: tally.created + count("created"),
    exists: tally.exists + count("exists"),
    valid: tally.valid + count("valid"),
    failed: tally.failed + failed.length,
    earlier: tally.earlier + earlier,
    failures:
      tally.failures.length < KEPT_FAILURES ? [...tally.failures, ...failed].slice(0, KEPT_FAILURES) : tally.failures
  }
}

export const settledIn = ({ created, exists, failed, valid }: Tally) => created + exists + failed + valid
