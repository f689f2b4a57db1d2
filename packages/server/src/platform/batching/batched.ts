import { Cause, type Context, Effect, Exit, Latch, Request, RequestResolver } from "effect"
import { narrowContext } from "../narrowContext.ts"

interface Ask<K, V, E> extends Request.Request<V, E> {
  readonly key: K
}

interface Options<K> {
  /** The most weight of a batch; a key weighs 1 unless `weight` says otherwise. */
  readonly maxBatch: number
  readonly weight?: (key: K) => number
}

/** A key that weighs more than a batch may is a batch of its own. */
const inBatches = <K, V, E>(
  entries: ReadonlyArray<Request.Entry<Ask<K, V, E>>>,
  { maxBatch, weight = () => 1 }: Options<K>
) => {
  const batches: Array<Array<Request.Entry<Ask<K, V, E>>>> = []
  let total = Infinity
  for (const entry of entries) {
    const own = weight(entry.request.key)
    total += own
    if (total > maxBatch) {
      batches.push([])
      total = own
    }
    batches.at(-1)!.push(entry)
  }
  return batches
}

const responseIn = <K, V, E1, E2>(
  batch: Exit.Exit<(key: K) => Exit.Exit<V, E1>, E2>,
  key: K
): Exit.Exit<V, E1 | E2> => {
  if (Exit.isFailure(batch)) {
    // The callers of a batch are not interrupted when the batch is.
    return Cause.hasInterruptsOnly(batch.cause)
      ? Exit.die(new Error("The service is stopping"))
      : Exit.failCause(batch.cause)
  }
  try {
    return batch.value(key)
  } catch (defect) {
    return Exit.die(defect)
  }
}

/**
 * Batches concurrent calls: keys gather while a batch runs, and the next batch takes them all. A call never joins a batch
 * that began before it, so what it reads is at least as new as the call: this is not a cache. One batch runs at a time, in
 * the context in which this effect ran: never in the transaction or the span of a caller.
 */
export const batched = <K, V, E1, E2>(
  run: (keys: ReadonlyArray<K>) => Effect.Effect<(key: K) => Exit.Exit<V, E1>, E2>,
  options: Options<K>
): Effect.Effect<(key: K) => Effect.Effect<V, E1 | E2>> =>
  Effect.contextWith((whole: Context.Context<never>) => {
    const context = narrowContext(whole)
    type E = E1 | E2
    const ask = Request.of<Ask<K, V, E>>()
    const idle = Latch.makeUnsafe(true)

    const runBatch = (entries: ReadonlyArray<Request.Entry<Ask<K, V, E>>>, isLast: boolean) =>
      Effect.map(Effect.exit(run(entries.map(({ request }) => request.key))), (batch) => {
        // Starts what has gathered at once: the database works on it while the callers of this batch continue.
        if (isLast) idle.openUnsafe()
        for (const entry of entries) entry.completeUnsafe(responseIn(batch, entry.request.key))
      })

    const runAll = (entries: ReadonlyArray<Request.Entry<Ask<K, V, E>>>): Effect.Effect<void> => {
      idle.closeUnsafe()
      const batches = inBatches(entries, options)
      return Effect.forEach(batches, (batch, at) => runBatch(batch, at === batches.length - 1), { discard: true })
    }

    const resolver = RequestResolver.makeWith<Ask<K, V, E>>({
      batchKey: () => options,
      // Calls of the same turn of the event loop share the first batch, too.
      delay: Effect.andThen(Effect.yieldNow, idle.await),
      collectWhile: () => true,
      runAll: (entries) => Effect.updateContext(runAll(entries), () => context)
    })
    return Effect.succeed((key: K) => Effect.request(ask({ key }), resolver))
  })

/** Looks up a value by a key, for concurrent callers by one statement. The keys are named in what it finds by `name`. */
export const batchedLookup = <K, V, E>(
  find: (keys: ReadonlyArray<K>) => Effect.Effect<ReadonlyMap<string, V>, E>,
  name: (key: K) => string
): Effect.Effect<(key: K) => Effect.Effect<V | undefined, E>> =>
  batched(
    (keys: ReadonlyArray<K>) =>
      Effect.map(
        find(keys),
        (found) =>
          (key: K): Exit.Exit<V | undefined> =>
            Exit.succeed(found.get(name(key)))
      ),
    { maxBatch: 500 }
  )
