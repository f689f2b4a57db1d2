import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { anyOf } from "../platform/sql/lists.ts"
import { query } from "../platform/sql/transaction.ts"
import { decodeRows } from "../platform/sql/rows.ts"

const Named = Schema.Struct({ id: Schema.String, name: Schema.String })
type Named = typeof Named.Type

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    /** The customers of the workspace among the ids. */
    customers: (workspaceId: string, ids: ReadonlyArray<string>) =>
      query(
        decodeRows(
          Named
        )(sql`SELECT id, coalesce(nullif(concat_ws(' ', first_name, last_name), ''), email, reference_id, id) AS name
        FROM customers WHERE id = ${anyOf(sql, ids)} AND workspace_id = ${workspaceId} ORDER BY id`)
      ),
    /** The sites of the workspace among the ids. */
    sites: (workspaceId: string, ids: ReadonlyArray<string>) =>
      query(
        decodeRows(Named)(sql`SELECT id, coalesce(name, street_one) AS name
        FROM sites WHERE id = ${anyOf(sql, ids)} AND workspace_id = ${workspaceId} ORDER BY id`)
      )
  }
})

export class NamesRepository extends Context.Service<NamesRepository, Effect.Success<typeof make>>()(
  "@edp/server/NamesRepository"
) {
  static readonly layer = Layer.effect(NamesRepository, make)
}
