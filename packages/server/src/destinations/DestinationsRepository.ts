import type { DestinationType } from "@edp/domain/destinations/Destination"
import { invalid } from "@edp/domain/errors/ApiErrors"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { conditions } from "../platform/sql/lists.ts"
import { workspaceTable } from "../workspaces/workspaceTable.ts"
import { query, uniqueTo } from "../platform/sql/transaction.ts"
import { DestinationRow } from "./destinationRow.ts"
import { queryCount, queryRows } from "../platform/sql/rows.ts"

const onePerManufacturer = uniqueTo("destinations_manufacturer_key", () =>
  invalid({ manufacturer: "Has an active destination in this workspace already" })
)

const IdUrlRow = Schema.Struct({ id: Schema.String, url: Schema.String })
const SequenceRow = Schema.Struct({ sequence: Schema.Finite })

export const DestinationsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { is, isAnyOf } = conditions(sql)
  const all = sql.literal(`id, workspace_id AS "workspaceId", label, destination_type AS "destinationType",
    device_type AS "deviceType", event_types AS "eventTypes", url, sealed_url AS "sealedUrl", email, phone_number AS "phoneNumber", manufacturer,
    kafka_config AS "kafkaConfig", include_weather AS "includeWeather", sealed_secret AS "sealedSecret",
    sealed_previous_secret AS "sealedPreviousSecret", previous_secret_until AS "previousSecretUntil",
    sealed_headers AS "sealedHeaders", sealed_password AS "sealedPassword", failing_since AS "failingSince",
    deactivated_at AS "deactivatedAt", deactivated_reason AS "deactivatedReason", created_at AS "createdAt", updated_at AS "updatedAt"`)
  const matching = (workspaceId: string, types: ReadonlyArray<DestinationType> | undefined) =>
    sql.and([...is("workspace_id", workspaceId), ...isAnyOf("destination_type", types)])
  const values = (row: DestinationRow) => ({
    label: row.label,
    device_type: row.deviceType,
    event_types: row.eventTypes,
    url: row.url,
    sealed_url: row.sealedUrl,
    email: row.email,
    phone_number: row.phoneNumber,
    kafka_config: row.kafkaConfig === null ? null : JSON.stringify(row.kafkaConfig),
    include_weather: row.includeWeather,
    sealed_secret: row.sealedSecret,
    sealed_previous_secret: row.sealedPreviousSecret,
    previous_secret_until: row.previousSecretUntil,
    sealed_headers: row.sealedHeaders,
    sealed_password: row.sealedPassword,
    deactivated_at: row.deactivatedAt,
    deactivated_reason: row.deactivatedReason,
    updated_at: row.updatedAt
  })

  return {
    list: (workspaceId: string, types: ReadonlyArray<DestinationType> | undefined, limit: number, offset: number) =>
      queryRows(DestinationRow)(sql`SELECT ${all} FROM destinations WHERE ${matching(workspaceId, types)}
        ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}`),
    count: (workspaceId: string, types: ReadonlyArray<DestinationType> | undefined) =>
      queryCount(sql`SELECT count(*)::int AS n FROM destinations
        WHERE ${matching(workspaceId, types)}`),
    get: (workspaceId: string, id: string) =>
      queryRows(DestinationRow)(sql`SELECT ${all} FROM destinations
        WHERE id = ${id} AND workspace_id = ${workspaceId}`),
    /** Locks the row until the end of the transaction. */
    lock: (workspaceId: string, id: string) =>
      queryRows(DestinationRow)(sql`SELECT ${all} FROM destinations
        WHERE id = ${id} AND workspace_id = ${workspaceId} FOR NO KEY UPDATE`),
    /** The active ones among these ids, in any workspace: deliveries know only ids. */
    active: (ids: ReadonlyArray<string>) =>
      queryRows(DestinationRow)(sql`SELECT ${all} FROM destinations
        WHERE id = ANY(${ids}::text[]) AND deactivated_at IS NULL`),
    /** Locks some destinations, in any workspace, with a secret that was sealed with another key. */
    sealedOtherwise: (fingerprint: Uint8Array, limit: number) => {
      const columns = ["sealed_url", "sealed_secret", "sealed_previous_secret", "sealed_headers", "sealed_password"]
      const other = columns.map((column) => sql`substring(${sql(column)} FROM 2 FOR 8) <> ${fingerprint}`)
      return queryRows(DestinationRow)(sql`SELECT ${all} FROM destinations WHERE ${sql.or(other)}
        LIMIT ${limit} FOR NO KEY UPDATE`)
    },
    /** Whether the workspace has this many. Until the transaction ends, no other one creates a destination in it. */
    hasAtLeast: (workspaceId: string, count: number) =>
      Effect.andThen(
        workspaceTable(sql).hold(workspaceId),
        query(sql`SELECT FROM destinations WHERE workspace_id = ${workspaceId} LIMIT ${count}`)
      ).pipe(Effect.map((found) => found.length >= count)),
    /** Locks some destinations, in any workspace, whose URLs are not sealed yet. */
    unsealedUrls: (limit: number) =>
      queryRows(IdUrlRow)(sql`SELECT id, url FROM destinations
        WHERE url IS NOT NULL AND sealed_url IS NULL LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED`),
    storeSealedUrls: (
      urls: ReadonlyArray<{ readonly id: string; readonly url: string; readonly sealed: Uint8Array }>
    ) => {
      const given = urls.map(({ id, sealed, url }) => ({ id, url, sealed: Buffer.from(sealed).toString("hex") }))
      return query(sql`UPDATE destinations d SET url = given.url, sealed_url = decode(given.sealed, 'hex')
        FROM jsonb_to_recordset(${JSON.stringify(given)}::jsonb) AS given (id text, url text, sealed text)
        WHERE d.id = given.id`)
    },
    /** The highest sequence of any event. */
    lastSequence: queryRows(
      SequenceRow
    )(sql`SELECT (last_value - CASE WHEN is_called THEN 0 ELSE 1 END)::float8 AS sequence
        FROM event_sequence`).pipe(Effect.map(([row]) => row!.sequence)),
    /** The destination gets the events after this sequence. */
    insert: (row: DestinationRow, afterSequence: number) =>
      sql`INSERT INTO destinations ${sql.insert({
        id: row.id,
        workspace_id: row.workspaceId,
        destination_type: row.destinationType,
        manufacturer: row.manufacturer,
        created_at: row.createdAt,
        after_sequence: afterSequence,
        ...values(row)
      })}`.pipe(onePerManufacturer, query),
    update: (row: DestinationRow) =>
      sql`UPDATE destinations SET ${sql.update(values(row))} WHERE id = ${row.id}`.pipe(onePerManufacturer, query),
    /** The destination gets the events after this sequence, and no earlier ones that are not fanned out yet. */
    beginAfter: (id: string, sequence: number) =>
      query(sql`UPDATE destinations SET after_sequence = ${sequence}::bigint WHERE id = ${id}`),
    /** Deliveries stop at once; their rows are deleted later in batches. */
    remove: (workspaceId: string, id: string) =>
      query(sql`WITH gone AS (DELETE FROM destinations WHERE id = ${id} AND workspace_id = ${workspaceId} RETURNING id)
        UPDATE delivery_queues SET not_before = 'infinity' FROM gone WHERE destination_id = gone.id`)
  }
})
