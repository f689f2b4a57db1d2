import { everyAlert } from "@edp/domain/alerts/AlertConfiguration"
import { AlertConfigurations } from "@edp/server/alerts/AlertConfigurations"
import { FleetCountsRepository } from "@edp/server/dashboard/fleet/FleetCountsRepository"
import { FleetRepository } from "@edp/server/dashboard/fleet/FleetRepository"
import { Fleets } from "@edp/server/dashboard/fleet/Fleets"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

const caller = { workspaceId: "one" } as Parameters<Fleets["Service"]["devices"]>[0]
const window = { sort: "last-reported", offset: 0, limit: 100 } as const

/** A database whose statements on the fleet take so many milliseconds, and the numbers of those that ran. */
const slowDatabase = (milliseconds: number) => {
  const ran = { ids: 0, groups: 0 }
  const taking = <A>(name: keyof typeof ran, response: A) =>
    Effect.suspend(() => {
      ran[name] += 1
      return Effect.delay(Effect.succeed(response), milliseconds)
    })
  const repository: Pick<FleetRepository["Service"], "count" | "ids"> = {
    count: () => Effect.succeed(0),
    ids: () => taking("ids", [])
  }
  const counts: Pick<FleetCountsRepository["Service"], "groups" | "alerts" | "totals"> = {
    groups: () => taking("groups", []),
    alerts: () => Effect.succeed([]),
    totals: () => Effect.succeed({ sites: 0, customers: 0, accounts: 0 })
  }
  const layer = Fleets.layer.pipe(
    Layer.provide([
      Layer.succeed(FleetRepository, repository as FleetRepository["Service"]),
      Layer.succeed(FleetCountsRepository, counts as FleetCountsRepository["Service"]),
      Layer.succeed(AlertConfigurations, {
        readRules: () => Effect.succeed(everyAlert)
      } as unknown as AlertConfigurations["Service"])
    ])
  )
  return { ran, layer }
}

/** Ten pages that ask at the same time, and the responses that they get. */
const askTenTimes = <A, E>(ask: Effect.Effect<A, E>, milliseconds: number) =>
  Effect.gen(function* () {
    const pages = yield* Effect.forkChild(
      Effect.all(
        Array.from({ length: 10 }, () => ask),
        { concurrency: "unbounded" }
      )
    )
    yield* TestClock.adjust(milliseconds)
    return yield* Fiber.join(pages)
  })

describe("ten pages with the same view of a large fleet", () => {
  it.effect("cost one statement, and its response says its time and is reused for at most ten seconds", () => {
    const { layer, ran } = slowDatabase(2000)
    return Effect.gen(function* () {
      const fleets = yield* Fleets
      const asked = Effect.all([fleets.devices(caller, window), fleets.count(caller, {})], { concurrency: 2 })
      yield* askTenTimes(asked, 2000)
      expect(ran).toEqual({ ids: 1, groups: 1 })
      yield* TestClock.adjust(9999)
      const [reused] = yield* askTenTimes(asked, 0)
      expect(ran).toEqual({ ids: 1, groups: 1 })
      expect(reused![0].asOf).toBe(new Date(0).toISOString())
      yield* TestClock.adjust(1)
      const [renewed] = yield* askTenTimes(asked, 2000)
      expect(ran).toEqual({ ids: 2, groups: 2 })
      expect(renewed![0].asOf).toBe(new Date(12_000).toISOString())
    }).pipe(Effect.provide(layer))
  })

  it.effect("each get a statement of their own when they differ in workspace, filters or window", () => {
    const { layer, ran } = slowDatabase(2000)
    return Effect.gen(function* () {
      const fleets = yield* Fleets
      const asked = [
        fleets.devices(caller, window),
        fleets.devices({ ...caller, workspaceId: "two" }, window),
        fleets.devices(caller, { ...window, offset: 100 }),
        fleets.devices(caller, { ...window, type: ["battery"] })
      ]
      const all = yield* Effect.forkChild(Effect.all(asked, { concurrency: "unbounded" }))
      yield* TestClock.adjust(2000)
      yield* Fiber.join(all)
      expect(ran.ids).toBe(4)
    }).pipe(Effect.provide(layer))
  })
})

it.effect("a small fleet is read anew by each request", () => {
  const { layer, ran } = slowDatabase(49)
  return Effect.gen(function* () {
    const fleets = yield* Fleets
    for (let request = 1; request <= 3; request++) {
      const asked = Effect.all([fleets.devices(caller, window), fleets.count(caller, {})], { concurrency: 2 })
      const response = yield* Effect.forkChild(asked)
      yield* TestClock.adjust(49)
      yield* Fiber.join(response)
      expect(ran).toEqual({ ids: request, groups: request })
    }
  }).pipe(Effect.provide(layer))
})
