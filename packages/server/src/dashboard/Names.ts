import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { anyOf } from "../platform/sql/lists.ts"
import { queryRows } from "../platform/sql/rows.ts"

const Named = Schema.Struct({ id: Schema.String, name: Schema.String })
type Named = typeof Named.Type

const statements = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    /** The customers of the workspace among the ids. */
    customers: (workspaceId: string, ids: ReadonlyArray<string>) =>
      queryRows(
        Named
      )(sql`SELECT id, coalesce(nullif(concat_ws(' ', first_name, last_name), ''), email, reference_id, id) AS name
        FROM customers WHERE id = ${anyOf(sql, ids)} AND workspace_id = ${workspaceId} ORDER BY id`),
    /** The devices of the workspace among the ids. */
    devices: (workspaceId: string, ids: ReadonlyArray<string>) =>
      queryRows(Named)(sql`SELECT id, name
        FROM devices WHERE id = ${anyOf(sql, ids)} AND workspace_id = ${workspaceId} ORDER BY id`),
    /** The sites of the workspace among the ids. */
    sites: (workspaceId: string, ids: ReadonlyArray<string>) =>
      queryRows(Named)(sql`SELECT id, coalesce(name, street_one) AS name
        FROM sites WHERE id = ${anyOf(sql, ids)} AND workspace_id = ${workspaceId} ORDER BY id`)
  }
})

interface Asked {
  readonly customerId?: ReadonlyArray<string>
  readonly deviceId?: ReadonlyArray<string>
  readonly siteId?: ReadonlyArray<string>
}

/** The names of records that a page links: one request for all of them. */
export const Names = Effect.gen(function* () {
  const repository = yield* statements
  type Read = typeof repository.customers
  const read = (names: Read, { workspaceId }: CurrentKey["Service"], ids: ReadonlyArray<string> = []) =>
    ids.length === 0 ? Effect.succeed([]) : names(workspaceId, ids)
  return {
    list: Effect.fn("Names.list")((caller: CurrentKey["Service"], { customerId, deviceId, siteId }: Asked) =>
      Effect.all({
        customers: read(repository.customers, caller, customerId),
        devices: read(repository.devices, caller, deviceId),
        sites: read(repository.sites, caller, siteId)
      })
    )
  }
})
