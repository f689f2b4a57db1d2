import { AsyncLocalStorage } from "node:async_hooks"
import { Effect, Fiber } from "effect"

/** The owner of callbacks: an object that the calls share, such as a client or a pool of sockets. */
type Owner = string | object

const owners = new AsyncLocalStorage<Owner>()
const underWay = new Map<Owner, Set<(error: unknown) => void>>()

/**
 * Calls a library that continues in callbacks of sockets and timers, as `Effect.callback` does. An exception that it throws
 * there, or an unhandled rejection, reaches no caller: all calls under way at the same owner are stopped and end with `stray`
 * instead of waiting for their time limits. So does a call that throws before it returns.
 */
export const contained = <A, E>(
  owner: Owner,
  register: (resume: (effect: Effect.Effect<A, E>) => void) => Effect.Effect<void> | void,
  stray: (error: unknown) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.callback<A, E>((resume) => {
    const calls = underWay.get(owner) ?? new Set()
    underWay.set(owner, calls)
    const forget = () => {
      calls.delete(fail)
      if (calls.size === 0 && underWay.get(owner) === calls) underWay.delete(owner)
    }
    // The fiber continues outside of this context.
    const settle = (effect: Effect.Effect<A, E>) => {
      forget()
      owners.exit(() => resume(effect))
    }
    let stop: Effect.Effect<void> = Effect.void
    const fail = (error: unknown) => settle(Effect.andThen(stop, stray(error)))
    calls.add(fail)
    try {
      stop = owners.run(owner, () => register(settle)) ?? Effect.void
      return Effect.suspend(() => {
        forget()
        return stop
      })
    } catch (error) {
      fail(error)
      return undefined
    }
  })

/**
 * Runs an effect that calls out, in a fiber of its own. Sockets that it opens belong to the owner, also after the effect has ended:
 * an exception in one of their callbacks fails the effects under way at the owner, and is not one of the process.
 */
export const containedEffect = <A, E, R>(
  owner: Owner,
  effect: Effect.Effect<A, E, R>,
  stray: (error: unknown) => Effect.Effect<A, E>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.context<R>(), (context) =>
    contained<A, E>(
      owner,
      (resume) => {
        const fiber = Effect.runForkWith(context)(effect)
        fiber.addObserver(resume)
        return Fiber.interrupt(fiber)
      },
      stray
    )
  )

/** Opens a connection whose callbacks belong to the owner. */
export const openContained = <Connection>(owner: Owner, open: () => Connection): Connection => owners.run(owner, open)

/**
 * For the process's handlers of stray exceptions, which run in the context that the exception came from: fails its calls.
 * Returns whether the exception came from an outbound call.
 */
export const failCallsUnderWay = (error: unknown): boolean => {
  const owner = owners.getStore()
  if (owner === undefined) return false
  // A copy, because a failed call may begin again at once.
  const calls = [...(underWay.get(owner) ?? [])]
  for (const fail of calls) fail(error)
  return true
}
