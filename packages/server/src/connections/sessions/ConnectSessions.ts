import { createHash } from "node:crypto"
import type { ConnectError } from "@edp/domain/connections/ConnectError"
import type { ConnectSessionStatus as Status } from "@edp/domain/connections/ConnectSession"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Accounts } from "../../accounts/Accounts.ts"
import { EventOutbox } from "../../platform/outbox/EventOutbox.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { AuthorizationsRepository } from "../AuthorizationsRepository.ts"
import { makeIsolation } from "../../platform/jobs/isolation.ts"
import { EXPIRY, ConnectionsRepository } from "../ConnectionsRepository.ts"
import { type SessionChanges, type SessionRow, failure, toSession } from "../sessionRow.ts"
import { isFinal, moveThrough } from "../sessionStatus.ts"

export const sha256 = (text: string): Uint8Array => createHash("sha256").update(text).digest()

/** A change of a session: the statuses that it passes through, and its other fields. */
export interface Change extends Omit<SessionChanges, "status" | "transitions" | "lastError"> {
  readonly path?: ReadonlyArray<Status>
  /** Required on the way through ERROR, DUPLICATE_CONNECTION and EXPIRED. */
  readonly error?: ConnectError
}

/** How many expired sessions one run of the job ends. */
const BATCH = 200

/** Reads and changes connect sessions. A session whose time is over is EXPIRED from then on, also before the job has come by. */
export class ConnectSessions extends Context.Service<
  ConnectSessions,
  {
    readonly find: (id: string) => Effect.Effect<SessionRow | undefined, DatabaseUnavailable>
    /** By the token of its link. */
    readonly findByToken: (token: string) => Effect.Effect<SessionRow | undefined, DatabaseUnavailable>
    /** Ends those of the sessions whose time is over. Returns whether there was one. */
    readonly expireSome: (ids: ReadonlyArray<string>) => Effect.Effect<boolean, DatabaseUnavailable>
    /**
     * Changes a session under its lock: of concurrent requests one decides, and the next one sees the result. `decide` runs in
     * the transaction and may run again, so it runs nothing but SQL. Returns the session as it is then.
     */
    readonly change: <E>(
      id: string,
      decide: (session: SessionRow) => Effect.Effect<Change | undefined, E>
    ) => Effect.Effect<SessionRow, E | DatabaseUnavailable>
    /** Ends expired sessions and clears what only their links needed. */
    readonly clearExpired: Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/ConnectSessions") {
  static readonly layer = Layer.effect(
    ConnectSessions,
    Effect.gen(function* () {
      const repository = yield* ConnectionsRepository
      const authorizations = yield* AuthorizationsRepository
      const accounts = yield* Accounts
      const outbox = yield* EventOutbox
      const sql = yield* SqlClient.SqlClient
      const transaction = transactionsOn(sql)
      const isolation = yield* makeIsolation(EXPIRY)

      const apply = Effect.fnUntraced(function* (session: SessionRow, { path = [], error, ...changes }: Change) {
        const now = new Date(yield* Clock.currentTimeMillis)
        const at = now.toISOString()
        const fields: SessionChanges = {
          ...changes,
          ...(path.length > 0 && {
            status: path.at(-1)!,
            transitions: moveThrough(session.transitions, path, at)
          }),
          ...(error !== undefined && { lastError: failure(error, at) })
        }
        yield* repository.update(session.id, fields, now)
        const after: SessionRow = { ...session, ...fields, updatedAt: now }
        if (path.includes("ERROR")) {
          const { code, message } = after.lastError!
          const data = { session: toSession(after), account: null, error: { code, message } }
          yield* outbox.publish([{ type: "CONNECTION_FAILED", workspaceId: session.workspaceId, data }])
        }
        return after
      })

      const isOver = (session: SessionRow, now: number) =>
        !isFinal(session.status) && session.expiresAt.getTime() <= now

      const change = <E>(id: string, decide: (session: SessionRow) => Effect.Effect<Change | undefined, E>) =>
        Effect.gen(function* () {
          const locked = (yield* repository.lock(id))!
          const session = isOver(locked, yield* Clock.currentTimeMillis)
            ? yield* apply(locked, { path: ["EXPIRED"], error: "expired" })
            : locked
          const wanted = yield* decide(session)
          return wanted === undefined ? session : yield* apply(session, wanted)
        }).pipe(transaction)

      const unchanged = () => Effect.succeed(undefined)

      const current = Effect.fnUntraced(function* (session: SessionRow | undefined) {
        if (session === undefined || !isOver(session, yield* Clock.currentTimeMillis)) return session
        return yield* change(session.id, unchanged)
      })

      const clear = Effect.fnUntraced(function* (id: string) {
        const { accountId, status } = yield* change(id, unchanged)
        const isPending = accountId !== null && status !== "SUCCESS"
        // First, so that a crash leaves the session to the next run.
        if (isPending) yield* accounts.discard(accountId)
        yield* authorizations.removeOf(id)
        yield* change(id, () =>
          Effect.succeed({
            ...(isPending && { accountId: null }),
            customerInfo: null,
            place: null,
            discovered: null,
            sealedInstructions: null,
            sealedKey: null,
            live: false
          })
        )
      })

      return {
        find: Effect.fn("ConnectSessions.find")((id) => Effect.flatMap(repository.get(id), current)),
        findByToken: Effect.fn("ConnectSessions.findByToken")((token) =>
          Effect.flatMap(repository.byToken(sha256(token)), current)
        ),
        expireSome: Effect.fn("ConnectSessions.expireSome")(function* (ids) {
          const due = yield* repository.openAndDue(ids, new Date(yield* Clock.currentTimeMillis))
          yield* Effect.forEach(due, (id) => change(id, unchanged))
          return due.length > 0
        }),
        change: (id, decide) => change(id, decide).pipe(Effect.withSpan("ConnectSessions.change")),
        clearExpired: Effect.gen(function* () {
          let due: ReadonlyArray<string>
          do {
            due = yield* repository.due(new Date(yield* Clock.currentTimeMillis), BATCH)
            yield* Effect.forEach(due, (id) => isolation.runIds([id], () => Effect.as(clear(id), 1)))
          } while (due.length === BATCH)
        }).pipe(Effect.withSpan("ConnectSessions.clearExpired"))
      }
    })
  )
}
