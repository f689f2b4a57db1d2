import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import { makeBulkheads, type Permit } from "./bulkheads.ts"
import type { ClaimedKey, OrderingKey } from "./orderingKeys.ts"
import { OrderingKeysRepository } from "./OrderingKeysRepository.ts"

const LIMITS = { fast: 512, slow: 256, concurrent: 32, slowAfter: 1000 } as const
/** Keys of one destination: more where it has answered quickly than where nothing is known of it. */
const EACH = 8
const EACH_FAST = 256

/** A claimed ordering key and its room in this process. */
export interface DeliveryClaim extends ClaimedKey {
  readonly claim: string
  readonly permit: Permit
}

const keyName = ({ destinationId, orderingKey }: OrderingKey) => `${destinationId} ${orderingKey}`

/** Leases ordering keys that are due, within the bulkheads of this process. */
export class DeliveryClaimer extends Context.Service<
  DeliveryClaimer,
  {
    readonly claim: Effect.Effect<ReadonlyArray<DeliveryClaim>>
    readonly renew: (claims: ReadonlyArray<DeliveryClaim>) => Effect.Effect<ReadonlySet<DeliveryClaim>>
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
      const bulkheads = makeBulkheads(LIMITS)

      const claim = Effect.gen(function* () {
        bulkheads.moveSlow(yield* Clock.currentTimeMillis)
        const room = bulkheads.room()
        const slow = bulkheads.slowOnes()
        const name = randomUUID()
        const byDestination = bulkheads.byDestination()
        const more = { of: bulkheads.fastOnes(), each: EACH_FAST }
        const fromFast =
          room.fast === 0
            ? []
            : yield* keys.claim(name, {
                byDestination,
                each: EACH,
                more,
                except: slow,
                all: room.fast,
                byWorkspace: bulkheads.byWorkspace(false)
              })
        const fromSlow =
          room.slow === 0 || slow.length === 0
            ? []
            : yield* keys.claim(name, {
                byDestination,
                each: EACH,
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
        renew: Effect.fnUntraced(function* (claims) {
          const given = claims.map(({ claim, destinationId, orderingKey }) => ({ claim, destinationId, orderingKey }))
          const kept = new Set((yield* keys.renew(given)).map(keyName))
          return new Set(claims.filter((one) => kept.has(keyName(one))))
        }),
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
