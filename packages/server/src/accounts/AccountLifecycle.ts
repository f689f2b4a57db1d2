import { Clock, Context, Effect, Layer, Random } from "effect"
import { SqlClient } from "effect/sql"
import type { AdapterError } from "@edp/adapter-kit/AdapterError"
import { Ids } from "../platform/Ids.ts"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { AccountAlerts } from "./reports/AccountAlerts.ts"
import { AccountCredentials } from "./credentials/AccountCredentials.ts"
import { AccountsRepository, type StoredCredentials } from "./AccountsRepository.ts"
import { AccountWorkRepository } from "./AccountWorkRepository.ts"
import { DeviceTaken } from "./accountErrors.ts"
import { signInAgain } from "./reports/accountObstacles.ts"
import type { AccountRow, FinishedAccount, NewAccount } from "./accountRow.ts"
import { Adapters, type RunningAdapter } from "./adapter-hosts/Adapters.ts"
import { DeviceImport } from "./devices/DeviceImport.ts"
import { InboundClaimsRepository } from "./InboundClaimsRepository.ts"
import { discoveryPause } from "./readingSchedule.ts"

/** The states of accounts, from the sign-in to the end, with their devices, events and alerts. */
export class AccountLifecycle extends Context.Service<
  AccountLifecycle,
  {
    readonly begin: (running: RunningAdapter, account: NewAccount) => Effect.Effect<string, DatabaseUnavailable>
    readonly finish: (
      accountId: string,
      choice: FinishedAccount
    ) => Effect.Effect<
      { readonly accountId: string; readonly deviceIds: ReadonlyArray<string> },
      DeviceTaken | DatabaseUnavailable
    >
    /** Ends an account whose permission was lost, unless other credentials were stored meanwhile or the claim is another's. */
    readonly lose: (account: AccountRow, error: AdapterError, claim: string) => Effect.Effect<void, DatabaseUnavailable>
    /**
     * Stores renewed credentials in place of those of the account's generation. An account that failed because nobody had them yet is
     * connected again. Returns whether they were stored.
     */
    readonly renew: (account: AccountRow, stored: StoredCredentials) => Effect.Effect<boolean, DatabaseUnavailable>
    /** Returns the account as it was before, whose permission has yet to be revoked. */
    readonly disconnect: (
      workspaceId: string,
      accountId: string
    ) => Effect.Effect<AccountRow | undefined, DatabaseUnavailable>
    /** Deletes a pending account. Returns it unless a connected account of the same identity still needs the permission. */
    readonly discard: (accountId: string) => Effect.Effect<AccountRow | undefined, DatabaseUnavailable>
  }
>()("@edp/server/accounts/AccountLifecycle") {
  static readonly layer = Layer.effect(
    AccountLifecycle,
    Effect.gen(function* () {
      const accounts = yield* AccountsRepository
      const work = yield* AccountWorkRepository
      const claims = yield* InboundClaimsRepository
      const adapters = yield* Adapters
      const alerts = yield* AccountAlerts
      const credentials = yield* AccountCredentials
      const imports = yield* DeviceImport
      const outbox = yield* EventOutbox
      const ids = yield* Ids
      const sql = yield* SqlClient.SqlClient
      const transaction = transactionsOn(sql)
      const now = Effect.map(Clock.currentTimeMillis, (at) => new Date(at))

      const restart = ({ id, manufacturer }: AccountRow) =>
        Effect.flatMap(Random.next, (random) =>
          work.restart(id, discoveryPause(adapters.get(manufacturer)?.manifest.polling ?? null, random))
        )

      const manufacturerName = (slug: string) => adapters.get(slug)?.manifest.name ?? slug

      /** The account that goes on: the one of the same identity, else the pending one itself. */
      const chooseTarget = Effect.fnUntraced(function* (
        pending: AccountRow,
        { reconnect, referenceId }: FinishedAccount
      ) {
        const { externalId, manufacturer, workspaceId } = pending
        const same = yield* accounts.byExternalId(workspaceId, manufacturer, externalId)
        if (same === undefined) return pending
        const locked = (yield* accounts.lock(same.id)) ?? same
        const mayTake =
          locked.status !== "connected" ||
          reconnect === locked.id ||
          (reconnect !== null && locked.referenceId === referenceId)
        return mayTake ? locked : yield* new DeviceTaken({ manufacturerDeviceIds: [] })
      })

      const finish = Effect.fnUntraced(function* (accountId: string, choice: FinishedAccount) {
        const pending = yield* accounts.lock(accountId)
        if (pending === undefined || pending.status !== "pending") {
          return yield* Effect.die(new Error(`The account ${accountId} is not being linked`))
        }
        const target = yield* chooseTarget(pending, choice)
        const isSame = target.id === pending.id
        const sealed = isSame
          ? pending.sealedCredentials!
          : yield* credentials.move(pending.sealedCredentials!, pending.id, target.id)
        const listed = pending.discovered ?? []
        const { customerId, referenceId, siteId, tags } = choice
        const at = yield* now
        const { expiresAt, name, refreshAt } = pending
        if (isSame) yield* claims.end(pending.id)
        else yield* accounts.remove(pending.id)
        yield* accounts
          .connect({
            id: target.id,
            name,
            customerId,
            siteId,
            referenceId,
            tags,
            discovered: listed,
            now: at,
            sealed,
            expiresAt,
            refreshAt
          })
          .pipe(
            Effect.mapError((error) =>
              DatabaseUnavailable.is(error) ? error : new DeviceTaken({ manufacturerDeviceIds: [] })
            )
          )
        const owner = { ...target, customerId, siteId, referenceId, tags }
        const deviceIds = yield* imports.connect(owner, listed, choice.manufacturerDeviceIds)
        yield* alerts.settle(target, ["grant", "setup", "answers"])
        yield* restart(target)
        return { accountId: target.id, deviceIds }
      })

      const lose = Effect.fnUntraced(function* ({ generation, id }: AccountRow, error: AdapterError, claim: string) {
        const account = yield* accounts.lock(id)
        if (account === undefined || account.status !== "connected" || account.generation !== generation) return
        if (!(yield* work.holds(id, claim))) return
        const at = yield* now
        const message = error.message
        yield* accounts.setStatus(id, "failed", { failure: error.failure, message, at: at.toISOString() }, at)
        yield* work.stop(id)
        yield* outbox.publish([
          {
            type: "CONNECTION_FAILED",
            workspaceId: account.workspaceId,
            data: {
              session: null,
              account: { id, manufacturer: account.manufacturer, referenceId: account.referenceId },
              error: { code: error.upstream?.errorCode ?? "grant_lost", message }
            }
          }
        ])
        yield* imports.disconnectAll(account, at, signInAgain(manufacturerName(account.manufacturer)))
        yield* alerts.raise(account, "grant", message)
      })

      return {
        begin: Effect.fn("AccountLifecycle.begin")(function* ({ adapter }, account) {
          const { holder, linked, manufacturer, referenceId, tags, workspaceId } = account
          const id = yield* ids.next
          const stored = yield* credentials.seal(adapter, id, linked.credentials, linked.expiresAt)
          const { externalId, name } = linked
          yield* accounts.insert(
            { id, workspaceId, manufacturer, externalId, name, referenceId, tags, ...stored },
            yield* now
          )
          if (holder !== undefined) yield* claims.bind({ manufacturer, externalId, holder }, id)
          return id
        }),
        finish: Effect.fn("AccountLifecycle.finish")((accountId, choice) => transaction(finish(accountId, choice))),
        lose: Effect.fn("AccountLifecycle.lose")((account, error, claim) => transaction(lose(account, error, claim))),
        renew: Effect.fn("AccountLifecycle.renew")((account, stored) =>
          Effect.gen(function* () {
            const at = yield* now
            const before = yield* accounts.lock(account.id)
            const status = yield* accounts.renew(account.id, account.generation, stored, at)
            if (status === undefined || before === undefined) return false
            yield* work.endRefresh(account.id)
            if (status !== "failed") return true
            yield* accounts.setStatus(account.id, "connected", null, at)
            yield* imports.reconnectAll(before, at)
            yield* alerts.settle(before, ["grant"])
            yield* restart(account)
            return true
          }).pipe(transaction)
        ),
        disconnect: Effect.fn("AccountLifecycle.disconnect")((workspaceId, accountId) =>
          Effect.gen(function* () {
            const account = yield* accounts.lock(accountId)
            if (account === undefined || account.workspaceId !== workspaceId) return undefined
            if (account.status === "pending" || account.status === "disconnected") return undefined
            const at = yield* now
            yield* imports.disconnectAll(account, at)
            yield* accounts.disconnect(accountId, at)
            yield* work.stop(accountId)
            yield* alerts.settle(account, ["grant", "setup", "answers"])
            return account
          }).pipe(transaction)
        ),
        discard: Effect.fn("AccountLifecycle.discard")((accountId) =>
          Effect.gen(function* () {
            const account = yield* accounts.lock(accountId)
            if (account?.status !== "pending") return undefined
            yield* accounts.remove(accountId)
            const { externalId, manufacturer, workspaceId } = account
            const same = yield* accounts.byExternalId(workspaceId, manufacturer, externalId)
            return same?.status === "connected" ? undefined : account
          }).pipe(transaction)
        )
      }
    })
  )
}
