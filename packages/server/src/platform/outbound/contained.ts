import { AsyncLocalStorage } from "node:async_hooks"
import { Effect } from "effect"

/** The connection or client on whose behalf callbacks run: whatever its calls share, such as a pool of sockets. */
type Place = string | object

const places = new AsyncLocalStorage<Place>()
const underWay = new Map<Place, Set<(error: unknown) => void>>()

/**
 * Calls a library that goes on in callbacks of sockets and timers, as `Effect.callback` does. An exception that it throws
 * there, or a rejection that nobody handles, reaches no caller: it stops all calls under way at the same place and ends them
 * with `stray`, instead of leaving them to their time limits.
 */
export const contained = <A, E>(
  place: Place,
  register: (resume: (effect: Effect.Effect<A, E>) => void) => Effect.Effect<void> | void,
  stray: (error: unknown) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.callback<A, E>((resume) => {
    const calls = underWay.get(place) ?? new Set()
    underWay.set(place, calls)
    const forget = () => {
      calls.delete(fail)
      if (calls.size === 0 && underWay.get(place) === calls) underWay.delete(place)
    }
    // The fiber goes on outside: what it does next is of another place, or of none.
    const settle = (effect: Effect.Effect<A, E>) => {
      forget()
      places.exit(() => resume(effect))
    }
    let stop: Effect.Effect<void> = Effect.void
    const fail = (error: unknown) => settle(Effect.andThen(stop, stray(error)))
    calls.add(fail)
    try {
      stop = places.run(place, () => register(settle)) ?? Effect.void
      return Effect.suspend(() => {
        forget()
        return stop
      })
    } catch (error) {
      forget()
      throw error
    }
  })

/**
 * For the process's handlers of stray exceptions, which run on behalf of the place that the exception is from: ends its
 * calls. Answers whether it is from one.
 */
export const failCallsUnderWay = (error: unknown): boolean => {
  const place = places.getStore()
  if (place === undefined) return false
  // Those of now: what fails may begin again at once.
  const calls = [...(underWay.get(place) ?? [])]
  for (const fail of calls) fail(error)
  return true
}
