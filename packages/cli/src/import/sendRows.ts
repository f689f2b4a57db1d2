import { withIdempotencyKey } from "@edp/domain/client/authentication"
import { type BulkFailure, BULK_LIMIT } from "@edp/domain/errors/Bulk"
import { errorCodes } from "@edp/domain/errors/ErrorCode"
import { Effect, type FileSystem, Stream } from "effect"
import type { CliFailure } from "../kernel/CliFailure.ts"
import { splitBySize } from "../kernel/splitBySize.ts"
import type { ImportKind, Recipient, RowResult, ImportOptions } from "./ImportKind.ts"
import { type CheckOptions, type CheckedRow, type GoodRow, hashText, failedRow, rowChecker } from "./checkRow.ts"
import type { JournalRow } from "./journal.ts"
import { readRows } from "./rows.ts"

interface ReadyRow<Input> {
  readonly good: GoodRow<Input>
  readonly item: object
}

interface SendOptions extends Pick<CheckOptions, "fieldName"> {
  readonly importId: string
}

/** Retries of rows with a temporary error, such as a geocoder timeout. */
const REPETITIONS = 3

export const settledRow = (
  { line, referenceId, row }: GoodRow<unknown>,
  status: "created" | "exists" | "valid",
  id: string | null
): RowResult => ({ row, line, status, id, referenceId, code: null, message: null, fields: {} })

/** The idempotency key: equal for the same rows of the same import in every run. */
const nameOfRequest = (importId: string, items: ReadonlyArray<object>, repetition: number) =>
  hashText(`${importId} ${repetition} ${JSON.stringify(items)}`).toString("hex")

/**
 * Sends rows in bulk and returns their results. `named` requests carry an idempotency key: a later run that repeats one,
 * because this run was killed before the response, gets the same results.
 */
const rowSender = <Input>(recipient: Recipient<Input>, { importId, fieldName }: SendOptions) => {
  const refused = Effect.fnUntraced(function* ({ good }: ReadyRow<Input>, failure: BulkFailure) {
    const id = yield* recipient.existing(good.input, failure)
    if (id !== undefined) return settledRow(good, "exists", id)
    const { code, details = {}, message } = failure
    return failedRow(good, good.referenceId, { code, message, fields: details }, fieldName)
  })

  const send = (
    rows: ReadonlyArray<ReadyRow<Input>>,
    named: boolean,
    repetition: number
  ): Effect.Effect<ReadonlyArray<RowResult>, CliFailure> =>
    Effect.gen(function* () {
      const items = rows.map(({ item }) => item)
      const call = recipient.createMany(items)
      const responses = yield* named ? withIdempotencyKey(nameOfRequest(importId, items, repetition))(call) : call
      const results: Array<RowResult> = []
      const again: Array<ReadyRow<Input>> = []
      for (const response of responses) {
        const row = rows[response.index]!
        if (response.status === "created") results.push(settledRow(row.good, "created", response.id))
        else if (errorCodes[response.code].retryable && repetition < REPETITIONS) again.push(row)
        else results.push(yield* refused(row, response))
      }
      if (again.length === 0) return results
      yield* Effect.sleep(`${2 ** repetition} seconds`)
      return [...results, ...(yield* send(again, named, repetition + 1))]
    })

  return Effect.fnUntraced(function* (rows: ReadonlyArray<ReadyRow<Input>>, named: boolean) {
    if (rows.length === 0) return []
    const parts = splitBySize(rows, ({ item }) => item)
    return (yield* Effect.forEach(parts, (part) => send(part, named, 0))).flat()
  })
}

/** A row, and the earlier run's result for the same row number. */
export interface Entry<Input> {
  readonly checked: CheckedRow<Input>
  readonly earlier: JournalRow | undefined
}

const LOOKUPS_AT_ONCE = 4

/** The journal's result for a row that has not changed and did not fail. */
export const knownResult = ({ checked, earlier }: Entry<unknown>): RowResult | undefined => {
  if (!("good" in checked) || earlier === undefined || earlier.status === "failed") return undefined
  return earlier.digest === checked.good.digest ? settledRow(checked.good, earlier.status, earlier.id) : undefined
}

/**
 * Settles a window of 500 consecutive rows. Windows are the same in every run, so the request of a killed run is repeated
 * exactly.
 */
export const windowSettler = <Input>(recipient: Recipient<Input>, options: SendOptions) => {
  const send = rowSender(recipient, options)

  const prepare = Effect.fnUntraced(function* (good: GoodRow<Input>) {
    const prepared = yield* recipient.prepare(good.input)
    if ("send" in prepared) return { ready: { good, item: prepared.send } satisfies ReadyRow<Input> }
    if ("exists" in prepared) return { result: settledRow(good, "exists", prepared.exists) }
    return { result: failedRow(good, good.referenceId, prepared.problem, options.fieldName) }
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
    const unsendable = prepared.flatMap((one) => ("result" in one ? [one.result] : []))
    // A settled window is sent without idempotency key: with it, the service would repeat the old response.
    const isFirst = entries.every(({ earlier }) => earlier === undefined)
    const sent = yield* send(ready, isFirst)
    return [...settled, ...unsendable, ...sent].sort((one, other) => one.row - other.row)
  })
}

/** Streams the checked rows with their earlier results, in windows of one request. */
export const toWindows = <Input, R>(
  kind: ImportKind<Input>,
  options: ImportOptions,
  earlier: Stream.Stream<JournalRow, CliFailure, R>
): Stream.Stream<ReadonlyArray<Entry<Input>>, CliFailure, FileSystem.FileSystem | R> => {
  const check = rowChecker(kind, options)
  const padded = Stream.concat(earlier, Stream.forever(Stream.succeed(undefined)))
  return readRows(kind, options).pipe(
    Stream.map(check),
    Stream.zip(padded),
    Stream.map(([checked, earlier]): Entry<Input> => ({ checked, earlier })),
    Stream.grouped(BULK_LIMIT)
  )
}
