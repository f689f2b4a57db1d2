import { Clock, Effect, type Scope } from "effect"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { AdapterHost } from "@edp/adapter-kit/AdapterHost"

/** Which instance of the platform follows a node, and when it said so last, in milliseconds since 1970. */
interface Holder {
  readonly instance: string
  readonly seenAt: number
}

const RENEW_EVERY = "20 seconds"
/** An instance that has not been heard of for so long has died. */
const DIES_AFTER_MS = 70_000

const holderKey = (pairing: string) => `node/${pairing}`

/**
 * The instances that follow nodes. Two controllers with one identity take the subscription from each other, because a node reports to the
 * newest session: so only the one that follows a node calls it.
 */
export const makeHolders = ({ instance, records }: Pick<AdapterHost, "instance" | "records">) => {
  const write = (pairing: string) =>
    Effect.gen(function* () {
      const found = yield* records.get(holderKey(pairing))
      const holder: Holder = { instance, seenAt: yield* Clock.currentTimeMillis }
      yield* records.put(holderKey(pairing), found?.version ?? 0, holder)
    })

  const read = (pairing: string) =>
    Effect.map(records.get(holderKey(pairing)), (found) => found?.value as Holder | undefined)

  return {
    /** Shows the other instances that this one follows a node, until the scope ends. */
    hold: (pairing: string): Effect.Effect<void, never, Scope.Scope> =>
      Effect.gen(function* () {
        yield* Effect.acquireRelease(write(pairing), () =>
          Effect.flatMap(read(pairing), (holder) =>
            holder?.instance === instance ? records.remove(holderKey(pairing)) : Effect.void
          )
        )
        yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(RENEW_EVERY), write(pairing))))
      }),
    /** Fails with the instance that follows the node, if that is another one. */
    refuseElsewhere: (pairing: string): Effect.Effect<void, AdapterError> =>
      Effect.gen(function* () {
        const holder = yield* read(pairing)
        if (holder === undefined || holder.instance === instance) return
        if (Math.abs((yield* Clock.currentTimeMillis) - holder.seenAt) > DIES_AFTER_MS) return
        return yield* AdapterError.of("elsewhere", "Another instance follows the device", { holder: holder.instance })
      })
  }
}
