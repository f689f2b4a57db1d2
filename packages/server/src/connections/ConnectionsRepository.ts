import type { ConnectionFilters } from "@edp/domain/connections/ConnectSession"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { Intervention } from "@edp/domain/devices/Intervention"
import { Context, Effect, Layer, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { anyOf, conditions } from "../platform/sql/lists.ts"
import { references } from "../platform/sql/references.ts"
import { query } from "../platform/sql/transaction.ts"
import type { NewSession, SessionChanges, SessionRow } from "./sessionRow.ts"
import { openStatuses } from "./sessionStatus.ts"

export type Filters = Omit<Schema.Struct.Type<typeof ConnectionFilters>, "page" | "perPage">

/** An account to sign in to again, or to disconnect. */
export interface SessionAccount {
  readonly id: string
  readonly manufacturer: string
  readonly status: string
  readonly referenceId: string
  readonly customerId: string | null
  readonly siteId: string | null
  readonly tags: ReadonlyArray<string>
}

/** A connected device, for the last page and the answer. */
export interface SessionDevice {
  readonly id: string
  readonly name: string
  readonly type: DeviceType
  readonly interventions: ReadonlyArray<Intervention> | null
}

interface SealedSession {
  readonly id: string
  readonly key: Uint8Array | null
  readonly instructions: Uint8Array | null
}

/** A count of the funnel, with a median in seconds: of the sessions of a manufacturer, of those that reached a step, or of those that failed with an error. */
export interface FunnelRow {
  readonly manufacturer: string | null
  readonly kind: "session" | "step" | "error"
  readonly name: string
  readonly sessions: number
  readonly median: number | null
}

const jsonColumns = new Set(["params", "customerInfo", "place", "consent", "discovered", "transitions", "lastError"])

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** JSON null is no SQL null: the columns are null where there is nothing. */
const toColumns = (fields: object) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      snakeCase(name),
      jsonColumns.has(name) && value !== null ? JSON.stringify(value) : value
    ])
  )

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { is, isAnyOf } = conditions(sql)
  const columns = sql.literal(`sessions.id, workspace_id AS "workspaceId", organization_id AS "organizationId",
    workspaces.name AS "workspaceName", logo_url AS "logoUrl", accent_color AS "accentColor",
    created_by_id AS "createdById", created_by_type AS "createdByType", status, mode, reference_id AS "referenceId",
    redirect_url AS "redirectUrl", client_name AS "clientName", tags, manufacturers, device_types AS "deviceTypes", params,
    language, color_scheme AS "colorScheme", customer_info AS "customerInfo", place, customer_id AS "customerId",
    site_id AS "siteId", manufacturer, consent, reconnect_id AS "reconnectId", account_id AS "accountId", discovered,
    sealed_instructions AS "sealedInstructions", device_ids AS "deviceIds", key_id AS "keyId", sealed_key AS "sealedKey",
    transitions, last_error AS "lastError", live, expires_at AS "expiresAt", removed_at AS "removedAt",
    disconnected_at AS "disconnectedAt", sessions.created_at AS "createdAt", sessions.updated_at AS "updatedAt"`)
  const from = sql.literal("connect_sessions AS sessions JOIN workspaces ON workspaces.id = workspace_id")

  const matching = (workspaceId: string, filters: Filters) =>
    sql.and([
      ...is("workspace_id", workspaceId),
      ...isAnyOf("status", filters.status),
      ...isAnyOf("customer_id", filters.customerId),
      ...isAnyOf("manufacturer", filters.manufacturer),
      // The index holds shortened references, because a reference may be longer than an index entry.
      ...(filters.referenceId === undefined
        ? []
        : [
            sql`reference_key = ANY(ARRAY(SELECT CASE WHEN char_length(given) <= 200 THEN given
              ELSE left(given, 200) || md5(given) END FROM unnest(${filters.referenceId}::text[]) AS given))`,
            sql`reference_id = ANY(${filters.referenceId}::text[])`
          ])
    ])

  const accountColumns = sql.literal(`accounts.id, accounts.manufacturer, accounts.status,
    accounts.reference_id AS "referenceId", accounts.customer_id AS "customerId", accounts.site_id AS "siteId", accounts.tags`)

  return {
    ...references(sql),
    list: (workspaceId: string, filters: Filters, limit: number, offset: number) =>
      query(sql<SessionRow>`SELECT ${columns} FROM (SELECT * FROM connect_sessions WHERE ${matching(workspaceId, filters)}
        ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}) AS sessions JOIN workspaces ON workspaces.id = workspace_id
        ORDER BY sessions.id DESC`),
    count: (workspaceId: string, filters: Filters) =>
      query(sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM connect_sessions
        WHERE ${matching(workspaceId, filters)}`).pipe(Effect.map(([row]) => row!.n)),
    get: (id: string) =>
      query(sql<SessionRow>`SELECT ${columns} FROM ${from} WHERE sessions.id = ${id}`).pipe(Effect.map(([row]) => row)),
    byToken: (tokenHash: Uint8Array) =>
      query(sql<SessionRow>`SELECT ${columns} FROM ${from} WHERE token_hash = ${tokenHash}`).pipe(
        Effect.map(([row]) => row)
      ),
    /** Locks the session until the transaction ends. */
    lock: (id: string) =>
      query(sql<SessionRow>`SELECT ${columns} FROM ${from} WHERE sessions.id = ${id} FOR UPDATE OF sessions`).pipe(
        Effect.map(([row]) => row)
      ),
    insert: (session: NewSession) => query(sql`INSERT INTO connect_sessions ${sql.insert(toColumns(session))}`),
    update: (id: string, changes: SessionChanges, now: Date) =>
      query(
        sql`UPDATE connect_sessions SET ${sql.update({ ...toColumns(changes), updated_at: now })} WHERE id = ${id}`
      ),
    /** Sessions whose link has expired and that are still to be ended or cleared. */
    due: (now: Date, limit: number) =>
      query(sql<{ readonly id: string }>`SELECT id FROM connect_sessions WHERE live AND expires_at <= ${now}
        ORDER BY expires_at LIMIT ${limit}`).pipe(Effect.map((rows) => rows.map(({ id }) => id))),
    /** Ids of open sessions whose link has expired, among the given ones. */
    openAndDue: (ids: ReadonlyArray<string>, now: Date) =>
      query(sql<{ readonly id: string }>`SELECT id FROM connect_sessions WHERE id = ${anyOf(sql, ids)}
        AND live AND expires_at <= ${now} AND status = ANY(${openStatuses}::text[])`).pipe(
        Effect.map((rows) => rows.map(({ id }) => id))
      ),
    sealedOtherwise: (fingerprint: Uint8Array, limit: number) =>
      query(sql<SealedSession>`SELECT id, sealed_key AS key, sealed_instructions AS instructions FROM connect_sessions
        WHERE live AND (substring(sealed_key FROM 2 FOR 8) <> ${fingerprint}
          OR substring(sealed_instructions FROM 2 FOR 8) <> ${fingerprint})
        ORDER BY id LIMIT ${limit} FOR NO KEY UPDATE`),
    reseal: (id: string, key: Uint8Array | null, instructions: Uint8Array | null) =>
      query(
        sql`UPDATE connect_sessions SET sealed_key = ${key}, sealed_instructions = ${instructions} WHERE id = ${id}`
      ),
    account: (workspaceId: string, id: string) =>
      query(sql<SessionAccount>`SELECT ${accountColumns} FROM accounts
        WHERE id = ${id} AND workspace_id = ${workspaceId} AND status <> 'pending'`).pipe(Effect.map(([row]) => row)),
    /** The manufacturer's ids of an account's devices. */
    accountDevices: (accountId: string) =>
      query(sql<{ readonly id: string }>`SELECT manufacturer_device_id AS id FROM devices
        WHERE account_id = ${accountId}`).pipe(Effect.map((rows) => rows.map(({ id }) => id))),
    /** Scoped keys of all sessions that connected the account. */
    accountKeys: (workspaceId: string, accountId: string) =>
      query(sql<{ readonly id: string }>`SELECT key_id AS id FROM connect_sessions
        WHERE account_id = ${accountId} AND workspace_id = ${workspaceId} AND key_id IS NOT NULL`).pipe(
        Effect.map((rows) => rows.map(({ id }) => id))
      ),
    devices: (workspaceId: string, ids: ReadonlyArray<string>) =>
      query(sql<SessionDevice>`SELECT id, name, type, interventions FROM devices
        WHERE id = ${anyOf(sql, ids)} AND workspace_id = ${workspaceId} ORDER BY id`),
    /** The newest site of a customer. */
    siteOfCustomer: (workspaceId: string, customerId: string) =>
      query(sql<{ readonly id: string }>`SELECT site_id AS id FROM customer_sites
        WHERE customer_id = ${customerId} AND workspace_id = ${workspaceId} ORDER BY site_id DESC LIMIT 1`).pipe(
        Effect.map(([row]) => row?.id)
      ),
    isCustomerOfSite: (workspaceId: string, customerId: string, siteId: string) =>
      query(sql`SELECT FROM customer_sites WHERE customer_id = ${customerId} AND site_id = ${siteId}
        AND workspace_id = ${workspaceId}`).pipe(Effect.map((rows) => rows.length > 0)),
    /** The customer of a reference, else of an e-mail address. */
    findCustomer: (workspaceId: string, referenceId: string, email: string | undefined) =>
      query(sql<{ readonly id: string }>`SELECT id FROM customers WHERE workspace_id = ${workspaceId}
          AND md5(reference_id) = md5(${referenceId}) AND reference_id = ${referenceId}`).pipe(
        Effect.flatMap(([found]) =>
          found !== undefined || email === undefined
            ? Effect.succeed(found?.id)
            : query(sql<{ readonly id: string }>`SELECT id FROM customers WHERE workspace_id = ${workspaceId}
                AND lower(email) = lower(${email}) ORDER BY id DESC LIMIT 1`).pipe(Effect.map(([row]) => row?.id))
        )
      ),
    /** The newest sessions created within a time, by their ids, which begin with the time. */
    funnel: (workspaceId: string, fromId: string, toId: string, limit: number) =>
      query(sql<FunnelRow>`WITH sessions AS MATERIALIZED (
          SELECT id, manufacturer, status, last_error->>'code' AS error, transitions FROM connect_sessions
          WHERE workspace_id = ${workspaceId} AND id >= ${fromId} AND id < ${toId} ORDER BY id DESC LIMIT ${limit}
        ), steps AS (
          SELECT sessions.id, manufacturer, step->>'status' AS status, position,
            extract(epoch FROM lead((step->>'at')::timestamptz) OVER (PARTITION BY sessions.id ORDER BY position)
              - (step->>'at')::timestamptz)::float8 AS seconds
          FROM sessions, jsonb_array_elements(transitions) WITH ORDINALITY AS each (step, position)
        ), firsts AS (
          SELECT DISTINCT ON (id, status) manufacturer, status, seconds FROM steps ORDER BY id, status, position
        )
        SELECT manufacturer, 'session' AS kind, NULL AS name, count(*)::int AS sessions,
          percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS median
          FROM (SELECT manufacturer, (SELECT extract(epoch FROM min(at) FILTER (WHERE reached = 'SUCCESS')
              - coalesce(min(at) FILTER (WHERE reached = 'STARTED'), min(at)))::float8
            FROM (SELECT step->>'status' AS reached, (step->>'at')::timestamptz AS at
              FROM jsonb_array_elements(transitions) AS step) AS each) AS seconds FROM sessions) AS timed
          GROUP BY manufacturer
        UNION ALL SELECT manufacturer, 'step', status, count(*)::int, percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds)
          FROM firsts GROUP BY manufacturer, status
        UNION ALL SELECT manufacturer, 'error', error, count(*)::int, NULL
          FROM sessions WHERE error IS NOT NULL AND status <> 'SUCCESS' GROUP BY manufacturer, error`),
    referenceOf: (workspaceId: string, customerId: string) =>
      query(sql<{ readonly referenceId: string | null }>`SELECT reference_id AS "referenceId" FROM customers
        WHERE id = ${customerId} AND workspace_id = ${workspaceId}`).pipe(Effect.map(([row]) => row?.referenceId))
  }
})

/** Connect sessions, and what they need to know of accounts, customers and devices. */
export class ConnectionsRepository extends Context.Service<ConnectionsRepository, Effect.Success<typeof make>>()(
  "@edp/server/ConnectionsRepository"
) {
  static readonly layer = Layer.effect(ConnectionsRepository, make)
}
