import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type CustomerSite, linkCustomerSites } from "../platform/sql/references.ts"
import { query } from "../platform/sql/transaction.ts"
import type { SiteOwners } from "./givenSites.ts"

/** Which customers are associated with which sites. */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return {
    /** The workspaces of the sites that exist. These are held until the transaction ends, so that none goes meanwhile. */
    owners: (siteIds: ReadonlyArray<string>): Effect.Effect<SiteOwners> =>
      siteIds.length === 0
        ? Effect.succeed(new Map())
        : query(sql<{ readonly id: string; readonly workspaceId: string }>`
            SELECT id, workspace_id AS "workspaceId" FROM sites WHERE id = ANY(${[...new Set(siteIds)].sort()}::text[])
            ORDER BY id FOR KEY SHARE`).pipe(
            Effect.map((rows) => new Map(rows.map(({ id, workspaceId }) => [id, workspaceId])))
          ),
    link: linkCustomerSites(sql),
    /** Answers nothing where they were not linked. */
    unlink: (workspaceId: string, { customerId, siteId }: CustomerSite) =>
      query(sql`DELETE FROM customer_sites
        WHERE customer_id = ${customerId} AND site_id = ${siteId} AND workspace_id = ${workspaceId} RETURNING site_id`)
  }
})

export class CustomerSitesRepository extends Context.Service<CustomerSitesRepository, Effect.Success<typeof make>>()(
  "@edp/server/CustomerSitesRepository"
) {
  static readonly layer = Layer.effect(CustomerSitesRepository, make)
}
