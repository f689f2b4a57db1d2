import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { linkCustomerSites, references } from "../platform/sql/references.ts"
import { query } from "../platform/sql/transaction.ts"

/** The customers that new sites are associated with. */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return {
    requireCustomer: references(sql).requireCustomer,
    /** Which of the customers the workspace has. These are held until the transaction ends, so that none goes meanwhile. */
    existing: (workspaceId: string, customerIds: ReadonlyArray<string>): Effect.Effect<ReadonlySet<string>> =>
      customerIds.length === 0
        ? Effect.succeed(new Set())
        : query(sql<{ readonly id: string }>`SELECT id FROM customers
            WHERE id = ANY(${[...new Set(customerIds)]}::text[]) AND workspace_id = ${workspaceId}
            ORDER BY id FOR KEY SHARE`).pipe(Effect.map((found) => new Set(found.map(({ id }) => id)))),
    link: linkCustomerSites(sql)
  }
})

export class SiteCustomersRepository extends Context.Service<SiteCustomersRepository, Effect.Success<typeof make>>()(
  "@edp/server/SiteCustomersRepository"
) {
  static readonly layer = Layer.effect(SiteCustomersRepository, make)
}
