import type { ConnectError } from "@edp/domain/connections/ConnectError"
import type { CustomerInfo } from "@edp/domain/connections/ConnectSession"
import { Cause, Clock, Context, Duration, Effect, Layer, Option } from "effect"
import { AdapterError, isTransient } from "@edp/adapter-kit/AdapterError"
import type { DiscoveredDevice } from "@edp/adapter-kit/Account"
import type { LinkedAccount } from "@edp/adapter-kit/ManufacturerAdapter"
import { Accounts } from "../../accounts/Accounts.ts"
import { ApiKeys } from "../../api-keys/ApiKeys.ts"
import { Customers } from "../../customers/Customers.ts"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import { SecretBox } from "../../platform/secrets/SecretBox.ts"
import {
  catchAllButUnavailable,
  type DatabaseUnavailable,
  resultUnlessUnavailable,
  revealUnavailable
} from "../../platform/sql/DatabaseUnavailable.ts"
import type { LocatedAddress } from "../../sites/siteRow.ts"
import { Sites } from "../../sites/Sites.ts"
import { toConnectError } from "./connectFailures.ts"
import { ConnectionsRepository } from "../ConnectionsRepository.ts"
import { type Change, ConnectSessions } from "../sessions/ConnectSessions.ts"
import { claimHolder, type SessionRow, isHosted, isPublic, scopedKeyPurpose } from "../sessionRow.ts"
import { isFinal } from "../sessionStatus.ts"

/** A person's choice on the last form. */
export interface Choice {
  readonly manufacturerDeviceIds: ReadonlyArray<string>
  readonly place: LocatedAddress | null
}

interface Linking {
  /** Digest of the id of the browser in which the person links the account, if it has one. */
  readonly linkedBy: Uint8Array | null
  readonly sealedInstructions?: Uint8Array | null
}

/** Time for a call of an adapter, whose calls have limits of their own. */
const CALL_LIMIT = Duration.seconds(60)

const tooSlow = AdapterError.of("unreachable", "The manufacturer did not respond in time")

/** Bounds an adapter's call; a defect of the adapter is an error like others. */
export const guarded = <A>(
  call: Effect.Effect<A, AdapterError | DatabaseUnavailable>
): Effect.Effect<A, AdapterError | DatabaseUnavailable> =>
  Effect.timeoutOrElse(call, { duration: CALL_LIMIT, orElse: () => Effect.fail(tooSlow) }).pipe(
    revealUnavailable,
    Effect.catchDefect((defect) =>
      Effect.andThen(
        Effect.logError("An adapter failed unexpectedly", Cause.die(defect)),
        Effect.fail(AdapterError.of("contract", "The adapter failed unexpectedly"))
      )
    )
  )

/** Whether the devices are connected without asking the person which ones. */
const takesAll = ({ mode, reconnectId }: SessionRow) => mode === "headless" || reconnectId !== null

/** Links an account after its sign-in: stores it, finds its devices, and finishes the session in one transaction. */
export class AccountLinking extends Context.Service<
  AccountLinking,
  {
    /** Stores the account as pending, unless the session has gone on meanwhile. A duplicate or another account ends the attempt. */
    readonly attach: (
      session: SessionRow,
      linked: LinkedAccount<unknown>,
      how: Linking
    ) => Effect.Effect<SessionRow, DatabaseUnavailable>
    /** Asks for the account's devices, and goes on to the choice of devices or to the end. */
    readonly discover: (session: SessionRow) => Effect.Effect<SessionRow, DatabaseUnavailable>
    /** Those of the account's devices that others have connected. */
    readonly takenDevices: (
      session: SessionRow,
      devices: ReadonlyArray<DiscoveredDevice>
    ) => Effect.Effect<ReadonlySet<string>, DatabaseUnavailable>
    /** Customer, site, devices, scoped key and SUCCESS: all or nothing. */
    readonly finish: (session: SessionRow, choice: Choice) => Effect.Effect<SessionRow, DatabaseUnavailable>
    /** Ends the attempt with an error, unless the session has gone on meanwhile. */
    readonly fail: (
      session: SessionRow,
      error: ConnectError,
      options?: { readonly keepAccount?: boolean }
    ) => Effect.Effect<SessionRow, DatabaseUnavailable>
    /** Ends the session, whose account or devices are connected already. */
    readonly endAsDuplicate: (session: SessionRow) => Effect.Effect<SessionRow, DatabaseUnavailable>
    /** Ends the attempt with the meaning of an adapter's error, and logs it. */
    readonly failWith: (session: SessionRow, error: AdapterError) => Effect.Effect<SessionRow, DatabaseUnavailable>
  }
>()("@edp/server/AccountLinking") {
  static readonly layer = Layer.effect(
    AccountLinking,
    Effect.gen(function* () {
      const sessions = yield* ConnectSessions
      const repository = yield* ConnectionsRepository
      const accounts = yield* Accounts
      const customers = yield* Customers
      const sites = yield* Sites
      const apiKeys = yield* ApiKeys
      const box = yield* SecretBox
      const { scopedKeySeconds } = yield* ServerConfig

      const isUnmoved = (now: SessionRow, before: SessionRow) =>
        now.status === before.status && now.accountId === before.accountId && now.manufacturer === before.manufacturer

      /** Leaves the account behind, which nothing finishes any more. */
      const leaving = Effect.fnUntraced(function* (session: SessionRow, change: Change, keepAccount: boolean) {
        let isDone = false
        const after = yield* sessions.change(session.id, (now) => {
          isDone = isUnmoved(now, session) && !isFinal(now.status) && now.status !== "ERROR"
          const without = keepAccount ? {} : { accountId: null, discovered: null, sealedInstructions: null }
          return Effect.succeed(isDone ? { ...change, ...without } : undefined)
        })
        if (isDone && !keepAccount && session.accountId !== null) yield* accounts.discard(session.accountId)
        return after
      })

      const fail = (session: SessionRow, error: ConnectError, { keepAccount = false } = {}) =>
        leaving(
          session,
          { path: session.status === "PENDING" ? ["AUTHORIZING_MANUFACTURER", "ERROR"] : ["ERROR"], error },
          keepAccount
        )

      const failWith = Effect.fnUntraced(function* (session: SessionRow, error: AdapterError) {
        yield* Effect.logWarning(
          `${session.manufacturer} could not be connected in session ${session.id}: ${error.failure}: ${error.message}`
        )
        return yield* fail(session, toConnectError(error), { keepAccount: isTransient(error) })
      })

      const endAsDuplicate = (session: SessionRow) =>
        leaving(session, { path: ["DUPLICATE_CONNECTION"], error: "duplicate_connection" }, false)

      const attach = Effect.fnUntraced(function* (
        session: SessionRow,
        linked: LinkedAccount<unknown>,
        { linkedBy, sealedInstructions = null }: Linking
      ) {
        const { workspaceId, referenceId, tags } = session
        const manufacturer = session.manufacturer!
        const account = {
          workspaceId,
          manufacturer,
          referenceId,
          tags: tags ?? [],
          linked,
          holder: claimHolder(session)
        }
        let isAttached = false
        const attached = yield* sessions.change(
          session.id,
          Effect.fnUntraced(function* (now) {
            isAttached = isUnmoved(now, session)
            return isAttached ? { accountId: yield* accounts.begin(account), sealedInstructions, linkedBy } : undefined
          })
        )
        if (!isAttached) {
          // Nobody else ends the permission. One that another request has attached is of the same person, and stays.
          if (attached.accountId === null) yield* Effect.flatMap(accounts.begin(account), accounts.discard)
          return attached
        }
        const known = yield* accounts.linkedElsewhere({ workspaceId, manufacturer, externalId: linked.externalId })
        if (session.reconnectId !== null) {
          return known?.id === session.reconnectId ? attached : yield* fail(attached, "account_mismatch")
        }
        return known?.status === "connected" ? yield* endAsDuplicate(attached) : attached
      })

      const newCustomer = (session: SessionRow, info: CustomerInfo) => {
        const { location: _, ...fields } = info
        const person = { referenceId: session.referenceId, ...fields, emailUnproven: isPublic(session) }
        return Effect.map(customers.create(session, person), ({ id }) => id)
      }

      const findCustomer = ({ workspaceId, referenceId, customerInfo, createdByType }: SessionRow) =>
        // Whoever opens the page may type any address.
        repository.findCustomer(workspaceId, referenceId, isPublic({ createdByType }) ? undefined : customerInfo?.email)

      const requireCustomer = Effect.fnUntraced(function* (session: SessionRow) {
        const found = session.customerId ?? (yield* findCustomer(session))
        if (found !== undefined) return found
        return yield* Effect.catchTag(newCustomer(session, session.customerInfo ?? {}), "VALIDATION_ERROR", () =>
          // Another request has created the customer of this reference meanwhile.
          Effect.map(findCustomer(session), (id) => id!)
        )
      })

      const requireSite = Effect.fnUntraced(function* (
        session: SessionRow,
        customerId: string,
        place: LocatedAddress | null
      ) {
        if (session.siteId !== null) return session.siteId
        if (place !== null) return yield* sites.findOrCreate(session.workspaceId, place)
        const known = yield* repository.siteOfCustomer(session.workspaceId, customerId)
        return known ?? (yield* Effect.die(new Error(`There is no site for connect session ${session.id}`)))
      })

      const isReady = (session: SessionRow) =>
        session.accountId !== null &&
        (session.status === "ENTERING_SYSTEM_INFO" ||
          (session.status === "AUTHORIZING_MANUFACTURER" && takesAll(session)))

      const issueKey = Effect.fnUntraced(function* (session: SessionRow, deviceIds: ReadonlyArray<string>) {
        const { organizationId, referenceId, workspaceId } = session
        const now = yield* Clock.currentTimeMillis
        const { id, key } = yield* apiKeys.issueScoped({
          organizationId,
          workspaceId,
          name: `Connect session ${session.id}`,
          referenceId,
          deviceIds: isPublic(session) ? deviceIds : null,
          maker: session.madeBy === null ? null : { id: session.madeBy, keyId: session.createdById },
          expiresAt: Option.getOrNull(Option.map(scopedKeySeconds, (seconds) => new Date(now + seconds * 1000)))
        })
        return { keyId: id, sealedKey: yield* box.seal(scopedKeyPurpose(session.id), key) }
      })

      const connectAll = Effect.fnUntraced(function* (session: SessionRow, { manufacturerDeviceIds, place }: Choice) {
        if (!isReady(session)) return undefined
        const { referenceId } = session
        const customerId = yield* requireCustomer(session)
        const siteId = yield* requireSite(session, customerId, place)
        yield* Effect.orDie(customers.linkSite(session, siteId, customerId))
        const { accountId, deviceIds } = yield* accounts.finish(session.accountId!, {
          customerId,
          siteId,
          referenceId,
          tags: session.tags ?? [],
          manufacturerDeviceIds,
          reconnect: session.reconnectId
        })
        const isReconnected = session.status !== "ENTERING_SYSTEM_INFO" && session.mode === "standard"
        return {
          path: isReconnected ? (["ENTERING_SYSTEM_INFO", "SUCCESS"] as const) : (["SUCCESS"] as const),
          customerId,
          siteId,
          accountId,
          deviceIds,
          ...(isHosted(session) ? {} : yield* issueKey(session, deviceIds))
        }
      })

      const finish = (session: SessionRow, choice: Choice) =>
        sessions
          .change(session.id, (now) => connectAll(now, choice))
          .pipe(
            Effect.catchTag("DeviceTaken", () => fail(session, "duplicate_connection", { keepAccount: true })),
            catchAllButUnavailable((cause) =>
              Cause.hasInterruptsOnly(cause)
                ? Effect.failCause(cause as Cause.Cause<never>)
                : Effect.andThen(
                    Effect.logError(`Connect session ${session.id} could not be finished`, cause),
                    fail(session, "server_error", { keepAccount: true })
                  )
            )
          )

      /** The devices of a reconnected account that it had before; all, if it had none of them. */
      const chooseAll = Effect.fnUntraced(function* (
        { reconnectId }: SessionRow,
        usable: ReadonlyArray<DiscoveredDevice>
      ) {
        const ids = usable.map(({ manufacturerDeviceId }) => manufacturerDeviceId)
        if (reconnectId === null) return ids
        const known = new Set(yield* repository.accountDevices(reconnectId))
        const kept = ids.filter((id) => known.has(id))
        return kept.length > 0 ? kept : ids
      })

      const takenDevices = (
        { accountId, manufacturer, reconnectId, workspaceId }: SessionRow,
        devices: ReadonlyArray<DiscoveredDevice>
      ) =>
        accounts.takenDevices(
          { id: reconnectId ?? accountId!, workspaceId, manufacturer: manufacturer! },
          devices.map(({ manufacturerDeviceId }) => manufacturerDeviceId)
        )

      const discover = Effect.fnUntraced(function* (session: SessionRow) {
        const found = yield* resultUnlessUnavailable(guarded(accounts.discover(session.accountId!)))
        if (found._tag === "Failure") return yield* failWith(session, found.failure)
        const { deviceTypes } = session
        const devices = found.success.filter(({ type }) => deviceTypes === null || deviceTypes.includes(type))
        // A device with an inbound connection has yet to connect.
        if (found.success.length === 0 && session.sealedInstructions !== null) return session
        if (devices.length === 0) return yield* fail(session, "no_devices")
        const usable = devices.filter(({ incompatible }) => incompatible === null)
        if (usable.length === 0) return yield* fail(session, "device_incompatible")
        const taken = yield* takenDevices(session, usable)
        const free = usable.filter(({ manufacturerDeviceId }) => !taken.has(manufacturerDeviceId))
        if (free.length === 0) return yield* endAsDuplicate(session)
        if (takesAll(session)) {
          const manufacturerDeviceIds = yield* chooseAll(session, free)
          return yield* finish(session, { manufacturerDeviceIds, place: session.place })
        }
        return yield* sessions.change(session.id, (now) =>
          Effect.succeed(isUnmoved(now, session) ? { path: ["ENTERING_SYSTEM_INFO"], discovered: devices } : undefined)
        )
      })

      return {
        attach: (session, linked, how) => attach(session, linked, how).pipe(Effect.withSpan("AccountLinking.attach")),
        discover: (session) => discover(session).pipe(Effect.withSpan("AccountLinking.discover")),
        finish: (session, choice) => finish(session, choice).pipe(Effect.withSpan("AccountLinking.finish")),
        takenDevices,
        fail: (session, error, options) => fail(session, error, options),
        endAsDuplicate,
        failWith
      }
    })
  )
}
