import { Context, Effect, Layer, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { logFailure } from "../logs/repeatedFailures.ts"
import { listenOnChannel } from "../sql/pooledClient.ts"

/** The channel of the database on which its triggers announce new work. The payload is the topic. */
const CHANNEL = "edp_work"

/** The pauses before the connection that listens is opened again, in milliseconds. They double up to the longest one. */
const FIRST_PAUSE = 250
const LONGEST_PAUSE = 5000

/** The announcements of new work, by topic: `deliveries`, for example. The topics are those of the triggers in the database. */
export class WorkAnnouncements {
  readonly #wakeUps = new Map<string, Set<() => void>>()
  #isReceiving = false

  /** Whether the work of all instances is announced here. Otherwise whoever waits for work has to poll for it. */
  get isReceiving(): boolean {
    return this.#isReceiving
  }

  /** Work may have been announced meanwhile, so all look for it. */
  setReceiving(isReceiving: boolean): void {
    this.#isReceiving = isReceiving
    for (const topic of this.#wakeUps.keys()) this.announce(topic)
  }

  announce(topic: string): void {
    for (const wake of this.#wakeUps.get(topic) ?? []) wake()
  }

  /** Calls `wake` for each announcement, until the returned function is called. */
  subscribe(topic: string, wake: () => void): () => void {
    const wakeUps = this.#wakeUps.get(topic) ?? new Set()
    this.#wakeUps.set(topic, wakeUps.add(wake))
    return () => void wakeUps.delete(wake)
  }
}

/** The announcements that this process receives. By default none: then work is found by polling alone. */
export const WorkSignals = Context.Reference<WorkAnnouncements>("@edp/server/platform/jobs/WorkSignals", {
  defaultValue: () => new WorkAnnouncements()
})

/**
 * Receives the database's announcements for as long as the scope lives. A lost connection is opened again; until then everything that
 * waits for work polls for it.
 */
const receive = Effect.fnUntraced(function* (signals: WorkAnnouncements) {
  const listen = listenOnChannel(yield* SqlClient.SqlClient)
  if (listen === undefined) return
  let failures = 0
  yield* Effect.scoped(
    Effect.gen(function* () {
      const notifications = yield* listen(CHANNEL)
      failures = 0
      yield* Effect.addFinalizer(() => Effect.sync(() => signals.setReceiving(false)))
      signals.setReceiving(true)
      while (true) {
        const arrived = yield* Queue.takeAll(notifications)
        for (const topic of new Set(arrived.map(({ payload }) => payload))) signals.announce(topic)
      }
    })
  ).pipe(
    // Also after a defect: nothing may end the receiving for good.
    Effect.catchCause((cause) => {
      const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.min(failures, 10))
      failures += 1
      const message =
        "The database connection that announces new work was lost; until it is open again, work is polled for"
      return Effect.andThen(logFailure("work signals", message, cause), Effect.sleep(pause))
    }),
    Effect.forever
  )
})

/** The signals of a process, which listens to its database. */
export const layer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.effect(
  WorkSignals,
  Effect.gen(function* () {
    const signals = new WorkAnnouncements()
    yield* Effect.forkScoped(receive(signals))
    return signals
  })
)
