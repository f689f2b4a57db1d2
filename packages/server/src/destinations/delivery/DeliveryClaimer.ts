import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import { LeaseHolder } from "../../platform/jobs/LeaseHolder.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { makeBulkheads, type Permit } from "./bulkheads.ts"
import { deliveryLimits } from "./deliveryLimits.ts"
import type { ClaimedKey } from "./orderingKeys.ts"
import { OrderingKeysRepository } from "./OrderingKeysRepository.ts"

/** A claimed ordering key and its room in this process. */
export interface DeliveryClaim extends ClaimedKey {
  readonly claim: string
  readonly permit: Permit
}

/** Leases ordering keys that are due, within the bulkheads of this process. */
export class DeliveryClaimer extends Context.Service<
  DeliveryClaimer,
  {
    readonly claim: Effect.Effect<ReadonlyArray<DeliveryClaim>, DatabaseUnavailable>
    readonly renew: (claims: ReadonlyArray<DeliveryClaim>) => Effect.Effect<ReadonlySet<string>, DatabaseUnavailable>
    readonly free: (claim: DeliveryClaim) => void
    /** Waits until the destination takes another delivery; false where the key had better be released. */
    readonly enter: (claim: DeliveryClaim) => Effect.Effect<boolean>
    readonly leave: (claim: DeliveryClaim, succeeded: boolean) => Effect.Effect<void>
  }
>()("@edp/server/destinations/DeliveryClaimer") {
  static readonly layer = Layer.effect(
    DeliveryClaimer,
    Effect.gen(function* () {
      const keys = yield* OrderingKeysRepository
      const holder = yield* LeaseHolder
      const bulkheads = makeBulkheads({
        fast: deliveryLimits.keys,
        slow: deliveryLimits.slowKeys,
        concurrent: deliveryLimits.deliveriesPerDestination,
        slowAfter: deliveryLimits.slowAfterMs
      })

      const claim = Effect.gen(function* () {
        bulkheads.moveSlow(yield* Clock.currentTimeMillis)
        const room = bulkheads.room()
        const slow = bulkheads.slowOnes()
        const name = randomUUID()
        const byDestination = bulkheads.byDestination()
        const more = { of: bulkheads.fastOnes(), each: deliveryLimits.keysPerFastDestination }
        const fromFast =
          room.fast === 0
            ? []
            : yield* keys.claim(name, holder.id, {
                byDestination,
                each: deliveryLimits.keysPerDestination,
                more,
                except: slow,
                all: room.fast,
                byWorkspace: bulkheads.byWorkspace(false)
              })
        const fromSlow =
          room.slow === 0 || slow.length === 0
            ? []
            : yield* keys.claim(name, holder.id, {
                byDestination,
                each: deliveryLimits.keysPerDestination,
                only: slow,
                all: room.slow,
                byWorkspace: bulkheads.byWorkspace(true)
              })
        return [...fromFast, ...fromSlow].map((key) => ({
          ...key,
          claim: name,
          permit: bulkheads.acquire(key.destinationId, key.workspaceId)
        }))
      })

      return {
        claim,
        renew: (claims) =>
          keys.renew(claims.map(({ claim, destinationId, orderingKey }) => ({ claim, destinationId, orderingKey }))),
        free: ({ permit }) => bulkheads.release(permit),
        enter: ({ permit }) =>
          Effect.flatMap(
            Effect.callback<boolean>((resume) => {
              const cancel = bulkheads.enter(permit, (isAdmitted) => resume(Effect.succeed(isAdmitted)))
              return Effect.sync(cancel)
            }),
            (isAdmitted) =>
              Effect.map(Clock.currentTimeMillis, (now) => {
                if (isAdmitted) permit.begun = now
                return isAdmitted
              })
          ),
        leave: ({ permit }, succeeded) =>
          Effect.map(Clock.currentTimeMillis, (now) => bulkheads.leave(permit, succeeded, now))
      }
    })
  )
}
