import { Clock, Effect, Layer, Redacted } from "effect"
import { createClient } from "redis"
import { memoryCounts, RateLimitStore, type Taken, WINDOW_MS, windowEnd } from "./RateLimitStore.ts"

const COMMAND_TIMEOUT_MS = 500

// One atomic step. The window goes by Redis's own clock: the instances' clocks may differ.
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local key = KEYS[1] .. ':' .. math.floor(now / ${WINDOW_MS})
local count = redis.call('INCR', key)
if count == 1 then redis.call('PEXPIRE', key, ${WINDOW_MS * 2}) end
return {count, now}`

const toTaken = (reply: unknown): Taken => {
  const [count, now] = reply as [number, number]
  return windowEnd(now, count)
}

const connect = (url: Redacted.Redacted) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const client = createClient({
        url: Redacted.value(url),
        disableOfflineQueue: true,
        socket: { connectTimeout: 2000, reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, 2000) }
      })
      // Without a listener a lost connection would end the process; a failing command is what tells.
      client.on("error", () => {})
      void client.connect().catch(() => {})
      return client
    }),
    (client) => Effect.sync(() => client.destroy())
  )

/** Counts shared by all instances. While Redis is unreachable each instance counts for itself, and readiness shows it. */
export const layerRedis = (url: Redacted.Redacted) =>
  Layer.effect(
    RateLimitStore,
    Effect.gen(function* () {
      const client = yield* connect(url)
      const takeInMemory = memoryCounts(yield* Clock.Clock)
      let warned = false

      const fallBack = (key: string) => (cause: unknown) =>
        Effect.suspend(() => {
          const warning = warned
            ? Effect.void
            : Effect.logWarning("Redis is unreachable: this instance counts alone", cause)
          warned = true
          return Effect.as(warning, takeInMemory(key))
        })

      return {
        healthy: Effect.sync(() => client.isReady),
        take: (key: string) =>
          Effect.tryPromise((signal) =>
            client.withAbortSignal(signal).eval(TAKE, { keys: [`edp:limit:${key}`], arguments: [] })
          ).pipe(
            Effect.timeout(COMMAND_TIMEOUT_MS),
            Effect.map((reply) => {
              warned = false
              return toTaken(reply)
            }),
            Effect.catch(fallBack(key)),
            Effect.withSpan("RateLimitStore.take")
          )
      }
    })
  )
