import { randomUUID } from "node:crypto"
import { Clock, Effect } from "effect"
import { LeaseHolder } from "../../platform/jobs/LeaseHolder.ts"
import { deliveryLimits } from "./deliveryLimits.ts"
import { type ClaimedKey, OrderingKeysRepository } from "./OrderingKeysRepository.ts"

/** The room that a claimed key takes in this process until it is released. */
export interface Permit {
  readonly destinationId: string
  readonly workspaceId: string
  /** Start of the current delivery, in milliseconds; Infinity without one. */
  begun: number
  isSlow: boolean
}

interface BulkheadLimits {
  /** Keys of fast destinations, and of slow ones beside them, at a time. */
  readonly fast: number
  readonly slow: number
  /** Deliveries to one destination at a time. */
  readonly concurrent: number
  /** A delivery of this many milliseconds makes its destination a slow one, until one is quicker. */
  readonly slowAfter: number
}

/** Destinations that are remembered as fast, and as slow, at most: each claim names them. */
const REMEMBERED = 1000

interface Destination {
  sending: number
  failures: number
  readonly waiting: Array<(isAdmitted: boolean) => void>
}

const counts = <Key extends string>(key: Key, permits: Iterable<{ readonly [_ in Key]: string }>) => {
  const counted = new Map<string, number>()
  for (const permit of permits) counted.set(permit[key], (counted.get(permit[key]) ?? 0) + 1)
  return counted
}

/**
 * Keeps destinations and workspaces from taking each other's room. Slow destinations have a compartment of their own, and
 * keys that wait for one which is slow or fails are released. Destinations known to be fast may hold more keys than unknown
 * ones. No workspace holds more of a compartment than stays free: one alone gets half of it, two get a third each.
 */
export const makeBulkheads = ({ concurrent, fast, slow, slowAfter }: BulkheadLimits) => {
  const permits = new Set<Permit>()
  const destinations = new Map<string, Destination>()
  /** With the time of the last slow delivery, the oldest first. */
  const slowOnes = new Map<string, number>()
  const fastOnes = new Set<string>()

  const getState = (id: string) => {
    const state = destinations.get(id) ?? { sending: 0, failures: 0, waiting: [] }
    destinations.set(id, state)
    return state
  }
  const dismiss = (id: string) => {
    fastOnes.delete(id)
    for (const resume of destinations.get(id)?.waiting.splice(0) ?? []) resume(false)
  }
  const markSlow = (id: string, now: number) => {
    slowOnes.delete(id)
    slowOnes.set(id, now)
    dismiss(id)
    const [oldest] = slowOnes.keys()
    if (slowOnes.size > REMEMBERED) slowOnes.delete(oldest!)
  }
  const forgetSlow = (now: number) => {
    for (const [id, at] of slowOnes) {
      if (now - at < deliveryLimits.slowSeconds * 1000) return
      slowOnes.delete(id)
    }
  }
  const markFast = (id: string) => {
    slowOnes.delete(id)
    fastOnes.delete(id)
    fastOnes.add(id)
    const [oldest] = fastOnes
    if (fastOnes.size > REMEMBERED) fastOnes.delete(oldest!)
  }
  const inCompartment = (isSlow: boolean) => [...permits].filter((permit) => permit.isSlow === isSlow)

  return {
    acquire: (destinationId: string, workspaceId: string): Permit => {
      const permit = { destinationId, workspaceId, begun: Infinity, isSlow: slowOnes.has(destinationId) }
      permits.add(permit)
      return permit
    },
    release: (permit: Permit) => {
      permits.delete(permit)
    },
    /**
     * Asks to begin a delivery. `resume` gets true once there is room, and false where the key had better be released.
     * Returns what cancels the request.
     */
    enter: ({ destinationId }: Permit, resume: (isAdmitted: boolean) => void): (() => void) => {
      const { sending, waiting } = getState(destinationId)
      if (sending < concurrent) {
        getState(destinationId).sending += 1
        resume(true)
        return () => {}
      }
      waiting.push(resume)
      return () => {
        const at = waiting.indexOf(resume)
        if (at >= 0) waiting.splice(at, 1)
      }
    },
    /** Ends a delivery that was admitted. */
    leave: (permit: Permit, succeeded: boolean, now: number) => {
      const { destinationId } = permit
      const state = getState(destinationId)
      const took = now - permit.begun
      permit.begun = Infinity
      state.sending -= 1
      state.failures = succeeded ? 0 : state.failures + 1
      if (took >= slowAfter) markSlow(destinationId, now)
      else if (succeeded) markFast(destinationId)
      else if (state.failures >= deliveryLimits.toleratedFailures) dismiss(destinationId)
      const next = state.waiting.shift()
      if (next !== undefined) {
        state.sending += 1
        next(true)
      } else if (state.sending === 0) {
        destinations.delete(destinationId)
        // The failures in a row count on for as long as there are not too many to remember.
        if (state.failures > 0) destinations.set(destinationId, state)
        const [oldest] = destinations
        if (destinations.size > REMEMBERED && oldest![1].sending === 0) destinations.delete(oldest![0])
      }
    },
    /**
     * Moves keys whose delivery takes long to the slow compartment, as far as it has room for their workspaces, and forgets slow
     * destinations that have got no delivery for long.
     */
    moveSlow: (now: number) => {
      forgetSlow(now)
      const slowPermits = inCompartment(true)
      let room = slow - slowPermits.length
      const held = counts("workspaceId", slowPermits)
      for (const permit of permits) {
        if (permit.isSlow || now - permit.begun < slowAfter) continue
        markSlow(permit.destinationId, now)
        const mine = held.get(permit.workspaceId) ?? 0
        if (mine >= room) continue
        permit.isSlow = true
        held.set(permit.workspaceId, mine + 1)
        room -= 1
      }
    },
    room: () => ({
      fast: Math.max(0, fast - inCompartment(false).length),
      slow: Math.max(0, slow - inCompartment(true).length)
    }),
    byWorkspace: (isSlow: boolean) =>
      [...counts("workspaceId", inCompartment(isSlow))].map(([workspaceId, count]) => ({ workspaceId, count })),
    byDestination: () =>
      [...counts("destinationId", permits)].map(([destinationId, count]) => ({ destinationId, count })),
    slowOnes: (): ReadonlyArray<string> => [...slowOnes.keys()],
    fastOnes: (): ReadonlyArray<string> => [...fastOnes]
  }
}

/** A claimed ordering key and its room in this process. */
export interface DeliveryClaim extends ClaimedKey {
  readonly claim: string
  readonly permit: Permit
}

/** Leases ordering keys that are due, within the bulkheads of this process. */
export const DeliveryClaimer = Effect.gen(function* () {
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
    renew: (claims: ReadonlyArray<DeliveryClaim>) =>
      keys.renew(claims.map(({ claim, destinationId, orderingKey }) => ({ claim, destinationId, orderingKey }))),
    free: ({ permit }: DeliveryClaim) => bulkheads.release(permit),
    /** Waits until the destination takes another delivery; false where the key had better be released. */
    enter: ({ permit }: DeliveryClaim) =>
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
    leave: ({ permit }: DeliveryClaim, succeeded: boolean) =>
      Effect.map(Clock.currentTimeMillis, (now) => bulkheads.leave(permit, succeeded, now))
  }
})
