import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../platform/sql/transaction.ts"
import type { SiteChange } from "./movedDevices.ts"

/** A change of a site of which not all devices have been told. */
export interface OpenSiteChange {
  readonly id: string
  readonly siteId: string
  readonly workspaceId: string
  /** Devices from this id on have been told. */
  readonly toldFrom: string
  readonly change: SiteChange
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    insert: (id: string, siteId: string, toldFrom: string, change: SiteChange) =>
      query(sql`INSERT INTO site_changes (id, site_id, told_from, change)
        VALUES (${id}, ${siteId}, ${toldFrom}, ${JSON.stringify(change)}::jsonb)`),
    /** The oldest that nobody else has taken, until the end of the transaction. */
    take: query(sql<OpenSiteChange>`
      SELECT c.id, c.site_id AS "siteId", sites.workspace_id AS "workspaceId", c.told_from AS "toldFrom", c.change
      FROM site_changes c JOIN sites ON sites.id = c.site_id ORDER BY c.id LIMIT 1 FOR UPDATE OF c SKIP LOCKED`).pipe(
      Effect.map(([row]) => row)
    ),
    moveOn: (id: string, toldFrom: string) =>
      query(sql`UPDATE site_changes SET told_from = ${toldFrom} WHERE id = ${id}`),
    remove: (id: string) => query(sql`DELETE FROM site_changes WHERE id = ${id}`)
  }
})

export class SiteChangesRepository extends Context.Service<SiteChangesRepository, Effect.Success<typeof make>>()(
  "@edp/server/SiteChangesRepository"
) {
  static readonly layer = Layer.effect(SiteChangesRepository, make)
}
