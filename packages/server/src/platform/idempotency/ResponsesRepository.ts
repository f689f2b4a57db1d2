import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Claim, StoredResponse } from "../sql/RequestTransaction.ts"
import { query } from "../sql/transaction.ts"
import { JsonColumn, queryRows } from "../sql/rows.ts"

export type { StoredResponse }

/** Digests that identify a request, so that neither a key nor a long header is stored. */
export interface RequestDigests {
  /** SHA-256 of the API key's id, the path and the header. */
  readonly scope: Uint8Array
  /** SHA-256 of the query and the body. */
  readonly request: Uint8Array
}

/** A stored row. Without a status its request is still running. An expired one may be taken over. */
const digests = { scope: Schema.Uint8Array, request: Schema.Uint8Array, expired: Schema.Boolean }
export const FoundResponse = Schema.Union([
  Schema.Struct({
    ...digests,
    status: Schema.Int,
    headers: JsonColumn<Readonly<Record<string, string>>>(),
    body: Schema.Uint8Array
  }),
  Schema.Struct({ ...digests, status: Schema.Null })
])
export type FoundResponse = typeof FoundResponse.Type

export interface ClaimedResponse extends Claim {
  readonly response: StoredResponse
}

const KEPT_SECONDS = 24 * 60 * 60

const BATCH = 1000

const ScopeRow = Schema.Struct({ scope: Schema.Uint8Array })

// The clock is the database's: instances must agree on when a lease ends.
export const ResponsesRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    /** Claims the scope if it has no row. */
    claim: ({ scope, request }: RequestDigests, claim: string, leaseSeconds: number) =>
      query(sql`INSERT INTO idempotent_answers (scope, request, claim, expires_at)
        VALUES (${scope}, ${request}, ${claim}::uuid, now() + make_interval(secs => ${leaseSeconds}))
        ON CONFLICT (scope) DO NOTHING RETURNING scope`).pipe(Effect.map((rows) => rows.length > 0)),
    /** Claims the scope if its row has expired and no transaction has locked it. */
    takeOver: ({ scope, request }: RequestDigests, claim: string, leaseSeconds: number) =>
      query(sql`UPDATE idempotent_answers SET request = ${request}, claim = ${claim}::uuid, status = NULL,
          headers = NULL, body = NULL, expires_at = now() + make_interval(secs => ${leaseSeconds})
        WHERE scope IN (SELECT scope FROM idempotent_answers WHERE scope = ${scope} AND expires_at <= now()
          FOR UPDATE SKIP LOCKED)
        RETURNING scope`).pipe(Effect.map((rows) => rows.length > 0)),
    find: (scopes: ReadonlyArray<Uint8Array>) =>
      queryRows(FoundResponse)(sql`SELECT scope, request, status, headers, body, expires_at <= now() AS expired
        FROM idempotent_answers WHERE scope = ANY(${scopes})`),
    /** A claim that a transaction has locked needs no lease. */
    renew: (scope: Uint8Array, claim: string, leaseSeconds: number) =>
      query(sql`UPDATE idempotent_answers SET expires_at = now() + make_interval(secs => ${leaseSeconds})
        WHERE scope IN (SELECT scope FROM idempotent_answers
          WHERE scope = ${scope} AND claim = ${claim}::uuid AND status IS NULL FOR UPDATE SKIP LOCKED)`),
    /** Locks the claims until the transaction ends, so that none is taken over. Returns the scopes of those that are still valid. */
    hold: (claims: ReadonlyArray<Claim>) =>
      queryRows(ScopeRow)(sql`SELECT scope FROM idempotent_answers
        JOIN unnest(${claims.map(({ scope }) => scope)}::bytea[], ${claims.map(({ claim }) => claim)}::uuid[])
          AS given (scope, claim) USING (scope, claim)
        WHERE status IS NULL ORDER BY scope FOR UPDATE OF idempotent_answers`).pipe(
        Effect.map((rows) => rows.map(({ scope }) => scope))
      ),
    store: (responses: ReadonlyArray<ClaimedResponse>) =>
      query(sql`UPDATE idempotent_answers AS held SET status = given.status, headers = given.headers::jsonb,
          body = given.body, expires_at = now() + make_interval(secs => ${KEPT_SECONDS})
        FROM unnest(${responses.map(({ scope }) => scope)}::bytea[], ${responses.map(({ claim }) => claim)}::uuid[],
          ${responses.map(({ response }) => response.status)}::smallint[],
          ${responses.map(({ response }) => JSON.stringify(response.headers))}::text[],
          ${responses.map(({ response }) => response.body)}::bytea[]) AS given (scope, claim, status, headers, body)
        WHERE held.scope = given.scope AND held.claim = given.claim AND held.status IS NULL`),
    release: (scope: Uint8Array, claim: string) =>
      query(sql`DELETE FROM idempotent_answers WHERE scope = ${scope} AND claim = ${claim}::uuid AND status IS NULL`),
    /** Deletes the claims of an earlier process, in a database that only one process uses. */
    releaseAll: (leaseSeconds: number) =>
      query(sql`DELETE FROM idempotent_answers
        WHERE expires_at <= now() + make_interval(secs => ${leaseSeconds}) AND status IS NULL`),
    /** Returns whether there may be more. */
    deleteExpired: query(sql`DELETE FROM idempotent_answers WHERE scope IN (
        SELECT scope FROM idempotent_answers WHERE expires_at <= now() ORDER BY expires_at
        LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
      RETURNING 1`).pipe(Effect.map((rows) => rows.length === BATCH))
  }
})
