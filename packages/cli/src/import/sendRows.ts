import { withIdempotencyKey } from "@edp/domain/client/authentication"
import { errorCodes } from "@edp/domain/errors/ErrorCode"
import type { BulkFailure } from "@edp/domain/errors/Bulk"
import { Effect } from "effect"
import type { CliFailure } from "../CliFailure.ts"
import { splitBySize } from "../splitBySize.ts"
import { type CheckOptions, failedRow, type GoodRow } from "./checkRow.ts"
import { digestOf } from "./digest.ts"
import type { RowResult } from "./FileRow.ts"
import type { Recipient } from "./ImportKind.ts"

export interface ReadyRow<Input> {
  readonly good: GoodRow<Input>
  readonly item: object
}

export interface SendOptions extends Pick<CheckOptions, "nameOf"> {
  readonly importId: string
}

/** How often rows are sent again whose refusal may pass, such as that of a geocoder that is too slow. */
const REPETITIONS = 3

export const settledRow = (
  { line, referenceId, row }: GoodRow<unknown>,
  status: "created" | "exists" | "valid",
  id: string | null
): RowResult => ({ row, line, status, id, referenceId, code: null, message: null, fields: {} })

/** The same rows of the same import make the same name, in whatever run, as long as they are sent for the first time. */
const nameOfRequest = (importId: string, items: ReadonlyArray<object>, repetition: number) =>
  digestOf(`${importId} ${repetition} ${JSON.stringify(items)}`).toString("hex")

/**
 * Sends rows in bulk and tells what became of each. `named` requests are known to the service should they be sent by a
 * later run again, because this one did not live to see the answer: that run is told the same.
 */
export const rowSender = <Input>(recipient: Recipient<Input>, { importId, nameOf }: SendOptions) => {
  const refused = Effect.fnUntraced(function* ({ good }: ReadyRow<Input>, failure: BulkFailure) {
    const id = yield* recipient.existing(good.input, failure)
    if (id !== undefined) return settledRow(good, "exists", id)
    const { code, details = {}, message } = failure
    return failedRow(good, good.referenceId, { code, message, fields: details }, nameOf)
  })

  const send = (
    rows: ReadonlyArray<ReadyRow<Input>>,
    named: boolean,
    repetition: number
  ): Effect.Effect<ReadonlyArray<RowResult>, CliFailure> =>
    Effect.gen(function* () {
      const items = rows.map(({ item }) => item)
      const call = recipient.createMany(items)
      const answers = yield* named ? withIdempotencyKey(nameOfRequest(importId, items, repetition))(call) : call
      const results: Array<RowResult> = []
      const again: Array<ReadyRow<Input>> = []
      for (const answer of answers) {
        const row = rows[answer.index]!
        if (answer.status === "created") results.push(settledRow(row.good, "created", answer.id))
        else if (errorCodes[answer.code].retryable && repetition < REPETITIONS) again.push(row)
        else results.push(yield* refused(row, answer))
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
