import type { BrokerDevice } from "@edp/adapter-kit/broker/BrokerDevice"
import { makeDescriptionStore } from "@edp/adapter-kit/broker/descriptionStore"
import { makeDeviceFeed } from "@edp/adapter-kit/broker/deviceFeed"
import { observe } from "@edp/adapter-kit/decoding/observation"
import { Arbitrary, Effect, Schema } from "effect"
import { describe, expect, it } from "vitest"

const EVERY = 10_000
const REPEAT = 300_000

const meter = (id: string): BrokerDevice => ({
  id,
  name: id,
  model: "M",
  manufacturerName: null,
  serialNumber: null,
  type: "meter",
  commands: [],
  topics: [`${id}/power`],
  availabilityTopics: [`${id}/online`],
  problems: [],
  observe: (read) => {
    const watts = Number(read(`${id}/power`))
    return observe("meter", Number.isFinite(watts) ? { power: watts } : {})
  },
  isReachable: (read) => {
    const said = read(`${id}/online`)
    return said === "yes" ? true : said === "no" ? false : undefined
  },
  plan: () => ({ refused: "It has no commands" }),
  isSwitchedOn: () => undefined
})

const feedOf1 = () => {
  const feed = makeDeviceFeed({ reportEvery: EVERY, repeatAfter: REPEAT })
  feed.setDevices([meter("a")])
  return feed
}

const Steps = Schema.Array(
  Schema.Struct({
    after: Schema.Literals([0, 1, 50, 999, 5000, 20_000, 400_000]),
    topic: Schema.Literals(["a/power", "a/power", "a/online"]),
    payload: Schema.Literals(["1", "2", "3", "yes", "no", "", "odd"]),
    isRetained: Schema.Boolean
  })
).check(Schema.isMaxLength(60))

describe("the sightings of a device", () => {
  it("are never closer than the limit nor go back in time, and the last state comes at last", () => {
    const result = Effect.runSync(
      Arbitrary.checkEffect(
        Arbitrary.schema(Steps),
        (steps) =>
          Effect.sync(() => {
            const feed = feedOf1()
            let now = 1_000_000
            const seen: Array<{ readonly at: number; readonly observedAt: number; readonly state: unknown }> = []
            const look = () => {
              for (const one of feed.due(now).sightings) {
                seen.push({ at: now, observedAt: one.observedAt, state: one.state })
              }
            }
            for (const { after, isRetained, payload, topic } of steps) {
              now += after
              feed.accept(topic, payload, isRetained, now)
              look()
            }
            const { nextAt } = feed.due(now)
            if (nextAt !== Infinity) {
              now = nextAt
              look()
            }
            const isOrdered = seen.every(
              (one, n) => n === 0 || (one.at - seen[n - 1]!.at >= EVERY && one.observedAt >= seen[n - 1]!.observedAt)
            )
            const last = steps.findLast(({ payload, topic }) => topic === "a/power" || payload === "no")
            const isUpToDate =
              last === undefined ||
              last.isRetained ||
              !/^\d$/.test(last.payload) ||
              steps.some(({ payload }) => payload === "no") ||
              (seen.at(-1)?.state as { readonly power: number } | null)?.power === Number(last.payload)
            return isOrdered && isUpToDate && seen.every(({ at, observedAt }) => observedAt <= at)
          }),
        { runs: 500 }
      )
    )
    expect(Arbitrary.formatCheckFailure(result)).toBeUndefined()
  })

  it("need a live message, or the device's word that it is there: nobody knows how old a retained state is", () => {
    const feed = feedOf1()
    feed.accept("a/power", "5", true, 0)
    expect(feed.due(1)).toEqual({ sightings: [], nextAt: Infinity })
    feed.accept("a/online", "yes", true, 2)
    expect(feed.due(3).sightings).toMatchObject([{ observedAt: 3, state: { power: 5 } }])
    expect(feed.due(4)).toEqual({ sightings: [], nextAt: 3 + REPEAT })
  })

  it("repeat while the device says that it is there, and end when it says that it goes", () => {
    const feed = feedOf1()
    feed.accept("a/online", "yes", false, 0)
    feed.accept("a/power", "5", false, 0)
    expect(feed.due(0).sightings).toHaveLength(1)
    expect(feed.due(REPEAT).sightings).toMatchObject([{ observedAt: REPEAT, state: { power: 5 } }])
    feed.accept("a/online", "no", false, REPEAT + EVERY)
    expect(feed.due(REPEAT + EVERY).sightings).toMatchObject([{ state: null }])
    expect(feed.due(10 * REPEAT).sightings).toEqual([])
  })

  it("are not repeated for a device that says nothing", () => {
    const feed = feedOf1()
    feed.accept("a/power", "5", false, 0)
    expect(feed.due(0).sightings).toHaveLength(1)
    expect(feed.due(10 * REPEAT)).toEqual({ sightings: [], nextAt: Infinity })
  })

  it("hold nothing of topics that belong to no device, nor of payloads that no state has", () => {
    const feed = feedOf1()
    expect(feed.accept("b/power", "1", false, 0)).toBe(false)
    expect(feed.accept("a/power", "1".repeat(70_000), false, 0)).toBe(false)
    expect(feed.read("a/power")).toBeUndefined()
    feed.accept("a/power", "1", false, 0)
    feed.setDevices([meter("b")])
    expect(feed.read("a/power")).toBeUndefined()
  })
})

describe("descriptions", () => {
  it("are kept up to a number and a size, and those that go make room", () => {
    const store = makeDescriptionStore()
    for (let n = 0; n < 6000; n++) store.put(`t/${n}`, "{}")
    expect(store.all.size).toBe(5000)
    expect(store.isFull()).toBe(true)
    expect(store.put("t/1", "{}")).toBe(false)
    expect(store.put("t/1", "")).toBe(true)
    expect(store.put("t/9999", "{}")).toBe(true)
    const large = makeDescriptionStore()
    for (let n = 0; n < 100; n++) large.put(`t/${n}`, "x".repeat(1_000_000))
    expect(large.all.size).toBe(7)
    large.put("t/0", "")
    large.put("t/1", "")
    expect(large.put("t/50", "x".repeat(1_000_000))).toBe(true)
  })
})
