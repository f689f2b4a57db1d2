import { InvalidState } from "@edp/domain/errors/ApiErrors"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { queryCount, queryRows } from "../platform/sql/rows.ts"
import { query, uniqueTo } from "../platform/sql/transaction.ts"
import { workspaceTable } from "../workspaces/workspaceTable.ts"
import { publicationColumns, PublicationRow } from "./publicationRow.ts"

const onePerBroker = uniqueTo(
  "home_assistant_publications_broker",
  () =>
    new InvalidState({
      message: "The workspace has a publication at this broker with this discoveryPrefix: change that one"
    })
)

const SealedRow = Schema.Struct({ id: Schema.String, sealed: Schema.Uint8Array })

/** The publications as callers see and change them. */
export const PublicationsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(publicationColumns)

  const settings = (row: PublicationRow) => ({
    host: row.host,
    port: row.port,
    tls: row.tls,
    fingerprint: row.fingerprint,
    username: row.username,
    sealed_password: row.sealedPassword,
    discovery_prefix: row.discoveryPrefix,
    tag: row.tag,
    takes_commands: row.takesCommands,
    version: row.version,
    updated_at: row.updatedAt
  })

  return {
    list: (workspaceId: string, limit: number, offset: number) =>
      queryRows(PublicationRow)(sql`SELECT ${columns} FROM home_assistant_publications
        WHERE workspace_id = ${workspaceId} ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}`),
    count: (workspaceId: string) =>
      queryCount(sql`SELECT count(*)::int AS n FROM home_assistant_publications WHERE workspace_id = ${workspaceId}`),
    get: (workspaceId: string, id: string) =>
      queryRows(PublicationRow)(sql`SELECT ${columns} FROM home_assistant_publications
        WHERE id = ${id} AND workspace_id = ${workspaceId}`),
    /** Locks the row until the end of the transaction. */
    lock: (workspaceId: string, id: string) =>
      queryRows(PublicationRow)(sql`SELECT ${columns} FROM home_assistant_publications
        WHERE id = ${id} AND workspace_id = ${workspaceId} FOR NO KEY UPDATE`),
    /** Whether the workspace has this many. Until the transaction ends, no other one creates a publication in it. */
    hasAtLeast: (workspaceId: string, count: number) =>
      Effect.andThen(
        workspaceTable(sql).hold(workspaceId),
        query(sql`SELECT FROM home_assistant_publications WHERE workspace_id = ${workspaceId} LIMIT ${count}`)
      ).pipe(Effect.map((found) => found.length >= count)),
    insert: (row: PublicationRow) =>
      sql`INSERT INTO home_assistant_publications ${sql.insert({
        id: row.id,
        workspace_id: row.workspaceId,
        ...settings(row),
        devices_left_out: 0,
        due_at: row.createdAt,
        failures: 0,
        created_at: row.createdAt
      })}`.pipe(onePerBroker, query),
    /** New settings are tried at once. Whoever holds the connection notices them by the version. */
    update: (row: PublicationRow) =>
      sql`UPDATE home_assistant_publications SET ${sql.update(settings(row))}, failure = NULL, failing_since = NULL,
          failures = 0, due_at = CASE WHEN claim IS NULL THEN now() ELSE due_at END
        WHERE id = ${row.id}`.pipe(onePerBroker, query),
    remove: (workspaceId: string, id: string) =>
      query(sql`DELETE FROM home_assistant_publications WHERE id = ${id} AND workspace_id = ${workspaceId}`),
    /** Locks some publications, in any workspace, with a password that was sealed with another key. */
    sealedOtherwise: (fingerprint: Uint8Array, limit: number) =>
      queryRows(SealedRow)(sql`SELECT id, sealed_password AS sealed FROM home_assistant_publications
        WHERE substring(sealed_password FROM 2 FOR 8) <> ${fingerprint} LIMIT ${limit} FOR NO KEY UPDATE`),
    reseal: (id: string, sealed: Uint8Array) =>
      query(sql`UPDATE home_assistant_publications SET sealed_password = ${sealed} WHERE id = ${id}`)
  }
})
