import { Clock, Context, Effect, Exit, Layer } from "effect"
import type { Account, DiscoveredDevice } from "@edp/adapter-kit/Account"
import { AdapterError, ID_TAKEN } from "@edp/adapter-kit/AdapterError"
import type { AdapterInstance, Manifest } from "@edp/adapter-kit/ManufacturerAdapter"
import { batched } from "../platform/batching/batched.ts"
import type { Leased } from "../platform/jobs/JobRunner.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { AccountAccess } from "./AccountAccess.ts"
import { AccountDevicesRepository } from "./devices/AccountDevicesRepository.ts"
import { AccountLifecycle } from "./AccountLifecycle.ts"
import { makeIsolation } from "../platform/jobs/isolation.ts"
import { ABANDONED, AccountsRepository } from "./AccountsRepository.ts"
import { AccountWorkRepository } from "./AccountWorkRepository.ts"
import { type DeviceTaken, NotConnectable } from "./accountErrors.ts"
import type { AccountRow, AccountStatus, FinishedAccount, NewAccount } from "./accountRow.ts"
import { Adapters } from "./adapter-hosts/Adapters.ts"
import { type InboundClaim, InboundClaimsRepository } from "./InboundClaimsRepository.ts"

/** The longest time for which a connect session can be set up, and a day more. */
const ABANDONED_AFTER = 31 * 86_400_000

/** How many connected accounts a page names. */
const CONNECTED_NAMES = 20

/** An identity at a manufacturer, by itself or as that of an account. */
export type AccountIdentity = { readonly workspaceId: string; readonly manufacturer: string } & (
  | { readonly externalId: string }
  | { readonly accountId: string }
)

/** Accounts at manufacturers, with their devices. */
export class Accounts extends Context.Service<
  Accounts,
  {
    /** Manufacturers whose settings are complete. */
    readonly manufacturers: Effect.Effect<ReadonlyArray<Manifest>>
    readonly instance: (slug: string) => Effect.Effect<AdapterInstance<unknown>, NotConnectable>
    /**
     * Claims the id of a device with an inbound connection until a time. Fails if it is connected, or being linked by another holder of any
     * workspace, without telling which.
     */
    readonly claim: (claim: InboundClaim, expiresAt: Date) => Effect.Effect<void, AdapterError | DatabaseUnavailable>
    /** Stores a pending account with encrypted credentials. Returns its id. */
    readonly begin: (account: NewAccount) => Effect.Effect<string, DatabaseUnavailable>
    /** Asks the manufacturer for the devices of an account; of one with an inbound connection, what it has reported so far. */
    readonly discover: (
      accountId: string
    ) => Effect.Effect<ReadonlyArray<DiscoveredDevice>, AdapterError | DatabaseUnavailable>
    /** The account of the same identity that is not pending. */
    readonly linkedElsewhere: (
      identity: AccountIdentity
    ) => Effect.Effect<
      { readonly id: string; readonly status: AccountStatus; readonly referenceId: string } | undefined,
      DatabaseUnavailable
    >
    /** The names of the manufacturer's connected accounts with the reference, oldest first, at most CONNECTED_NAMES. */
    readonly connectedNames: (person: {
      readonly workspaceId: string
      readonly manufacturer: string
      readonly referenceId: string
    }) => Effect.Effect<ReadonlyArray<string>, DatabaseUnavailable>
    /** Those of the manufacturer's devices that the manufacturer itself reports, or a connected account other than this one. */
    readonly takenDevices: (
      account: { readonly id: string; readonly workspaceId: string; readonly manufacturer: string },
      manufacturerDeviceIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>, DatabaseUnavailable>
    /**
     * Connects a pending account and stores its devices. A failed or disconnected account of the same identity goes on under its
     * id, with its devices and their history. Joins the caller's transaction.
     */
    readonly finish: (
      accountId: string,
      choice: FinishedAccount
    ) => Effect.Effect<
      { readonly accountId: string; readonly deviceIds: ReadonlyArray<string> },
      DeviceTaken | DatabaseUnavailable
    >
    /** Deletes a pending account and ends the person's permission. */
    readonly discard: (accountId: string) => Effect.Effect<void, DatabaseUnavailable>
    /** Discards pending accounts that are older than any connect session, such as after a crash, and claims that have expired. */
    readonly discardAbandoned: Effect.Effect<void, DatabaseUnavailable>
    /** Disconnects an account and its devices, and ends the person's permission as far as the manufacturer is reachable. */
    readonly disconnect: (workspaceId: string, accountId: string) => Effect.Effect<void, DatabaseUnavailable>
    /** Calls an adapter with fresh credentials, such as for a command. No call is made after the lease was lost, if there is one. */
    readonly withAccount: <A, E>(
      accountId: string,
      use: (account: Account<unknown>, instance: AdapterInstance<unknown>) => Effect.Effect<A, E>,
      leased?: Pick<Leased<unknown>, "isHeld">
    ) => Effect.Effect<A, E | AdapterError | DatabaseUnavailable>
    /** Brings the next reading of an account forward, such as after a command. */
    readonly scheduleRead: (accountId: string, inSeconds: number) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/accounts/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const adapters = yield* Adapters
      const accounts = yield* AccountsRepository
      const access = yield* AccountAccess
      const lifecycle = yield* AccountLifecycle
      const devices = yield* AccountDevicesRepository
      const work = yield* AccountWorkRepository
      const claims = yield* InboundClaimsRepository
      const isolation = yield* makeIsolation(ABANDONED)

      const scheduleRead = yield* batched(
        (wanted: ReadonlyArray<{ readonly accountId: string; readonly inSeconds: number }>) =>
          Effect.as(work.hurry(wanted), () => Exit.void),
        { maxBatch: 500 }
      )

      const findRunning = (slug: string) => {
        const found = adapters.get(slug)
        return found === undefined ? Effect.fail(new NotConnectable({ manufacturer: slug })) : Effect.succeed(found)
      }

      const summary = (row: AccountRow | undefined) =>
        row && { id: row.id, status: row.status, referenceId: row.referenceId }

      const discard = (accountId: string) =>
        Effect.flatMap(lifecycle.discard(accountId), (row) => (row === undefined ? Effect.void : access.revoke(row)))

      return {
        manufacturers: Effect.succeed(adapters.running.map(({ manifest }) => manifest)),
        instance: (slug) => Effect.map(findRunning(slug), ({ instance }) => instance),
        claim: Effect.fn("Accounts.claim")(function* (claim, expiresAt) {
          const now = new Date(yield* Clock.currentTimeMillis)
          if (!(yield* claims.take(claim, expiresAt, now))) yield* AdapterError.of("misconfigured", ID_TAKEN)
        }),
        begin: (account) =>
          Effect.flatMap(Effect.orDie(findRunning(account.manufacturer)), (running) =>
            lifecycle.begin(running, account)
          ),
        discover: Effect.fn("Accounts.discover")(function* (accountId) {
          const row = yield* accounts.get(accountId)
          if (row === undefined) return yield* AdapterError.of("grant_lost", "The account does not exist")
          if (adapters.get(row.manufacturer)?.instance.discoverDevices === undefined) return row.discovered ?? []
          const devices = yield* access.withAccount(accountId, (account, { discoverDevices }) =>
            discoverDevices!(account)
          )
          if (row.status === "pending") yield* accounts.setDiscovered(accountId, devices)
          return devices
        }),
        linkedElsewhere: Effect.fnUntraced(function* (identity) {
          const { manufacturer, workspaceId } = identity
          if ("externalId" in identity) {
            return summary(yield* accounts.byExternalId(workspaceId, manufacturer, identity.externalId))
          }
          const own = yield* accounts.get(identity.accountId)
          if (own === undefined) return undefined
          const same = yield* accounts.byExternalId(workspaceId, manufacturer, own.externalId)
          return same?.id === own.id ? undefined : summary(same)
        }),
        connectedNames: ({ manufacturer, referenceId, workspaceId }) =>
          accounts.connectedByReference(workspaceId, manufacturer, referenceId, CONNECTED_NAMES),
        takenDevices: (account, manufacturerDeviceIds) =>
          Effect.map(devices.taken(account, manufacturerDeviceIds), (ids) => new Set(ids)),
        finish: lifecycle.finish,
        discard,
        discardAbandoned: Effect.gen(function* () {
          const before = new Date((yield* Clock.currentTimeMillis) - ABANDONED_AFTER)
          const abandoned = accounts.abandoned(before, 100)
          const discardSome = Effect.flatMap(abandoned, (ids) =>
            Effect.as(
              Effect.forEach(ids, (id) => isolation.runIds([id], () => Effect.as(discard(id), 1))),
              ids.length
            )
          )
          yield* Effect.repeat(discardSome, { while: (count) => count > 0 })
          const expired = claims.clear(new Date(yield* Clock.currentTimeMillis), 100)
          yield* Effect.repeat(expired, { while: (count) => count > 0 })
        }).pipe(Effect.withSpan("Accounts.discardAbandoned")),
        disconnect: (workspaceId, accountId) =>
          Effect.flatMap(lifecycle.disconnect(workspaceId, accountId), (row) =>
            row === undefined ? Effect.void : access.revoke(row)
          ),
        withAccount: access.withAccount,
        scheduleRead: (accountId, inSeconds) => scheduleRead({ accountId, inSeconds })
      }
    })
  )
}
