import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../platform/sql/transaction.ts"
import type { AccountClaim, ReleasedWork } from "./accountRow.ts"

/** A frozen or dead process's accounts are taken over after this. */
export const LEASE_SECONDS = 120

/** How many accounts of each manufacturer a claim takes at most. */
export interface ClaimRoom {
  readonly manufacturer: string
  readonly room: number
}

/** A claim that was taken for one account, and when its regular work was due: the database's text, which may be infinity. */
export interface TakenClaim {
  readonly claim: string
  readonly wasDueAt: string
}

// Times are the database's, so that processes whose clocks differ agree on leases.
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const leased = sql.literal(`clock_timestamp() + interval '${LEASE_SECONDS} seconds'`)
  const isPaused = sql.literal(`EXISTS (SELECT FROM manufacturer_pauses p WHERE p.manufacturer = rooms.manufacturer
    AND p.account_id = '' AND p.until > now())`)

  return {
    /** Leases accounts whose work is due, the longest overdue of each manufacturer first. */
    claim: (claim: string, rooms: ReadonlyArray<ClaimRoom>, most: number) =>
      query(sql<AccountClaim>`WITH due AS MATERIALIZED (
          SELECT w.account_id, w.due_at FROM jsonb_to_recordset(${JSON.stringify(rooms)}::jsonb)
            AS rooms (manufacturer text, room integer)
          CROSS JOIN LATERAL (
            SELECT account_id, due_at FROM account_work
            WHERE manufacturer = rooms.manufacturer AND due_at <= now()
            ORDER BY due_at LIMIT rooms.room FOR UPDATE SKIP LOCKED) AS w
          WHERE NOT ${isPaused}
          LIMIT ${most}
        )
        UPDATE account_work w SET claim = ${claim}::uuid, due_at = ${leased} FROM due
        WHERE w.account_id = due.account_id
        RETURNING w.account_id AS "accountId", w.manufacturer, w.claim,
          round(extract(epoch FROM now() - due.due_at) * 1000)::float8 AS "lateMs",
          round(extract(epoch FROM least(w.discover_at, now() + interval '1 year') - now()) * 1000)::float8 AS "discoverInMs",
          coalesce(round(extract(epoch FROM w.read_at - now()) * 1000), 0)::float8 AS "readInMs",
          w.failures, w.memory, w.problem, w.refreshing_since IS NOT NULL AS "isRefreshInterrupted"`),
    /** Claims one account for another reason than its regular work, unless somebody works on it. */
    take: (accountId: string, claim: string) =>
      query(sql<TakenClaim>`WITH free AS MATERIALIZED (
          SELECT account_id, due_at FROM account_work
          WHERE account_id = ${accountId} AND (claim IS NULL OR due_at <= now()) FOR UPDATE SKIP LOCKED
        )
        UPDATE account_work w SET claim = ${claim}::uuid, due_at = ${leased} FROM free
        WHERE w.account_id = free.account_id RETURNING w.claim, free.due_at::text AS "wasDueAt"`).pipe(
        Effect.map(([row]) => row)
      ),
    /** Ends such a claim; the regular work stays due as it was. */
    giveBack: (accountId: string, { claim, wasDueAt }: TakenClaim) =>
      query(sql`UPDATE account_work SET claim = NULL, due_at = ${wasDueAt}::timestamptz, refreshing_since = NULL
        WHERE account_id = ${accountId} AND claim = ${claim}::uuid`),
    /** Extends leases. Returns the accounts that are still this process's. */
    renew: (claims: ReadonlyArray<Pick<AccountClaim, "accountId" | "claim">>) =>
      query(
        sql<{ readonly accountId: string }>`WITH held AS MATERIALIZED (
          SELECT w.account_id FROM jsonb_to_recordset(${JSON.stringify(claims)}::jsonb)
            AS given ("accountId" text, claim uuid)
          JOIN account_work w ON w.account_id = given."accountId" AND w.claim = given.claim
          ORDER BY 1 FOR UPDATE OF w
        )
        UPDATE account_work w SET due_at = ${leased} FROM held WHERE w.account_id = held.account_id
        RETURNING w.account_id AS "accountId"`.unprepared
      ).pipe(Effect.map((rows) => new Set(rows.map(({ accountId }) => accountId)))),
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
    /** Brings the next reading forward if nobody works on the account. */
    hurry: (accountId: string, inMs: number) =>
      query(sql`UPDATE account_work SET due_at = least(due_at, now() + ${inMs} * interval '1 millisecond'),
          read_at = least(read_at, now() + ${inMs} * interval '1 millisecond')
        WHERE account_id = ${accountId} AND claim IS NULL AND due_at < 'infinity'`),
    state: (accountId: string) =>
      query(sql<{ readonly memory: unknown; readonly problem: string | null }>`SELECT memory, problem FROM account_work
        WHERE account_id = ${accountId}`).pipe(Effect.map(([row]) => row)),
    setMemory: (accountId: string, memory: unknown) =>
      query(sql`UPDATE account_work SET memory = ${JSON.stringify(memory)}::jsonb WHERE account_id = ${accountId}`),
    setProblem: (accountId: string, problem: string | null) =>
      query(sql`UPDATE account_work SET problem = ${problem} WHERE account_id = ${accountId}`)
  }
})

/** The work on accounts: when it is due, and who does it. */
export class AccountWorkRepository extends Context.Service<AccountWorkRepository, Effect.Success<typeof make>>()(
  "@edp/server/accounts/AccountWorkRepository"
) {
  static readonly layer = Layer.effect(AccountWorkRepository, make)
}
