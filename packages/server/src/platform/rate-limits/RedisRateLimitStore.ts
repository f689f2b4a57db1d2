import { randomBytes } from "node:crypto"
import { Clock, Effect, Layer, Redacted } from "effect"
import { openContained } from "../outbound/contained.ts"
import { RateLimitStore, type Taken, takenIn } from "./RateLimitStore.ts"
import { WINDOW_MS, windowCounts } from "./windowCounts.ts"

const COMMAND_TIMEOUT_MS = 500
/** After this number of commands in a row without a response, the instance counts alone. */
const FAILURES = 3
const PROBE_PAUSE_MS = 1000
/** Milliseconds beyond which a response says too little about the time at which Redis read its clock. */
const PROMPT_MS = 100

/**
 * Stores this instance's total of a window, not an increment, and returns the sum over all instances, atomically. A Redis that has
 * lost its data is complete again once every instance has stored its total.
 */
const TAKE = `
local count = tonumber(ARGV[2])
local known = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0')
if count > known then redis.call('HSET', KEYS[1], ARGV[1], count) end
if known == 0 then redis.call('PEXPIRE', KEYS[1], ${WINDOW_MS * 2}) end
local sum = 0
for _, one in ipairs(redis.call('HVALS', KEYS[1])) do sum = sum + tonumber(one) end
local time = redis.call('TIME')
return {sum, time[1] * 1000 + math.floor(time[2] / 1000)}`

/** Its 650 files take longer to load than the rest of the program, so only an instance that uses Redis loads them. */
const library = Effect.promise(() => import("redis"))

const connect = (url: Redacted.Redacted) =>
  Effect.acquireRelease(
    Effect.map(library, ({ createClient }) => {
      const client = createClient({
        url: Redacted.value(url),
        disableOfflineQueue: true,
        socket: { connectTimeout: 2000, reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, 2000) }
      })
      // Without a listener a lost connection would end the process. Failing commands report it.
      client.on("error", () => {})
      void openContained("redis", () => client.connect()).catch(() => {})
      return client
    }),
    (client) => Effect.sync(() => client.destroy())
  )

/**
 * Counts shared by all instances. Each instance also counts alone, and uses only its own count while Redis does not respond, so that few
 * requests wait for a Redis that hangs. Readiness reports it.
 */
export const layerRedis = (url: Redacted.Redacted) =>
  Layer.effect(
    RateLimitStore,
    Effect.gen(function* () {
      const client = yield* connect(url)
      const clock = yield* Clock.Clock
      const instance = randomBytes(9).toString("base64url")
      const countIn = windowCounts()
      let failures = 0
      let alone = false
      /** Milliseconds by which Redis's clock is ahead of this machine's. The clocks of instances may differ. */
      let ahead = 0

      const countAlone = (reason: string) =>
        Effect.suspend(() => {
          if (alone) return Effect.void
          alone = true
          return Effect.logWarning(`Redis is unreachable (${reason}): this instance counts rate limits alone`)
        })

      const share = Effect.suspend(() => {
        failures = 0
        if (!alone) return Effect.void
        alone = false
        return Effect.logInfo("Redis responds again: rate limits are shared")
      })

      const failed = Effect.suspend(() => {
        failures += 1
        return failures < FAILURES ? Effect.void : countAlone(`no response within ${COMMAND_TIMEOUT_MS} ms`)
      })

      const ask = <A>(command: (signal: AbortSignal) => Promise<A>) =>
        Effect.tryPromise(command).pipe(Effect.timeout(COMMAND_TIMEOUT_MS))

      const publish = (key: string, window: number, count: number, sent: number) =>
        ask((signal) =>
          client
            .withAbortSignal(signal)
            .eval(TAKE, { keys: [`edp:counts:${key}:${window}`], arguments: [instance, `${count}`] })
        ).pipe(
          Effect.map((reply) => {
            const [sum, now] = reply as [number, number]
            const answered = clock.currentTimeMillisUnsafe()
            failures = 0
            if (answered - sent < PROMPT_MS) ahead = now - (sent + answered) / 2
            return sum
          })
        )

      const take = (key: string): Effect.Effect<Taken> =>
        Effect.suspend(() => {
          const sent = clock.currentTimeMillisUnsafe()
          const now = sent + ahead
          const { window, count } = countIn(key, now)
          const own = takenIn(window, count, now)
          if (alone) return Effect.succeed(own)
          if (!client.isReady) return Effect.as(countAlone("no connection"), own)
          return publish(key, window, count, sent).pipe(
            Effect.map((sum) => takenIn(window, Math.max(sum, count), now)),
            Effect.catch(() => Effect.as(failed, own)),
            Effect.withSpan("RateLimitStore.take")
          )
        })

      // One ping at a time and without a time-out, so that they do not accumulate in a Redis that hangs.
      const probe = Effect.suspend(() => {
        const asked = clock.currentTimeMillisUnsafe()
        return Effect.flatMap(
          Effect.tryPromise(() => client.ping()),
          () => (clock.currentTimeMillisUnsafe() - asked < COMMAND_TIMEOUT_MS ? share : Effect.void)
        )
      }).pipe(Effect.ignore)
      yield* Effect.suspend(() => (alone ? probe : Effect.void)).pipe(
        Effect.andThen(Effect.sleep(PROBE_PAUSE_MS)),
        Effect.forever,
        Effect.forkScoped
      )

      const responses = ask((signal) => client.withAbortSignal(signal).ping()).pipe(
        Effect.as(true),
        Effect.catch(() => Effect.as(failed, false))
      )
      return {
        take,
        healthy: Effect.suspend(() => (alone || !client.isReady ? Effect.succeed(false) : responses))
      }
    })
  )
