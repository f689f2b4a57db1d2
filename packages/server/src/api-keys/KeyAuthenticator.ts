import { hash } from "node:crypto"
import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { isWellFormedKey } from "@edp/domain/auth/keyFormat"
import { Clock, Context, Data, Effect, Exit, Layer, Redacted, Schedule } from "effect"
import { logFailure } from "../platform/logs/repeatedFailures.ts"
import { batched } from "../platform/batching/batched.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { ApiKeysRepository, type AuthenticatedKeyRow } from "./ApiKeysRepository.ts"

/** The stored form of a key. Keys have 190 random bits, so one round of SHA-256 is enough. */
export const keyHash = (key: string): Uint8Array => hash("sha256", key, "buffer")

export const keyPrefix = (key: string) => key.slice(0, 12)

const MAX_BATCH = 500

/** A key by its id, or by a secret that may end before the key does. */
type FoundKey = AuthenticatedKeyRow & { readonly secretEndsAt?: Date | null }

/** The key is not valid. The caller sees one error; the organization's audit log has the reason. */
export class KeyRefused extends Data.TaggedError("KeyRefused")<{
  /** The key and why it is refused; absent for an unknown key. */
  readonly ended?: {
    readonly key: CurrentKey["Service"]
    readonly reason: "KEY_REVOKED" | "KEY_EXPIRED" | "WRONG_KEY_TYPE"
  }
}> {}

const unknown = Exit.fail(new KeyRefused({}))

const ended = (row: AuthenticatedKeyRow) =>
  Exit.fail(
    new KeyRefused({
      ended: { key: toCurrentKey(row), reason: row.revokedAt === null ? "KEY_EXPIRED" : "KEY_REVOKED" }
    })
  )

const toCurrentKey = (row: AuthenticatedKeyRow): CurrentKey["Service"] => ({
  id: row.id,
  type: row.type,
  organizationId: row.organizationId,
  workspaceId: row.workspaceId,
  ownerId: row.ownerId,
  manufacturerScope: row.manufacturerScope,
  scopeReferenceId: row.scopeReferenceId,
  scopeDeviceIds: row.scopeDeviceIds,
  rateLimits: row.rateLimits
})

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

/**
 * Authenticates keys. Every request reads the database, so that a revocation applies from the next request on every
 * instance; concurrent requests share a statement. Times of last use are collected and written twice a minute.
 */
export class KeyAuthenticator extends Context.Service<
  KeyAuthenticator,
  {
    readonly authenticate: (
      key: Redacted.Redacted
    ) => Effect.Effect<CurrentKey["Service"], KeyRefused | DatabaseUnavailable>
    /** The key of a token that the service has issued for it, by the key's id. */
    readonly authenticateId: (id: string) => Effect.Effect<CurrentKey["Service"], KeyRefused | DatabaseUnavailable>
  }
>()("@edp/server/KeyAuthenticator") {
  static readonly layer = Layer.effect(
    KeyAuthenticator,
    Effect.gen(function* () {
      const repository = yield* ApiKeysRepository
      const clock = yield* Clock.Clock
      const used = new Map<string, number>()

      const live = (row: FoundKey, now: number) =>
        row.revokedAt === null &&
        [row.expiresAt, row.secretEndsAt ?? null].every((end) => end === null || end.getTime() > now)

      /** Looks keys up in rows that were just read. */
      const findIn = <Row extends FoundKey>(rows: ReadonlyArray<Row>, name: (row: Row) => string) => {
        const now = clock.currentTimeMillisUnsafe()
        const byName = new Map(rows.map((row) => [name(row), row]))
        return (text: string): Exit.Exit<CurrentKey["Service"], KeyRefused> => {
          const row = byName.get(text)
          if (row === undefined) return unknown
          if (!live(row, now)) return ended(row)
          used.set(row.id, now)
          return Exit.succeed(toCurrentKey(row))
        }
      }

      const lookUpId = yield* batched(
        (ids: ReadonlyArray<string>) =>
          Effect.map(repository.byIds([...new Set(ids)]), (rows) => findIn(rows, ({ id }) => id)).pipe(
            Effect.withSpan("KeyAuthenticator.lookUpId", { attributes: { keys: ids.length } })
          ),
        { maxBatch: MAX_BATCH }
      )

      const lookUp = yield* batched(
        (hashes: ReadonlyArray<string>) =>
          Effect.map(repository.byHashes([...new Set(hashes)].map((text) => Buffer.from(text, "hex"))), (rows) =>
            findIn(rows, ({ keyHash }) => hex(keyHash))
          ).pipe(Effect.withSpan("KeyAuthenticator.lookUp", { attributes: { keys: hashes.length } })),
        { maxBatch: MAX_BATCH }
      )

      const flush = Effect.suspend(() => {
        const entries = [...used].sort(([a], [b]) => (a < b ? -1 : 1))
        used.clear()
        return entries.length === 0
          ? Effect.void
          : repository.touch(
              entries.map(([id]) => id),
              entries.map(([, at]) => new Date(at))
            )
      }).pipe(
        Effect.catchCause((cause) => logFailure("times of last use", "Writing the times of last use failed", cause))
      )
      yield* Effect.forkScoped(Effect.schedule(flush, Schedule.spaced("30 seconds")))
      yield* Effect.addFinalizer(() => flush)

      return {
        authenticate: (key) =>
          isWellFormedKey(Redacted.value(key)) ? lookUp(hex(keyHash(Redacted.value(key)))) : unknown,
        authenticateId: lookUpId
      }
    })
  )
}
