import { Predicate } from "effect"
import { HttpApiSchema } from "effect/http-api"

/** The one shape of every list: a page, and where more follow in a walk by cursor the cursor of the next one. */
export interface ListPage<A> {
  readonly data: ReadonlyArray<A>
  readonly perPage: number
  /** From 1; absent in a walk by cursor, as the totals are. */
  readonly page?: number
  readonly totalItems?: number
  readonly totalPages?: number
  /** What to ask for as `cursor` next; absent on the last page, and of lists that have pages alone. */
  readonly nextCursor?: string
}

interface WithCursor {
  readonly body: object
  readonly headers: { readonly "x-next-cursor"?: string }
}

const isWithCursor = (answer: unknown): answer is WithCursor =>
  Predicate.hasProperty(answer, HttpApiSchema.WithHeadersValueTypeId)

/** The contract has the cursor in a header beside the body; callers get it with the page. */
export const flattened = (answer: unknown): unknown => {
  if (!isWithCursor(answer)) return answer
  const next = answer.headers["x-next-cursor"]
  return next === undefined ? answer.body : { ...answer.body, nextCursor: next }
}
