import { InvalidState } from "@edp/domain/errors/ApiErrors"
import { Result } from "effect"

/** The items of a request that are still valid, and the errors of the others. */
export interface Sifted<A, E> {
  readonly items: ReadonlyArray<{ readonly index: number; readonly value: A }>
  readonly failures: ReadonlyArray<{ readonly index: number; readonly error: E }>
}

/** Items of which none is refused yet. */
export const unsifted = <A>(items: Sifted<A, never>["items"]): Sifted<A, never> => ({ items, failures: [] })

/** Splits the items by the result of a step. */
export const sift = <A, E, B, F>(
  { items, failures }: Sifted<A, E>,
  step: (value: A) => Result.Result<B, F>
): Sifted<B, E | F> => {
  const results = items.map(({ index, value }) => ({ index, result: step(value) }))
  return {
    items: results.flatMap(({ index, result }) => (Result.isSuccess(result) ? [{ index, value: result.success }] : [])),
    failures: [
      ...failures,
      ...results.flatMap(({ index, result }) => (Result.isFailure(result) ? [{ index, error: result.failure }] : []))
    ]
  }
}

/** Refuses the items whose key an earlier item has. */
export const distinctItems = <A, E>(
  sifted: Sifted<A, E>,
  keyFor: (value: A) => string
): Sifted<A, E | InvalidState> => {
  const seen = new Set<string>()
  return sift(sifted, (value): Result.Result<A, InvalidState> => {
    const key = keyFor(value)
    if (seen.has(key)) {
      return Result.fail(new InvalidState({ message: "Another item of this request enrolls the same customer" }))
    }
    seen.add(key)
    return Result.succeed(value)
  })
}
