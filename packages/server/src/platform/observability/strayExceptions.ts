import { Cause, Clock, Context, Effect, Metric } from "effect"
import { failCallsUnderWay } from "../outbound/contained.ts"

const strays = Metric.counter("edp_stray_exceptions_total", {
  description: "Uncaught exceptions and rejections, by kind and by whether they came from an outbound call",
  incremental: true
})

/** Whether the service cannot go on in this process, so that only a restart helps. */
export const processHasEnded = Context.Reference<() => boolean>("@edp/server/processHasEnded", {
  defaultValue: () => () => false
})

type Kind = "exception" | "rejection"

/** Further exceptions of a minute are counted but not logged. */
const LOGGED_A_MINUTE = 60

/**
 * Handles exceptions in callbacks of sockets and timers, errors of emitters without a listener, and unhandled rejections. Each is counted
 * and logged. One from an outbound call fails that call, and the process goes on: a peer can cause it, and what it leaves behind ends with
 * the call. Any other leaves the process in an unknown state, so `end` is called with it. Until this runs, such an exception ends the start.
 */
export const handleStrayExceptions = (end: (error: unknown) => void) =>
  Effect.gen(function* () {
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    const clock = yield* Clock.Clock
    let minute = 0
    let logged = 0

    const mayLog = () => {
      const now = Math.floor(clock.currentTimeMillisUnsafe() / 60_000)
      if (now !== minute) [minute, logged] = [now, 0]
      logged += 1
      return logged <= LOGGED_A_MINUTE
    }

    const handle = (kind: Kind) => (error: unknown) => {
      const isOutbound = failCallsUnderWay(error)
      const attributes = { kind, outbound: String(isOutbound) }
      Metric.withAttributes(strays, attributes).updateUnsafe(1, Context.empty())
      if (mayLog()) {
        const message = isOutbound
          ? "An outbound call failed with an exception that its library did not catch"
          : "An exception was not caught; the process ends"
        fork(Effect.annotateLogs(Effect.logError(message, Cause.die(error)), attributes))
      }
      if (!isOutbound) end(error)
    }

    yield* Effect.sync(() => {
      process.on("uncaughtException", handle("exception"))
      process.on("unhandledRejection", handle("rejection"))
      // When the reader of the log is gone, these streams fail, and that cannot be logged.
      for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
    })
  })
