import { type BulkFailure, bulkFailure } from "@edp/domain/errors/Bulk"
import { Result } from "effect"

export interface Item<A> {
  readonly index: number
  readonly site: A
}

/** The items that go on, and what became of the others by now. */
export interface Sifted<A> {
  readonly items: ReadonlyArray<Item<A>>
  readonly failures: ReadonlyArray<BulkFailure>
}

type Refusal = Parameters<typeof bulkFailure>[1]

/** Parts the items by the result of a step, which tells the error of those that it refuses. */
export const sift = <A, B>(
  { items, failures }: Sifted<A>,
  step: (site: A, index: number) => Result.Result<B, Refusal>
): Sifted<B> => {
  const results = items.map(({ index, site }) => ({ index, result: step(site, index) }))
  return {
    items: results.flatMap(({ index, result }) => (Result.isSuccess(result) ? [{ index, site: result.success }] : [])),
    failures: [
      ...failures,
      ...results.flatMap(({ index, result }) => (Result.isFailure(result) ? [bulkFailure(index, result.failure)] : []))
    ]
  }
}
