import { Effect } from "effect"
import { type CheckedRow, failedRow, type GoodRow } from "./checkRow.ts"
import type { RowResult } from "./FileRow.ts"
import type { Recipient } from "./ImportKind.ts"
import type { JournalRow } from "./journalRows.ts"
import { type ReadyRow, rowSender, type SendOptions, settledRow } from "./sendRows.ts"

/** A row with what an earlier run tells of the row at its place. */
export interface Entry<Input> {
  readonly checked: CheckedRow<Input>
  readonly earlier: JournalRow | undefined
}

const LOOKUPS_AT_ONCE = 4

/** What the journal tells of a row, if it is still the same and needs no second try. */
export const knownResult = ({ checked, earlier }: Entry<unknown>): RowResult | undefined => {
  if (!("good" in checked) || earlier === undefined || earlier.status === "failed") return undefined
  return earlier.digest === checked.good.digest ? settledRow(checked.good, earlier.status, earlier.id) : undefined
}

/**
 * Finds out what becomes of the rows of a window: 500 neighbours, always the same ones, so that a window that was on its way
 * when a run was killed is sent by the next run in the very same request.
 */
export const windowSettler = <Input>(recipient: Recipient<Input>, options: SendOptions) => {
  const send = rowSender(recipient, options)

  const prepare = Effect.fnUntraced(function* (good: GoodRow<Input>) {
    const prepared = yield* recipient.prepare(good.input)
    if ("send" in prepared) return { ready: { good, item: prepared.send } satisfies ReadyRow<Input> }
    if ("exists" in prepared) return { result: settledRow(good, "exists", prepared.exists) }
    return { result: failedRow(good, good.referenceId, prepared.problem, options.nameOf) }
  })

  return Effect.fnUntraced(function* (entries: ReadonlyArray<Entry<Input>>) {
    const settled: Array<RowResult> = []
    const open: Array<GoodRow<Input>> = []
    for (const entry of entries) {
      const known = "failed" in entry.checked ? entry.checked.failed : knownResult(entry)
      if (known !== undefined) settled.push(known)
      else if ("good" in entry.checked) open.push(entry.checked.good)
    }
    const prepared = yield* Effect.forEach(open, prepare, { concurrency: LOOKUPS_AT_ONCE })
    const ready = prepared.flatMap((one) => ("ready" in one ? [one.ready] : []))
    const told = prepared.flatMap((one) => ("result" in one ? [one.result] : []))
    // A window that was answered before is asked about anew: its old answer would only be told again.
    const isFirst = entries.every(({ earlier }) => earlier === undefined)
    const sent = yield* send(ready, isFirst)
    return [...settled, ...told, ...sent].sort((one, other) => one.row - other.row)
  })
}
