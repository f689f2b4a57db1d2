import type { MetricPoint, Period } from "@edp/domain/metrics/MetricSeries"
import { beforeAll, describe, expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeMetrics, at, HOUR, iso, type Query, queryText, states } from "./arrangeMetrics.ts"
import { periodAt } from "./wallClock.ts"

const app = useTestApp()
const QUARTER = HOUR / 4
const AROUND = 6 * HOUR

/** Days on which a clock changes, by their first instant and the next day's, and how many buckets of an hour each has. */
const days = [
  ["America/Los_Angeles", "forward at 2:00", "2025-03-09T08:00:00Z", "2025-03-10T07:00:00Z", 23],
  ["America/Los_Angeles", "back at 2:00", "2025-11-02T07:00:00Z", "2025-11-03T08:00:00Z", 25],
  ["Europe/Berlin", "forward at 2:00", "2025-03-29T23:00:00Z", "2025-03-30T22:00:00Z", 23],
  ["Europe/Berlin", "back at 3:00", "2025-10-25T22:00:00Z", "2025-10-26T23:00:00Z", 25],
  // Its hours begin at half past those of UTC.
  ["America/St_Johns", "forward at 2:00", "2025-03-09T03:30:00Z", "2025-03-10T02:30:00Z", 23],
  ["America/St_Johns", "back at 2:00", "2025-11-02T02:30:00Z", "2025-11-03T03:30:00Z", 25],
  // Its clock changes by half an hour: one of the hours is that much shorter.
  ["Australia/Lord_Howe", "forward at 2:00 by half an hour", "2025-10-04T13:30:00Z", "2025-10-05T13:00:00Z", 24],
  ["Australia/Lord_Howe", "back at 2:00 by half an hour", "2025-04-05T13:00:00Z", "2025-04-06T13:30:00Z", 25],
  // The day begins at 1:00, and that before the other one has its last hour twice.
  ["Africa/Cairo", "forward at midnight", "2025-04-24T22:00:00Z", "2025-04-25T21:00:00Z", 23],
  ["Africa/Cairo", "back at midnight", "2025-10-29T21:00:00Z", "2025-10-30T22:00:00Z", 25],
  ["America/Sao_Paulo", "forward at midnight", "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z", 23],
  ["America/Sao_Paulo", "back at midnight", "2018-02-17T02:00:00Z", "2018-02-18T03:00:00Z", 25],
  // It has two midnights.
  ["America/Havana", "back to midnight", "2025-11-02T04:00:00Z", "2025-11-03T05:00:00Z", 25]
] as const

/** The generation of an inverter in a quarter of an hour, Wh: any two quarters near each other differ. */
const generatedIn = (quarter: number) => 1 + ((quarter * 37) % 997)

const listQuarters = (from: number, to: number) =>
  Array.from({ length: (to - from) / QUARTER }, (_, n) => from + n * QUARTER)

/** The energy of each period of the wall's clock, one after the other, added up from the quarters of a span. */
const addedUp = (period: Period, from: number, to: number, timezone: string) => {
  const sums = new Map<string, number>()
  for (const start of listQuarters(from, to)) {
    const key = periodAt(period, start, timezone)
    sums.set(key, (sums.get(key) ?? 0) + generatedIn(start / QUARTER))
  }
  return [...sums]
}

const keyed = (period: Period, points: ReadonlyArray<MetricPoint>, timezone: string) =>
  points.map(({ timestamp, value }) => [periodAt(period, at(timestamp), timezone), value])

describe.each(days)("in %s, a day with the clock change %s", (timezone, _, first, next, hours) => {
  const [from, to] = [at(first), at(next)]
  const day = { from: first, to: next, timezone }
  let on: Awaited<ReturnType<typeof arrangeMetrics>>
  let deviceId: string

  beforeAll(async () => {
    on = await arrangeMetrics(app)
    deviceId = await on.device()
    let counter = 0
    const readings = listQuarters(from - AROUND, to + AROUND).map((start) => {
      counter += generatedIn(start / QUARTER)
      return [start + QUARTER, states.counted(counter)] as const
    })
    await on.send(deviceId, [[from - AROUND, states.counted(0)], ...readings])
  })

  const read = async (period: Period, query: Query = day) =>
    (await on.read("generation", { ...query, deviceId, period })).data

  test("has the right hours, each with its energy", async () => {
    const points = await read("hour")
    expect(points).toHaveLength(hours)
    expect(keyed("hour", points, timezone)).toEqual(addedUp("hour", from, to, timezone))
    expect(points.every(({ coverage }) => coverage === 1)).toBe(true)
  })

  test("has the right quarters of an hour, and their sum as a day", async () => {
    const quarters = await read("15m")
    expect(quarters.map(({ timestamp, value }) => [at(timestamp), value])).toEqual(
      listQuarters(from, to).map((start) => [start, generatedIn(start / QUARTER)])
    )
    const around = { ...day, from: iso(from - AROUND), to: iso(to + AROUND) }
    const days = await read("day", around)
    expect(days.map(({ timestamp }) => timestamp)).toEqual([around.from, iso(from), iso(to)])
    expect(keyed("day", days, timezone)).toEqual(addedUp("day", from - AROUND, to + AROUND, timezone))
  })

  test("has the same hours in CSV", async () => {
    const path = `/v1/metrics/generation?${queryText({ ...day, deviceId, period: "hour" })}`
    const { text } = await app.call("GET", path, { key: on.keys.SERVER, headers: { accept: "text/csv" } })
    const [header, ...lines] = text.trimEnd().split("\r\n")
    expect(header).toBe("timestamp,value,unit,coverage,deviceId,siteId")
    expect(lines).toEqual((await read("hour")).map(({ timestamp, value }) => `${timestamp},${value},Wh,1,,`))
    expect(lines).toHaveLength(hours)
  })
})
