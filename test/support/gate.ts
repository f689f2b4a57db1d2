import { Effect } from "effect"

/** A place where work stops until a test lets it go on. */
export const gate = () => {
  const arrival = Promise.withResolvers<void>()
  const opening = Promise.withResolvers<void>()
  return {
    /** Resolves once the work has arrived. */
    entered: arrival.promise,
    open: () => opening.resolve(),
    wait: Effect.promise(() => {
      arrival.resolve()
      return opening.promise
    })
  }
}
