import { Cause, Clock, Context, Effect, Metric } from "effect"
import { failCallsUnderWay } from "../outbound/contained.ts"

const strays = Metric.counter("edp_stray_exceptions_total", {
  description: "Uncaught exceptions and rejections, by kind and by whether they came from an outbound call",
  incremental: true
})

type Kind = "exception" | "rejection"

/** Further exceptions of a minute are counted but not logged. */
const LOGGED_A_MINUTE = 60

/**
 * Keeps the process running after exceptions in callbacks of sockets and timers, errors of emitters without a listener, and unhandled
 * rejections: peers can cause them, and none may take down the service. Each is logged and counted, and fails the outbound calls
 * that it came from. Until this runs, such an exception ends the start.
 */
export const surviveStrayExceptions = Effect.gen(function* () {
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

  const survive = (kind: Kind) => (error: unknown) => {
    const isOutbound = failCallsUnderWay(error)
    const attributes = { kind, outbound: String(isOutbound) }
    Metric.withAttributes(strays, attributes).updateUnsafe(1, Context.empty())
    if (!mayLog()) return
    const message = isOutbound
      ? "An outbound call failed with an exception that its library did not catch"
      : "An exception was not caught; the process keeps running"
    fork(Effect.annotateLogs(Effect.logError(message, Cause.die(error)), attributes))
  }

  yield* Effect.sync(() => {
    process.on("uncaughtException", survive("exception"))
    process.on("unhandledRejection", survive("rejection"))
    // When the reader of the log is gone, these streams fail, and that cannot be logged.
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
  })
})
