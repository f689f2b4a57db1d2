import type { RefusalReason } from "@edp/domain/audit/AuditLog"
import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { maskKeys } from "@edp/domain/auth/keyFormat"
import { Clock, Context, Effect, Layer, Metric } from "effect"
import { logFailure } from "../platform/logs/repeatedFailures.ts"
import { Ids } from "../platform/Ids.ts"
import { AuditLogsRepository } from "./AuditLogsRepository.ts"
import { endpointId } from "./auditRow.ts"
import { refusalCounter } from "./refusalCounter.ts"

export interface Refused {
  readonly key: CurrentKey["Service"]
  readonly reason: RefusalReason
  readonly method: string
  readonly route: string
  readonly address: string
  readonly requestId: string
}

const LIMITS = { entries: 10_000, addresses: 100 }
/** At most one statement with this number of rows per pause, for any number of refused uses. */
const BATCH = 500
const PAUSE = "2 seconds"

const refusals = Metric.counter("edp_refused_uses_total", {
  description: "Requests whose key was refused, by reason; UNKNOWN_KEY for keys that the service does not know",
  incremental: true
})
const unrecorded = Metric.counter("edp_refused_uses_unrecorded_total", {
  description: "Refused uses of known keys that are not in the audit log, because too many came at once",
  incremental: true
})
const noContext = Context.empty()
const byReason = new Map<string, typeof refusals>()

const count = (reason: RefusalReason | "UNKNOWN_KEY") => {
  const metric = byReason.get(reason) ?? Metric.withAttributes(refusals, { reason })
  byReason.set(reason, metric)
  metric.updateUnsafe(1, noContext)
}

/**
 * Records refused uses of keys. They are written in the background, so refused requests don't wait, and repeated ones
 * become one row a minute.
 */
export class RefusedUses extends Context.Service<
  RefusedUses,
  {
    readonly note: (refused: Refused) => void
    /** Counts a request without a key, or with an unknown one, in the metrics alone. */
    readonly noteUnknown: () => void
  }
>()("@edp/server/RefusedUses") {
  static readonly layer = Layer.effect(
    RefusedUses,
    Effect.gen(function* () {
      const repository = yield* AuditLogsRepository
      const ids = yield* Ids
      const clock = yield* Clock.Clock
      const counter = refusalCounter(LIMITS)

      const write = (all: boolean) =>
        Effect.gen(function* () {
          const due = counter.due(clock.currentTimeMillisUnsafe(), BATCH, all)
          if (due.length === 0) return false
          yield* repository.countRefusals(
            due.map(({ entry: { origin, use }, lastAt, uses }) => ({
              ...origin,
              resourceId: use.endpoint,
              reason: use.reason,
              uses,
              lastAt
            }))
          )
          counter.settle(due, clock.currentTimeMillisUnsafe())
          return true
        }).pipe(
          Effect.withSpan("RefusedUses.write"),
          Effect.catchCause((cause) =>
            Effect.as(
              logFailure("refused uses", "Refused uses could not be written to the audit log; trying again", cause),
              false
            )
          )
        )
      yield* Effect.sleep(PAUSE).pipe(Effect.andThen(write(false)), Effect.forever, Effect.forkScoped)
      yield* Effect.addFinalizer(() => Effect.repeat(write(true), { while: (more) => more }))

      return {
        note: ({ address, key, method, reason, requestId, route }) => {
          count(reason)
          const now = clock.currentTimeMillisUnsafe()
          const use = {
            actorId: key.id,
            endpoint: endpointId(method, route),
            reason,
            address: address === "" ? null : address
          }
          const isCounted = counter.note(use, now, (recordedAddress) => ({
            id: ids.nextAt(now),
            organizationId: key.organizationId,
            workspaceId: key.workspaceId,
            actorId: key.id,
            actorType: key.type,
            actorOwnerId: key.ownerId,
            address: recordedAddress,
            requestId: maskKeys(requestId)
          }))
          if (!isCounted) unrecorded.updateUnsafe(1, noContext)
        },
        noteUnknown: () => count("UNKNOWN_KEY")
      }
    })
  )
}
