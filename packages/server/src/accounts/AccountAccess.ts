import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Fiber, FiberSet, Layer, Metric, Schedule } from "effect"
import type { Account } from "@edp/adapter-kit/Account"
import { AdapterError, isAdapterError } from "@edp/adapter-kit/AdapterError"
import type { AdapterInstance } from "@edp/adapter-kit/ManufacturerAdapter"
import { batchedLookup } from "../platform/batching/batched.ts"
import { LeaseHolder } from "../platform/jobs/LeaseHolder.ts"
import { type Leased, leaseTime } from "../platform/jobs/JobRunner.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { AccountCalls, type Calls } from "./calls/AccountCalls.ts"
import { AccountCredentials } from "./credentials/AccountCredentials.ts"
import { AccountLifecycle } from "./AccountLifecycle.ts"
import { AccountsRepository } from "./AccountsRepository.ts"
import { accountLimits } from "./accountLimits.ts"
import { AccountWorkRepository } from "./AccountWorkRepository.ts"
import type { AccountRow, CallableAccount } from "./accountRow.ts"
import { Adapters, type RunningAdapter } from "./adapter-hosts/Adapters.ts"
import type { CallPurpose } from "./quotas/quotaWindows.ts"

/** How often a command that waits for another worker's refresh polls for its end. */
const LOOK = "200 millis"
/** Attempts to store new credentials while the database is away: one in two seconds. They exist nowhere else. */
const STORE_ATTEMPTS = 150

const refreshesTotal = Metric.counter("edp_account_refreshes_total", {
  description: "Renewals of accounts' credentials, by outcome: renewed, lost (the manufacturer refuses) or failed",
  incremental: true
})
const refreshed = {
  renewed: Metric.withAttributes(refreshesTotal, { outcome: "renewed" }),
  lost: Metric.withAttributes(refreshesTotal, { outcome: "lost" }),
  failed: Metric.withAttributes(refreshesTotal, { outcome: "failed" })
}
const count = (outcome: keyof typeof refreshed) => refreshed[outcome].updateUnsafe(1, Context.empty())

/** An account with its credentials, and the calls that work on it makes. */
export interface Session {
  readonly row: AccountRow
  readonly account: Account<unknown>
  readonly calls: Calls
}

interface SessionOptions {
  readonly purpose: CallPurpose
  readonly memory: unknown
  readonly leased?: Pick<Leased<unknown>, "isHeld"> | undefined
}

/** Access to accounts: decrypted credentials, which are renewed by one worker at a time. */
export class AccountAccess extends Context.Service<
  AccountAccess,
  {
    readonly session: (
      running: RunningAdapter,
      row: AccountRow,
      options: SessionOptions
    ) => Effect.Effect<Session, AdapterError>
    /**
     * Renews the credentials under a claim, and returns the account with them. It goes on when its caller is interrupted, because a
     * manufacturer that rotates tokens has made the old ones void.
     */
    readonly refresh: (
      running: RunningAdapter,
      row: AccountRow,
      claim: string,
      leased: Pick<Leased<unknown>, "isHeld">
    ) => Effect.Effect<AccountRow, AdapterError | DatabaseUnavailable>
    /** No call is made after the lease was lost, if there is one. */
    readonly withAccount: <A, E>(
      accountId: string,
      use: (account: Account<unknown>, instance: AdapterInstance<unknown>) => Effect.Effect<A, E>,
      leased?: Pick<Leased<unknown>, "isHeld">
    ) => Effect.Effect<A, E | AdapterError | DatabaseUnavailable>
    /** Ends the permission of an account that is gone, in the background. */
    readonly revoke: (row: AccountRow) => Effect.Effect<void>
  }
>()("@edp/server/accounts/AccountAccess") {
  static readonly layer = Layer.effect(
    AccountAccess,
    Effect.gen(function* () {
      const accounts = yield* AccountsRepository
      const work = yield* AccountWorkRepository
      const adapters = yield* Adapters
      const credentials = yield* AccountCredentials
      const lifecycle = yield* AccountLifecycle
      const calls = yield* AccountCalls
      const holder = yield* LeaseHolder
      const background = yield* FiberSet.make<unknown, unknown>()
      for (const metric of Object.values(refreshed)) metric.updateUnsafe(0, Context.empty())
      // Running exchanges may end; the set interrupts the others after this.
      yield* Effect.addFinalizer(() => Effect.timeoutOption(FiberSet.awaitEmpty(background), "10 seconds"))

      const session = Effect.fnUntraced(function* (
        { adapter, manifest, send }: RunningAdapter,
        row: AccountRow,
        { leased, memory, purpose }: SessionOptions
      ) {
        const opened = yield* credentials.open(adapter, row)
        const made = calls.make({ manifest, send, account: row, purpose, leased })
        const account: Account<unknown> = {
          id: row.id,
          externalId: row.externalId,
          credentials: opened,
          memory,
          http: made.http
        }
        return { row, account, calls: made }
      })

      /** Repeats while the database is unavailable. A defect is a bug, which repeating would not mend. */
      const persistently = <A>(store: Effect.Effect<A, DatabaseUnavailable>) =>
        Effect.retry(store, { times: STORE_ATTEMPTS - 1, schedule: Schedule.spaced("2 seconds") })

      const revokeWith = ({ instance }: RunningAdapter, { account, calls: made }: Session) =>
        instance.revoke === undefined
          ? Effect.void
          : made
              .run(instance.revoke(account))
              .pipe(
                Effect.catchTag("AdapterError", ({ message }) =>
                  Effect.logInfo(`The permission of the account ${account.id} was not revoked: ${message}`)
                )
              )

      const exchange = Effect.fnUntraced(function* (
        running: RunningAdapter,
        row: AccountRow,
        claim: string,
        leased: Pick<Leased<unknown>, "isHeld">
      ) {
        const { adapter, instance } = running
        if (instance.refresh === undefined) {
          return yield* AdapterError.of("grant_lost", "The manufacturer no longer accepts the account's credentials")
        }
        const at = new Date(yield* Clock.currentTimeMillis)
        if (!(yield* work.beginRefresh(row.id, claim, at))) {
          return yield* AdapterError.of("elsewhere", "Another instance works on the account")
        }
        const old = yield* session(running, row, { purpose: "command", memory: null, leased })
        const renewed = yield* old.calls.run(instance.refresh(old.account))
        const stored = yield* credentials.seal(adapter, row.id, renewed.credentials, renewed.expiresAt)
        const isKept = yield* persistently(lifecycle.renew(row, stored))
        const now = yield* accounts.get(row.id)
        if (isKept && now !== undefined) return now
        if (now === undefined || now.status === "disconnected") {
          yield* revokeWith(running, { ...old, account: { ...old.account, credentials: renewed.credentials } })
          return yield* AdapterError.of("grant_lost", "The account was disconnected")
        }
        return now
      })

      const refresh = Effect.fn("AccountAccess.refresh")(function* (
        running: RunningAdapter,
        row: AccountRow,
        claim: string,
        leased: Pick<Leased<unknown>, "isHeld">
      ) {
        const outcome = exchange(running, row, claim, leased).pipe(
          Effect.tapErrorTag("AdapterError", (error) => {
            if (error.failure !== "grant_lost") return Effect.sync(() => count("failed"))
            count("lost")
            return lifecycle.lose(row, error, claim)
          }),
          Effect.tap(() => Effect.sync(() => count("renewed")))
        )
        const fiber = yield* FiberSet.run(background, outcome)
        return (yield* Fiber.join(fiber)) as AccountRow
      })

      /** The account with credentials of a later generation, by this worker's refresh or another's. */
      const freshen = Effect.fnUntraced(function* (running: RunningAdapter, row: AccountRow) {
        const begun = yield* Clock.currentTimeMillis
        while (true) {
          const now = yield* Clock.currentTimeMillis
          const isHeld = yield* leaseTime(accountLimits.leaseSeconds * 1000)
          const claim = yield* work.take(row.id, randomUUID(), holder.id)
          const current = yield* accounts.get(row.id)
          if (claim !== undefined) {
            const next =
              current === undefined || current.generation !== row.generation
                ? Effect.succeed(current)
                : refresh(running, current, claim.claim, { isHeld })
            const found = yield* Effect.onExit(
              next as Effect.Effect<AccountRow, AdapterError | DatabaseUnavailable>,
              () => Effect.asVoid(work.giveBack(row.id, claim))
            )
            return found
          }
          if (current !== undefined && current.generation !== row.generation) return current
          if (now - begun > accountLimits.refreshPatienceSeconds * 1000) {
            return yield* AdapterError.of("elsewhere", "Another worker holds the account")
          }
          yield* Effect.sleep(LOOK)
        }
      })

      const requireUsable = (row: CallableAccount | undefined) =>
        row !== undefined && (row.status === "connected" || row.status === "pending")
          ? Effect.succeed(row)
          : Effect.fail(AdapterError.of("grant_lost", "The account is not connected"))

      const find = yield* batchedLookup(
        (ids: ReadonlyArray<string>) =>
          Effect.map(accounts.callable([...new Set(ids)]), (rows) => new Map(rows.map((row) => [row.id, row]))),
        (id) => id
      )
      const findUsable = (id: string) => Effect.flatMap(find(id), requireUsable)

      const withAccount = Effect.fnUntraced(function* <A, E>(
        accountId: string,
        use: (account: Account<unknown>, instance: AdapterInstance<unknown>) => Effect.Effect<A, E>,
        leased?: Pick<Leased<unknown>, "isHeld">
      ) {
        const row = yield* findUsable(accountId)
        const running = adapters.get(row.manufacturer)
        if (running === undefined) {
          return yield* AdapterError.of("misconfigured", `The adapter of ${row.manufacturer} does not run`)
        }
        if (row.pausedUntil !== null) {
          const retryAt = row.pausedUntil.getTime()
          return yield* AdapterError.of("throttled", "The manufacturer has asked for a pause", { retryAt })
        }
        const now = yield* Clock.currentTimeMillis
        const isOld =
          row.expiresAt !== null && row.expiresAt.getTime() - accountLimits.renewalAheadSeconds * 1000 <= now
        const canRefresh = running.instance.refresh !== undefined
        const freshened = (old: AccountRow) => Effect.andThen(freshen(running, old), findUsable(accountId))
        const fresh = isOld && canRefresh ? yield* freshened(row) : row
        const call = (current: CallableAccount): Effect.Effect<A, E | AdapterError | DatabaseUnavailable> =>
          Effect.flatMap(
            session(running, current, { purpose: "command", memory: current.memory ?? null, leased }),
            ({ account, calls: made }) => made.run(use(account, running.instance))
          )
        return yield* Effect.catch(call(fresh), (error) =>
          isAdapterError(error) && error.failure === "token_refused" && canRefresh
            ? Effect.flatMap(freshened(fresh), call)
            : Effect.fail(error)
        )
      })

      return {
        session,
        refresh,
        withAccount: (accountId, use, leased) =>
          withAccount(accountId, use, leased).pipe(
            Effect.withSpan("AccountAccess.withAccount", { attributes: { accountId } })
          ),
        revoke: Effect.fnUntraced(function* (row) {
          const running = adapters.get(row.manufacturer)
          if (running?.instance.revoke === undefined) return
          yield* FiberSet.run(
            background,
            session(running, row, { purpose: "command", memory: null }).pipe(
              Effect.flatMap((opened) => revokeWith(running, opened)),
              Effect.catchCause((cause) => Effect.logInfo(`The account ${row.id} could not be revoked`, cause)),
              Effect.exit
            )
          )
        })
      }
    })
  )
}
