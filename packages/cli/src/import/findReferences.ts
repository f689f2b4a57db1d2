import type { ApiClient } from "@edp/domain/Client"
import { Cache, Effect } from "effect"
import type { Problem } from "./ImportKind.ts"
import { described } from "./importKinds.ts"

/** The record with a reference, or why there is not exactly one. */
export interface FoundReference {
  readonly id: string | undefined
  readonly problem?: Problem
}

/** Rows of one site or customer tend to stand near each other in a file. */
const REMEMBERED = 10_000

const found = (
  noun: "customer" | "site",
  referenceId: string,
  [record, another]: ReadonlyArray<{ readonly id: string }>
): FoundReference => {
  if (record !== undefined && another === undefined) return { id: record.id }
  const [code, message, problem] =
    record === undefined
      ? ["NOT_FOUND", `There is no such ${noun}`, `No ${noun} has the referenceId ${referenceId}`]
      : [
          "AMBIGUOUS",
          `Several ${noun}s match`,
          `Several ${noun}s have the referenceId ${referenceId}: name one in ${noun}Id`
        ]
  return {
    id: undefined,
    problem: { code: `${noun.toUpperCase()}_${code}`, message, fields: { [`${noun}ReferenceId`]: problem } }
  }
}

/** Finds customers and sites by their references, a read request for each that is not remembered. */
export const findReferences = Effect.fnUntraced(function* (client: ApiClient) {
  const query = (referenceId: string) => ({ query: { referenceId: [referenceId], perPage: 2 } })
  const customers = yield* Cache.make({
    capacity: REMEMBERED,
    lookup: (referenceId: string) => described(client.customers.list(query(referenceId)))
  })
  const sites = yield* Cache.make({
    capacity: REMEMBERED,
    lookup: (referenceId: string) => described(client.sites.list(query(referenceId)))
  })
  return {
    customer: (referenceId: string) =>
      Effect.map(Cache.get(customers, referenceId), ({ data }) => found("customer", referenceId, data)),
    site: (referenceId: string) =>
      Effect.map(Cache.get(sites, referenceId), ({ data }) => found("site", referenceId, data))
  }
})
