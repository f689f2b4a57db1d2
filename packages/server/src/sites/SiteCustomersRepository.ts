import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { references } from "../sql/references.ts"
import { query } from "../sql/transaction.ts"

export interface Link {
  readonly siteId: string
  readonly customerId: string
}

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
    link: (workspaceId: string, links: ReadonlyArray<Link>) =>
      links.length === 0
        ? Effect.void
        : Effect.asVoid(
            query(sql`INSERT INTO customer_sites (workspace_id, customer_id, site_id)
              SELECT ${workspaceId}, customer, site FROM unnest(${links.map((one) => one.customerId)}::text[],
                ${links.map((one) => one.siteId)}::text[]) AS given (customer, site)`)
          )
  }
})

export class SiteCustomersRepository extends Context.Service<SiteCustomersRepository, Effect.Success<typeof make>>()(
  "@edp/server/SiteCustomersRepository"
) {
  static readonly layer = Layer.effect(SiteCustomersRepository, make)
}
