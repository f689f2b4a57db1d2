import { RateLimitStore, type Taken } from "@edp/server/platform/rate-limits/RateLimitStore"
import { layerRedis } from "@edp/server/platform/rate-limits/RedisRateLimitStore"
import { Effect, Layer, Logger, ManagedRuntime, Redacted } from "effect"
import { afterEach, beforeEach, expect, test } from "vitest"
import { eventually } from "../../../support/eventually.ts"
import { describeRedis, type RedisServer, startRedis } from "../../../support/peers/RedisServer.ts"

/** One instance of the service, as far as it counts. */
const startInstance = (url: string) => {
  const logged: Array<string> = []
  const logger = Logger.make(({ message }) => void logged.push(String(message)))
  const runtime = ManagedRuntime.make(layerRedis(Redacted.make(url)).pipe(Layer.provideMerge(Logger.layer([logger]))))
  const run = <A>(use: (store: RateLimitStore["Service"]) => Effect.Effect<A>) =>
    runtime.runPromise(Effect.flatMap(RateLimitStore, use))
  return {
    logged,
    take: (key: string): Promise<Taken> => run((store) => store.take(key)),
    isHealthy: () => run(({ healthy }) => healthy),
    stop: () => runtime.dispose()
  }
}

type Instance = ReturnType<typeof startInstance>

const times = (count: number) => Array.from({ length: count }, (_, at) => at)
const takeTogether = (instance: Instance, key: string, count: number) =>
  Promise.all(times(count).map(() => instance.take(key)))

let nextKey = 0
/** Repeats with another key until everything fell into one window. */
const inOneWindow = async (run: (key: string) => Promise<ReadonlyArray<Taken>>): Promise<ReadonlyArray<number>> => {
  const taken = await run(`key-${nextKey++}`)
  const windows = new Set(taken.map(({ resetAt }) => resetAt))
  return windows.size === 1 ? taken.map(({ count }) => count) : inOneWindow(run)
}

describeRedis("counts in Redis", () => {
  let redis: RedisServer
  let instances: ReadonlyArray<Instance>
  const allAre = (healthy: boolean) =>
    eventually(`all instances are ${healthy ? "healthy" : "degraded"}`, async () =>
      (await Promise.all(instances.map((each) => each.isHealthy()))).every((is) => is === healthy) ? true : undefined
    )
  beforeEach(async () => {
    redis = await startRedis()
    instances = [startInstance(redis.url), startInstance(redis.url)]
    await allAre(true)
  })
  afterEach(async () => {
    await Promise.all(instances.map((each) => each.stop()))
    await redis.close()
  })
  const [first, second] = [() => instances[0]!, () => instances[1]!]

  test("every request counts once, on any instance", async () => {
    const counts = await inOneWindow(async (key) =>
      (await Promise.all([takeTogether(first(), key, 50), takeTogether(second(), key, 50)])).flat()
    )
    expect(counts.toSorted((a, b) => a - b)).toEqual(times(100).map((at) => at + 1))
  })

  test("a Redis that restarts within a window receives the counts again", async () => {
    const counts = await inOneWindow(async (key) => {
      const before = [...(await takeTogether(first(), key, 150)), ...(await takeTogether(second(), key, 150))]
      await redis.stop()
      await redis.start()
      await allAre(true)
      return [...before, await first().take(key), await second().take(key), await first().take(key)]
    })
    // The first request gets its own count, later ones the sum.
    expect(counts.slice(-3)).toEqual([151, 302, 303])
  })

  test("without Redis each instance counts alone, and stores its count in Redis afterwards", async () => {
    const counts = await inOneWindow(async (key) => {
      await redis.stop()
      const alone = [...(await takeTogether(first(), key, 20)), ...(await takeTogether(second(), key, 30))]
      await redis.start()
      await allAre(true)
      return [...alone, await first().take(key), await second().take(key)]
    })
    expect([counts[19], counts[49], ...counts.slice(-2)]).toEqual([20, 30, 21, 52])
  })

  // Waiting for every response would take minutes.
  test("a Redis that hangs delays few requests, is logged once, and is used again afterwards", async () => {
    redis.freeze()
    const counts = await inOneWindow(async (key) => {
      const taken: Array<Taken> = []
      for (const _ of times(1000)) taken.push(await first().take(key))
      return taken
    })
    expect(counts).toEqual(times(1000).map((at) => at + 1))
    await allAre(false)
    redis.thaw()
    await allAre(true)
    const shared = await inOneWindow(async (key) => [await first().take(key), await second().take(key)])
    expect(shared).toEqual([1, 2])
    expect(first().logged.filter((line) => line.includes("unreachable"))).toHaveLength(1)
    expect(first().logged.at(-1)).toContain("shared")
  })

  test("readiness detects a Redis that hangs without any request", async () => {
    redis.freeze()
    await allAre(false)
    redis.thaw()
    await allAre(true)
  })
})
