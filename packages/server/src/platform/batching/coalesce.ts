import { Cause, Effect, Exit } from "effect"

interface Waiting<V, E> {
  readonly key: unknown
  readonly resume: (exit: Exit.Exit<V, E>) => void
}

/** No fiber runs where the callers are answered: what is thrown there would end the process. */
const orDefect =
  <K, V, E>(answer: (key: K) => Exit.Exit<V, E>) =>
  (key: K): Exit.Exit<V, E> => {
    try {
      return answer(key)
    } catch (defect) {
      return Exit.die(defect)
    }
  }

// The callers themselves are not interrupted.
const ofStop = <E>(cause: Cause.Cause<E>) =>
  Cause.hasInterruptsOnly(cause) ? Cause.die(new Error("The service stops")) : cause

export interface Coalesced<K, V, E> {
  (key: K): Effect.Effect<V, E>
  /** The same for a caller that is no fiber. */
  readonly ask: (key: K) => Promise<Exit.Exit<V, E>>
}

/**
 * Shares work among concurrent callers: keys gather while a batch runs, and the next batch takes them all. A call
 * never joins a batch that began before it, so what it reads is at least as new as the call: this is no cache.
 */
export const coalesce = <K, V, E, R>(
  run: (keys: ReadonlyArray<K>) => Effect.Effect<(key: K) => Exit.Exit<V, E>, E, R>,
  options: { readonly maxBatch: number; readonly weight?: (key: K) => number }
): Effect.Effect<Coalesced<K, V, E>, never, R> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<R>()
    const weight = options.weight ?? (() => 1)
    const waiting: Array<Waiting<V, E>> = []
    let running = false

    const take = () => {
      let total = 0
      let size = 0
      while (size < waiting.length) {
        total += weight(waiting[size]!.key as K)
        if (size > 0 && total > options.maxBatch) break
        size += 1
      }
      return waiting.splice(0, size)
    }

    const settle = (batch: ReadonlyArray<Waiting<V, E>>, exit: Exit.Exit<(key: K) => Exit.Exit<V, E>, E>) => {
      const answer = Exit.isSuccess(exit) ? orDefect(exit.value) : () => Exit.failCause(ofStop(exit.cause))
      for (const { key, resume } of batch) resume(answer(key as K))
    }

    const next = () => {
      const batch = take()
      if (batch.length === 0) {
        running = false
        return
      }
      const fiber = Effect.runForkWith(context)(run(batch.map(({ key }) => key as K)))
      fiber.addObserver((exit) => {
        // The database works on the next batch while the callers of this one go on.
        next()
        settle(batch, exit)
      })
    }

    const enter = (entry: Waiting<V, E>) => {
      waiting.push(entry)
      if (running) return
      running = true
      // Requests that arrived in the same turn of the event loop share the first batch too.
      setImmediate(next)
    }

    const coalesced = (key: K) =>
      Effect.callback<V, E>((resume) => {
        const entry: Waiting<V, E> = { key, resume }
        enter(entry)
        return Effect.sync(() => {
          const at = waiting.indexOf(entry)
          if (at >= 0) waiting.splice(at, 1)
        })
      })
    return Object.assign(coalesced, {
      ask: (key: K) => new Promise<Exit.Exit<V, E>>((resume) => enter({ key, resume }))
    })
  })
