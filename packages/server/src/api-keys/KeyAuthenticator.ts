import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { isWellFormedKey } from "@edp/domain/auth/keyFormat"
import { Clock, Context, Data, Effect, Exit, Layer, Redacted, Schedule } from "effect"
import { batched } from "../platform/batching/batched.ts"
import { type ApiKeyRow, ApiKeysRepository } from "./ApiKeysRepository.ts"
import { keyHash } from "./keyHash.ts"

const MAX_BATCH = 500

/** The key opens nothing. To its user all of these are one; the log of the organization tells them apart. */
export class KeyRefused extends Data.TaggedError("KeyRefused")<{
  /** Whose it is, and why it is over; absent where nobody has such a key. */
  readonly ended?: { readonly key: CurrentKey["Service"]; readonly reason: "KEY_REVOKED" | "KEY_EXPIRED" }
}> {}

const unknown = Exit.fail(new KeyRefused({}))

const ended = (row: ApiKeyRow) =>
  Exit.fail(
    new KeyRefused({
      ended: { key: toCurrentKey(row), reason: row.revokedAt === null ? "KEY_EXPIRED" : "KEY_REVOKED" }
    })
  )

const toCurrentKey = (row: ApiKeyRow): CurrentKey["Service"] => ({
  id: row.id,
  type: row.type,
  organizationId: row.organizationId,
  workspaceId: row.workspaceId,
  ownerId: row.ownerId,
  manufacturerScope: row.manufacturerScope,
  scopeReferenceId: row.scopeReferenceId,
  rateLimits: row.rateLimits
})

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

/**
 * Who a key belongs to. Every request asks the database, so that a revocation holds from the next request on, on every
 * instance; concurrent requests share the statement. The time of last use is gathered and written once a minute.
 */
export class KeyAuthenticator extends Context.Service<
  KeyAuthenticator,
  {
    readonly authenticate: (key: Redacted.Redacted) => Effect.Effect<CurrentKey["Service"], KeyRefused>
  }
>()("@edp/server/KeyAuthenticator") {
  static readonly layer = Layer.effect(
    KeyAuthenticator,
    Effect.gen(function* () {
      const repository = yield* ApiKeysRepository
      const clock = yield* Clock.Clock
      const used = new Map<string, number>()

      const live = (row: ApiKeyRow, now: number) =>
        row.revokedAt === null && (row.expiresAt === null || row.expiresAt.getTime() > now)

      const lookUp = yield* batched(
        (hashes: ReadonlyArray<string>) =>
          Effect.map(repository.byHashes([...new Set(hashes)].map((text) => Buffer.from(text, "hex"))), (rows) => {
            const now = clock.currentTimeMillisUnsafe()
            const byHash = new Map(rows.map((row) => [hex(row.keyHash), row]))
            return (text: string): Exit.Exit<CurrentKey["Service"], KeyRefused> => {
              const row = byHash.get(text)
              if (row === undefined) return unknown
              if (!live(row, now)) return ended(row)
              used.set(row.id, now)
              return Exit.succeed(toCurrentKey(row))
            }
          }).pipe(Effect.withSpan("KeyAuthenticator.lookUp", { attributes: { keys: hashes.length } })),
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
      }).pipe(Effect.catchCause((cause) => Effect.logWarning("Times of last use were not written", cause)))
      yield* Effect.forkScoped(Effect.schedule(flush, Schedule.spaced("30 seconds")))
      yield* Effect.addFinalizer(() => flush)

      return {
        authenticate: (key) =>
          isWellFormedKey(Redacted.value(key)) ? lookUp(hex(keyHash(Redacted.value(key)))) : unknown
      }
    })
  )
}
