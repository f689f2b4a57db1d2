import { Effect, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { leaseName } from "../platform/jobs/JobRunner.ts"
import { untilDatabaseTime } from "../platform/jobs/workWait.ts"
import { query } from "../platform/sql/transaction.ts"
import { AccountClaim, type ReleasedWork } from "./accountRow.ts"
import { accountLimits } from "./accountLimits.ts"
import { queryRows } from "../platform/sql/rows.ts"
import { pausedWorkspaces } from "../workspaces/workspaceTable.ts"

/** No account is listed after a longer pause. */
const LONGEST_DISCOVERY = "30 days"

/** How many accounts of each manufacturer a claim takes at most. */
export interface ClaimRoom {
  readonly manufacturer: string
  readonly room: number
}

/** The lease of an account. */
const AccountLease = Schema.Struct({ ...Struct.pick(AccountClaim.fields, ["accountId", "claim"]) })
type AccountLease = typeof AccountLease.Type

/** A claim that was taken for one account, and when its regular work was due: the database's text, which may be infinity. */
export const TakenClaim = Schema.Struct({ claim: Schema.String, wasDueAt: Schema.String })
export type TakenClaim = typeof TakenClaim.Type

const MemoryProblemRow = Schema.Struct({ memory: Schema.Unknown, problem: Schema.NullOr(Schema.String) })

// Times are the database's, so that processes whose clocks differ agree on leases.
/** The work on accounts: when it is due, and who does it. */
export const AccountWorkRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const spread = sql.literal(String(accountLimits.spreadSeconds))
  const leased = sql.literal(`clock_timestamp() + interval '${accountLimits.leaseSeconds} seconds'`)
  const isPaused = sql.literal(`EXISTS (SELECT FROM manufacturer_pauses p WHERE p.manufacturer = rooms.manufacturer
    AND p.account_id = '' AND p.until > now())`)

  const rests = sql`EXISTS (SELECT FROM accounts a
    WHERE a.id = account_work.account_id AND a.workspace_id IN (${pausedWorkspaces(sql)}))`

  return {
    /** Leases accounts whose work is due, the longest overdue of each manufacturer first. */
    claim: (claim: string, holder: string, rooms: ReadonlyArray<ClaimRoom>, most: number) =>
      queryRows(AccountClaim)(sql`WITH due AS MATERIALIZED (
          SELECT w.account_id, w.due_at FROM jsonb_to_recordset(${JSON.stringify(rooms)}::jsonb)
            AS rooms (manufacturer text, room integer)
          CROSS JOIN LATERAL (
            SELECT account_id, due_at FROM account_work
            WHERE manufacturer = rooms.manufacturer AND due_at <= now() AND NOT ${rests}
            ORDER BY due_at LIMIT rooms.room FOR UPDATE SKIP LOCKED) AS w
          WHERE NOT ${isPaused}
          LIMIT ${most}
        )
        UPDATE account_work w SET claim = ${claim}::uuid, holder = ${holder}::uuid, due_at = ${leased} FROM due
        WHERE w.account_id = due.account_id
        RETURNING w.account_id AS "accountId", w.manufacturer, w.claim,
          round(extract(epoch FROM now() - due.due_at) * 1000)::float8 AS "lateMs",
          round(extract(epoch FROM least(w.discover_at, now() + interval '1 year') - now()) * 1000)::float8 AS "discoverInMs",
          coalesce(round(extract(epoch FROM w.read_at - now()) * 1000), 0)::float8 AS "readInMs",
          w.failures, w.memory, w.problem, w.refreshing_since IS NOT NULL AS "isRefreshInterrupted"`),
    /** Milliseconds until an account of one of these manufacturers is due. */
    nextDue: (manufacturers: ReadonlyArray<string>) =>
      untilDatabaseTime(
        sql,
        sql`(SELECT min(first.due_at) FROM unnest(${manufacturers}::text[]) AS manufacturer CROSS JOIN LATERAL (
          SELECT due_at FROM account_work WHERE account_work.manufacturer = manufacturer.manufacturer
          ORDER BY due_at LIMIT 1) AS first WHERE first.due_at < 'infinity')`
      ),
    /** Claims one account for another reason than its regular work, unless somebody works on it. */
    take: (accountId: string, claim: string, holder: string) =>
      queryRows(TakenClaim)(sql`WITH free AS MATERIALIZED (
          SELECT account_id, due_at FROM account_work
          WHERE account_id = ${accountId} AND (claim IS NULL OR due_at <= now()) AND NOT ${rests} FOR UPDATE SKIP LOCKED
        )
        UPDATE account_work w SET claim = ${claim}::uuid, holder = ${holder}::uuid, due_at = ${leased} FROM free
        WHERE w.account_id = free.account_id RETURNING w.claim, free.due_at::text AS "wasDueAt"`).pipe(
        Effect.map(([row]) => row)
      ),
    /**
     * Lets a claim last no longer than a lease, counted from now. Makes accounts due within some minutes that wait for longer than given,
     * and lists those soon whose listing is later than a listing ever is.
     */
    limitWaits: (longestMs: number) =>
      query(sql`WITH late AS MATERIALIZED (
          SELECT account_id, now() + random() * interval '${spread} seconds' AS soon FROM account_work
          WHERE due_at < 'infinity' AND (isfinite(discover_at) AND discover_at > now() + interval '${sql.literal(LONGEST_DISCOVERY)}'
            OR CASE WHEN claim IS NULL THEN due_at > now() + greatest(interval '${spread} seconds', ${longestMs}::float8 * interval '1 millisecond')
              ELSE due_at > ${leased} + interval '1 second' END)
          ORDER BY account_id FOR UPDATE
        )
        UPDATE account_work w SET
          due_at = CASE WHEN w.claim IS NULL THEN least(w.due_at, soon) ELSE least(w.due_at, ${leased}) END,
          read_at = least(w.read_at, soon),
          discover_at = CASE WHEN isfinite(w.discover_at) AND w.discover_at > now() + interval '${sql.literal(LONGEST_DISCOVERY)}' THEN soon ELSE w.discover_at END
        FROM late WHERE w.account_id = late.account_id`),
    /** Ends such a claim; the regular work stays due as it was. */
    giveBack: (accountId: string, { claim, wasDueAt }: TakenClaim) =>
      query(sql`UPDATE account_work SET claim = NULL, due_at = ${wasDueAt}::timestamptz, refreshing_since = NULL
        WHERE account_id = ${accountId} AND claim = ${claim}::uuid`),
    /** Extends leases whose claims are still held. Returns their names. */
    renew: (claims: ReadonlyArray<AccountLease>) =>
      queryRows(AccountLease)(
        sql`WITH held AS MATERIALIZED (
          SELECT w.account_id FROM jsonb_to_recordset(${JSON.stringify(claims)}::jsonb)
            AS given ("accountId" text, claim uuid)
          JOIN account_work w ON w.account_id = given."accountId" AND w.claim = given.claim
          ORDER BY 1 FOR UPDATE OF w
        )
        UPDATE account_work w SET due_at = ${leased} FROM held WHERE w.account_id = held.account_id
        RETURNING w.account_id AS "accountId", w.claim`.unprepared
      ).pipe(Effect.map((rows) => new Set(rows.map(({ accountId, claim }) => leaseName(claim, accountId))))),
    /** Ends the leases of a process that is gone: its accounts are due. What it had begun is known by `refreshing_since`. */
    endLeases: (holder: string) =>
      query(sql`UPDATE account_work SET claim = NULL, due_at = least(due_at, clock_timestamp())
        WHERE holder = ${holder}::uuid AND claim IS NOT NULL`),
    /** Ends a lease whose claim is still held, without a record: the account is due again after a pause. */
    putOff: ({ accountId, claim }: AccountLease, pause: number) =>
      query(sql`UPDATE account_work SET claim = NULL, refreshing_since = NULL,
          due_at = clock_timestamp() + ${pause}::float8 * interval '1 millisecond'
        WHERE account_id = ${accountId} AND claim = ${claim}::uuid`),
    /** Ends claims that are still held, and makes the next work due. */
    release: (released: ReadonlyArray<ReleasedWork>) =>
      query(
        sql`WITH held AS MATERIALIZED (
          SELECT w.account_id, given.* FROM jsonb_to_recordset(${JSON.stringify(released)}::jsonb)
            AS given ("accountId" text, claim uuid, "dueInMs" float8, "discoverInMs" float8, "readInMs" float8,
              failures integer)
          JOIN account_work w ON w.account_id = given."accountId" AND w.claim = given.claim
          ORDER BY 1 FOR UPDATE OF w
        )
        UPDATE account_work w SET claim = NULL, refreshing_since = NULL, failures = held.failures,
          due_at = coalesce(now() + held."dueInMs" * interval '1 millisecond', 'infinity'),
          discover_at = coalesce(now() + held."discoverInMs" * interval '1 millisecond', w.discover_at),
          read_at = coalesce(now() + held."readInMs" * interval '1 millisecond', w.read_at)
        FROM held WHERE w.account_id = held.account_id`.unprepared
      ),
    /** For a transaction: whether the claim is held, which it then is until the transaction ends. */
    holds: (accountId: string, claim: string) =>
      query(
        sql`SELECT FROM account_work WHERE account_id = ${accountId} AND claim = ${claim}::uuid FOR NO KEY UPDATE`
      ).pipe(Effect.map((rows) => rows.length > 0)),
    /** Notes that a refresh begins. Returns whether the claim is held. */
    beginRefresh: (accountId: string, claim: string, now: Date) =>
      query(sql`UPDATE account_work SET refreshing_since = ${now}
        WHERE account_id = ${accountId} AND claim = ${claim}::uuid RETURNING account_id`).pipe(
        Effect.map((rows) => rows.length > 0)
      ),
    endRefresh: (accountId: string) =>
      query(sql`UPDATE account_work SET refreshing_since = NULL WHERE account_id = ${accountId}`),
    /** Makes an account due at once, whoever works on it. */
    restart: (accountId: string, discoverInMs: number) =>
      query(sql`UPDATE account_work SET due_at = now(), read_at = now(), claim = NULL, refreshing_since = NULL,
          discover_at = now() + ${discoverInMs} * interval '1 millisecond', failures = 0, problem = NULL
        WHERE account_id = ${accountId}`),
    /** Ends the work on an account for good; a worker that is at it loses its claim. */
    stop: (accountId: string) =>
      query(sql`UPDATE account_work SET due_at = 'infinity', claim = NULL, refreshing_since = NULL
        WHERE account_id = ${accountId}`),
    /** Brings the next readings of accounts forward on which nobody works. */
    hurry: (wanted: ReadonlyArray<{ readonly accountId: string; readonly inSeconds: number }>) =>
      query(
        sql`WITH given AS MATERIALIZED (
          SELECT "accountId", now() + min("inSeconds") * interval '1 second' AS at
          FROM jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) AS g ("accountId" text, "inSeconds" float8) GROUP BY 1
        ), free AS MATERIALIZED (
          SELECT w.account_id, given.at FROM given JOIN account_work w ON w.account_id = given."accountId"
          WHERE w.claim IS NULL AND w.due_at < 'infinity' AND (w.due_at > given.at OR coalesce(w.read_at, 'infinity') > given.at)
          ORDER BY 1 FOR UPDATE OF w
        )
        UPDATE account_work w SET due_at = least(w.due_at, free.at), read_at = least(w.read_at, free.at)
        FROM free WHERE w.account_id = free.account_id`.unprepared
      ),
    state: (accountId: string) =>
      queryRows(MemoryProblemRow)(sql`SELECT memory, problem FROM account_work
        WHERE account_id = ${accountId}`).pipe(Effect.map(([row]) => row)),
    setMemory: (accountId: string, memory: unknown) =>
      query(sql`UPDATE account_work SET memory = ${JSON.stringify(memory)}::jsonb WHERE account_id = ${accountId}`),
    setProblem: (accountId: string, problem: string | null) =>
      query(sql`UPDATE account_work SET problem = ${problem} WHERE account_id = ${accountId}`)
  }
})
