import type { PageOf } from "@edp/domain/shared/Page"

/** A page of a large list with the cursor of the next one, if there is one; within a cursor walk it has no totals. */
export interface ListAnswer<A> {
  readonly body: PageOf<A> | { readonly data: ReadonlyArray<A>; readonly perPage: number }
  readonly next: string | undefined
}
