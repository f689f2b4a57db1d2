import { Cause, Clock, Context, Effect, Metric } from "effect"
import { failCallsUnderWay } from "../outbound/contained.ts"

const strays = Metric.counter("edp_stray_exceptions_total", {
  description: "Exceptions and rejections that nobody caught, by kind and by whether they came from an outbound call",
  incremental: true
})

type Kind = "exception" | "rejection"

/** More of them in a minute are counted and not logged. */
const LOGGED_A_MINUTE = 60

/**
 * Keeps the process running through exceptions that libraries throw in callbacks of sockets and timers, through errors of
 * emitters that nobody listens to and through rejections that nobody handles: receivers and other peers cause them, and none
 * may take the service away from everybody else. Each is logged and counted, and ends the outbound calls that it came from.
 *
 * Until this runs, such an exception ends the process: a start that fails must not look like a server.
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
    // A reader of the log that went away is an error of these streams, and nothing could be logged of it.
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
  })
})
