import type { ConnectionFilters } from "@edp/domain/connections/ConnectSession"
import { DeviceType } from "@edp/domain/devices/DeviceType"
import type { Intervention } from "@edp/domain/devices/Intervention"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { anyOf, conditions } from "../platform/sql/lists.ts"
import { siteTable } from "../sites/siteTable.ts"
import { customerLookups, customerTable } from "../customers/customerTable.ts"
import { isReady } from "../platform/jobs/isolation.ts"
import { query } from "../platform/sql/transaction.ts"
import { type NewSession, type SessionChanges, SessionRow } from "./sessionRow.ts"
import { openStatuses } from "./sessionStatus.ts"
import { JsonColumn, queryCount, queryIds, queryRows } from "../platform/sql/rows.ts"
import { selectList } from "../platform/sql/selectList.ts"

export type Filters = Omit<Schema.Struct.Type<typeof ConnectionFilters>, "page" | "perPage">

/** An account to sign in to again, or to disconnect. */
export const SessionAccount = Schema.Struct({
  id: Schema.String,
  manufacturer: Schema.String,
  status: Schema.String,
  referenceId: Schema.String,
  customerId: Schema.NullOr(Schema.String),
  siteId: Schema.NullOr(Schema.String),
  tags: Schema.Array(Schema.String)
})
export type SessionAccount = typeof SessionAccount.Type

/** A connected device, for the last page and the response. */
export const SessionDevice = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  type: DeviceType,
  interventions: Schema.NullOr(Schema.Array(JsonColumn<Intervention>()))
})
export type SessionDevice = typeof SessionDevice.Type

const SealedSession = Schema.Struct({
  id: Schema.String,
  key: Schema.NullOr(Schema.Uint8Array),
  instructions: Schema.NullOr(Schema.Uint8Array)
})
type SealedSession = typeof SealedSession.Type

/** A count of the funnel, with a median in seconds: of the sessions of a manufacturer, of those that reached a step, or of those that failed with an error. */
export const FunnelRow = Schema.Struct({
  manufacturer: Schema.NullOr(Schema.String),
  kind: Schema.Literals(["session", "step", "error"]),
  /** The step or the error; empty for sessions. */
  name: Schema.String,
  sessions: Schema.Finite,
  median: Schema.NullOr(Schema.Finite)
})
export type FunnelRow = typeof FunnelRow.Type

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

/** The work, as its failing sessions are stored under. */
export const EXPIRY = "expiry of connect sessions"

/** Connect sessions, and what they need to know of accounts, customers and devices. */
export const ConnectionsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { is, isAnyOf } = conditions(sql)
  const columns = sql.literal(
    selectList(SessionRow, {
      id: "sessions.id",
      workspaceName: "workspaces.name",
      createdAt: "sessions.created_at",
      updatedAt: "sessions.updated_at"
    })
  )
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

  const customers = customerLookups(sql)

  return {
    requireGivenSite: siteTable(sql).requireGivenSite,
    requireCustomer: customerTable(sql).requireCustomer,
    list: (workspaceId: string, filters: Filters, limit: number, offset: number) =>
      queryRows(
        SessionRow
      )(sql`SELECT ${columns} FROM (SELECT * FROM connect_sessions WHERE ${matching(workspaceId, filters)}
        ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}) AS sessions JOIN workspaces ON workspaces.id = workspace_id
        ORDER BY sessions.id DESC`),
    count: (workspaceId: string, filters: Filters) =>
      queryCount(sql`SELECT count(*)::int AS n FROM connect_sessions
        WHERE ${matching(workspaceId, filters)}`),
    get: (id: string) =>
      queryRows(SessionRow)(sql`SELECT ${columns} FROM ${from} WHERE sessions.id = ${id}`).pipe(
        Effect.map(([row]) => row)
      ),
    byToken: (tokenHash: Uint8Array) =>
      queryRows(SessionRow)(sql`SELECT ${columns} FROM ${from} WHERE token_hash = ${tokenHash}`).pipe(
        Effect.map(([row]) => row)
      ),
    /** Locks the session until the transaction ends. */
    lock: (id: string) =>
      queryRows(SessionRow)(sql`SELECT ${columns} FROM ${from} WHERE sessions.id = ${id} FOR UPDATE OF sessions`).pipe(
        Effect.map(([row]) => row)
      ),
    insert: (session: NewSession) => query(sql`INSERT INTO connect_sessions ${sql.insert(toColumns(session))}`),
    update: (id: string, changes: SessionChanges, now: Date) =>
      query(
        sql`UPDATE connect_sessions SET ${sql.update({ ...toColumns(changes), updated_at: now })} WHERE id = ${id}`
      ),
    /** Ends the links that sessions of these browsers made and that lead nowhere yet. */
    endMade: (makerIds: ReadonlyArray<string>, now: Date) =>
      query(sql`UPDATE connect_sessions SET expires_at = ${now}, updated_at = ${now}
        WHERE made_by = ANY(${makerIds}::text[]) AND live AND expires_at > ${now} RETURNING 1`).pipe(
        Effect.map((rows) => rows.length)
      ),
    /** Counts an attempt to connect to a host; false, and not counted, if the session has had as many as it may. */
    countAttempt: (id: string, most: number) =>
      query(sql`UPDATE connect_sessions SET device_attempts = device_attempts + 1
        WHERE id = ${id} AND device_attempts < ${most} RETURNING 1`).pipe(Effect.map((rows) => rows.length === 1)),
    /** Sessions whose link has expired and that are still to be ended or cleared. */
    due: (now: Date, limit: number) =>
      queryIds(sql`SELECT id FROM connect_sessions WHERE live AND expires_at <= ${now}
          AND ${isReady(sql, EXPIRY, "connect_sessions.id")} ORDER BY expires_at LIMIT ${limit}`),
    /** Ids of open sessions whose link has expired, among the given ones. */
    openAndDue: (ids: ReadonlyArray<string>, now: Date) =>
      queryIds(sql`SELECT id FROM connect_sessions WHERE id = ${anyOf(sql, ids)}
        AND live AND expires_at <= ${now} AND status = ANY(${openStatuses}::text[])`),
    sealedOtherwise: (fingerprint: Uint8Array, limit: number) =>
      queryRows(
        SealedSession
      )(sql`SELECT id, sealed_key AS key, sealed_instructions AS instructions FROM connect_sessions
        WHERE live AND (substring(sealed_key FROM 2 FOR 8) <> ${fingerprint}
          OR substring(sealed_instructions FROM 2 FOR 8) <> ${fingerprint})
        ORDER BY id LIMIT ${limit} FOR NO KEY UPDATE`),
    reseal: (id: string, key: Uint8Array | null, instructions: Uint8Array | null) =>
      query(
        sql`UPDATE connect_sessions SET sealed_key = ${key}, sealed_instructions = ${instructions} WHERE id = ${id}`
      ),
    account: (workspaceId: string, id: string) =>
      queryRows(SessionAccount)(sql`SELECT ${accountColumns} FROM accounts
        WHERE id = ${id} AND workspace_id = ${workspaceId} AND status <> 'pending'`).pipe(Effect.map(([row]) => row)),
    /** The manufacturer's ids of an account's devices. */
    accountDevices: (accountId: string) =>
      queryIds(sql`SELECT manufacturer_device_id AS id FROM devices
        WHERE account_id = ${accountId}`),
    /** Scoped keys of all sessions that connected the account. */
    accountKeys: (workspaceId: string, accountId: string) =>
      queryIds(sql`SELECT key_id AS id FROM connect_sessions
        WHERE account_id = ${accountId} AND workspace_id = ${workspaceId} AND key_id IS NOT NULL`),
    devices: (workspaceId: string, ids: ReadonlyArray<string>) =>
      queryRows(SessionDevice)(sql`SELECT id, name, type, interventions FROM devices
        WHERE id = ${anyOf(sql, ids)} AND workspace_id = ${workspaceId} ORDER BY id`),
    siteOfCustomer: customers.newestSite,
    isCustomerOfSite: customers.isCustomerOfSite,
    /** The customer of a reference, else of an e-mail address. */
    findCustomer: customers.find,
    /** The newest sessions created within a time, by their ids, which begin with the time. */
    funnel: (workspaceId: string, fromId: string, toId: string, limit: number) =>
      queryRows(FunnelRow)(sql`WITH sessions AS MATERIALIZED (
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
        SELECT manufacturer, 'session' AS kind, '' AS name, count(*)::int AS sessions,
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
    referenceOf: customers.reference
  }
})
