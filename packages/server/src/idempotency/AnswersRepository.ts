import { Context, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../sql/transaction.ts"

/** What a request is known by: digests, so that neither a key nor a header of any length is stored. */
export interface Asked {
  /** SHA-256 of the API key's id, the path and the header. */
  readonly scope: Uint8Array
  /** SHA-256 of what was sent. */
  readonly request: Uint8Array
}

export interface StoredAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** A row as it is found: without a status its request still runs. */
export type Found = { readonly scope: Uint8Array; readonly request: Uint8Array } & (
  | StoredAnswer
  | { readonly status: null }
)

const BATCH = 1000

// The clock is the database's: instances must agree on when a lease ends.
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    /** Takes the scope for `claim` unless somebody runs or has answered; an expired row counts as none. */
    claim: ({ scope, request }: Asked, claim: string, leaseSeconds: number) =>
      query(sql`INSERT INTO idempotent_answers AS held (scope, request, claim, expires_at)
        VALUES (${scope}, ${request}, ${claim}::uuid, now() + make_interval(secs => ${leaseSeconds}))
        ON CONFLICT (scope) DO UPDATE SET request = excluded.request, claim = excluded.claim, status = NULL,
          headers = NULL, body = NULL, expires_at = excluded.expires_at
          WHERE held.expires_at <= now()
        RETURNING scope`).pipe(Effect.map((rows) => rows.length > 0)),
    find: (scopes: ReadonlyArray<Uint8Array>) =>
      query(sql<Found>`SELECT scope, request, status, headers, body FROM idempotent_answers
        WHERE scope = ANY(${scopes}) AND expires_at > now()`),
    renew: (scope: Uint8Array, claim: string, leaseSeconds: number) =>
      query(sql`UPDATE idempotent_answers SET expires_at = now() + make_interval(secs => ${leaseSeconds})
        WHERE scope = ${scope} AND claim = ${claim}::uuid AND status IS NULL`),
    /** Tried several times: what the request did is done, and only this row keeps a repetition from doing it again. */
    store: (scope: Uint8Array, claim: string, { status, headers, body }: StoredAnswer, keptSeconds: number) =>
      query(
        sql`UPDATE idempotent_answers SET status = ${status}, headers = ${JSON.stringify(headers)}::jsonb,
            body = ${body}, expires_at = now() + make_interval(secs => ${keptSeconds})
          WHERE scope = ${scope} AND claim = ${claim}::uuid`.pipe(
          Effect.retry({ times: 4, schedule: Schedule.exponential("100 millis") })
        )
      ),
    release: (scope: Uint8Array, claim: string) =>
      query(sql`DELETE FROM idempotent_answers WHERE scope = ${scope} AND claim = ${claim}::uuid AND status IS NULL`),
    /** Answers whether there may be more. */
    deleteExpired: query(sql`DELETE FROM idempotent_answers WHERE scope IN (
        SELECT scope FROM idempotent_answers WHERE expires_at <= now() ORDER BY expires_at
        LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
      RETURNING 1`).pipe(Effect.map((rows) => rows.length === BATCH))
  }
})

export class AnswersRepository extends Context.Service<AnswersRepository, Effect.Success<typeof make>>()(
  "@edp/server/AnswersRepository"
) {
  static readonly layer = Layer.effect(AnswersRepository, make)
}
