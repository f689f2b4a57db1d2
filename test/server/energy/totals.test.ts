import { finerIntervals } from "@edp/server/energy/spans"
import { chunked, groupBySite } from "@edp/server/energy/siteSeries"
import { makeTotals, type Totals, wattHours } from "@edp/server/energy/totals"
import { Arbitrary, Effect, Schema } from "effect"
import { describe, expect, test } from "vitest"

const HOUR = 3_600_000
const DAY = 24 * HOUR

const totalsOver = (
  bounds: ReadonlyArray<number>,
  aggregation: "sum" | "latest" = "sum",
  now = Number.POSITIVE_INFINITY
) => makeTotals({ bounds, aggregation, now })

describe("a sum of µWh", () => {
  test.each([
    [0n, "0"],
    [1_500_000n, "1.5"],
    [499n, "0"],
    [500n, "0.001"],
    [-500n, "-0.001"],
    [-499n, "0"],
    [333_333_333n, "333.333"],
    [87_600_000_000_123_456n, "87600000000.123"]
  ])("%s is %s Wh: rounded once, halves away from zero", (amount, expected) => {
    expect(String(wattHours(amount))).toBe(expected)
  })

  test("is exact beyond the precision of a number", () => {
    const totals = totalsOver([0, HOUR])
    const most = BigInt(Number.MAX_SAFE_INTEGER)
    for (let place = 0; place < 100; place++) totals.add(0, most, 1)
    expect(totals.points({})[0]!.value).toBe(900_719_925_474.099)
  })

  test("over days equals that of their hours before rounding", () => {
    const hours = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: -1e12, maximum: 1e12 })))
    const result = Effect.runSync(
      Arbitrary.checkEffect(
        Arbitrary.schema(hours),
        (amounts) =>
          Effect.sync(() => {
            const [day, byHour] = [totalsOver([0, DAY]), totalsOver([0, ...amounts.map((_, n) => n + 1)])]
            for (const [hour, amount] of amounts.entries()) {
              day.add(0, BigInt(amount), 1)
              byHour.add(hour, BigInt(amount), 1)
            }
            const sum = byHour.points({}).reduce((total, { value }) => total + value!, 0)
            return Math.abs((day.points({})[0]!.value ?? 0) - sum) <= 0.0005 * amounts.length + 0.001
          }),
        { runs: 200 }
      )
    )
    expect(Arbitrary.formatCheckFailure(result)).toBeUndefined()
  })
})

describe("coverage", () => {
  const coverages = (totals: Totals) => totals.points({}).map(({ coverage }) => coverage)
  const always = { from: 0, to: Number.POSITIVE_INFINITY }

  test("is the mean of the sites, at most 1, and 0 without any", () => {
    const totals = totalsOver([0, HOUR, 2 * HOUR])
    expect(coverages(totals)).toEqual([0, 0])
    totals.expect([always])
    totals.expect([always])
    totals.add(0, 1n, HOUR)
    totals.add(0, 1n, HOUR / 3)
    totals.add(1, 1n, HOUR)
    totals.add(1, 1n, HOUR + 1)
    expect(coverages(totals)).toEqual([0.6667, 1])
  })

  test("counts a site while any of its devices reports", () => {
    const totals = totalsOver([0, HOUR, 2 * HOUR, 3 * HOUR])
    totals.expect([always])
    totals.expect([{ from: 1.5 * HOUR, to: 2 * HOUR }])
    totals.expect([])
    for (const bucket of [0, 1, 2]) totals.add(bucket, 1n, HOUR)
    expect(coverages(totals)).toEqual([1, 0.6667, 1])
  })

  test("is above 0 if there is a value, however little is known", () => {
    const totals = totalsOver([0, 10_000 * DAY])
    totals.expect([always])
    totals.add(0, 7n, 1)
    expect(totals.points({})).toEqual([{ timestamp: "1970-01-01T00:00:00.000Z", value: 0, coverage: 0.0001 }])
  })
})

describe("an unknown bucket", () => {
  const given = (reporting: ReadonlyArray<{ readonly from: number; readonly to: number }>, now: number) => {
    const totals = totalsOver([0, HOUR, 2 * HOUR, 3 * HOUR], "sum", now)
    for (const span of reporting) totals.expect([span])
    return totals.points({})
  }
  const reasons = (...reporting: Parameters<typeof given>) => given(...reporting).map(({ reason }) => reason)

  test("is null, never 0, and has a reason", () => {
    expect(given([], HOUR)[0]).toEqual({
      timestamp: "1970-01-01T00:00:00.000Z",
      value: null,
      coverage: 0,
      reason: "no_devices"
    })
    expect(reasons([{ from: HOUR, to: 2.5 * HOUR }], 2.5 * HOUR)).toEqual([
      "before_first_reading",
      "not_measured",
      "not_measured"
    ])
    expect(reasons([{ from: 0, to: HOUR }], 2 * HOUR)).toEqual(["not_measured", "disconnected", "future"])
  })

  test("is null for a charge, even if readings before and after it cover it", () => {
    const totals = totalsOver([0, HOUR], "latest")
    totals.expect([{ from: 0, to: HOUR }])
    totals.add(0, null, HOUR)
    expect(totals.points({})[0]).toMatchObject({ value: null, coverage: 1, reason: "not_measured" })
  })
})

describe("intervals for shorter buckets", () => {
  test("are split by UTC days if longer, else by quarters, neighbours in one run", () => {
    const bounds = [HOUR / 2, DAY + HOUR, 3 * DAY, 3 * DAY + HOUR / 3, 3 * DAY + HOUR, 4 * DAY]
    expect(finerIntervals(bounds, [3, 2, 0])).toEqual([
      { bounds: [HOUR / 2, DAY, DAY + HOUR], parents: [0, 0] },
      {
        bounds: [0, 15, 20, 30, 45, 60].map((minute) => 3 * DAY + minute * 60_000),
        parents: [2, 2, 3, 3, 3]
      }
    ])
    expect(finerIntervals(bounds, [])).toEqual([])
  })
})

describe("the sites", () => {
  const device = (id: string, siteId: string | null) => ({ id, siteId, type: "inverter" as const })

  test("are ordered by their ids, followed by devices without one", () => {
    const places = groupBySite([
      device("d4", null),
      device("d3", "s1"),
      device("d1", "s2"),
      device("d2", "s1"),
      device("d0", null)
    ])
    expect(places.map(({ devices, siteId }) => [siteId, devices.map(({ id }) => id)])).toEqual([
      ["s1", ["d2", "d3"]],
      ["s2", ["d1"]],
      [null, ["d0"]],
      [null, ["d4"]]
    ])
  })

  test("are read in batches, each as a whole", () => {
    const place = (siteId: string, devices: number) => ({
      siteId,
      devices: Array.from({ length: devices }, (_, n) => device(`${siteId}${n}`, siteId))
    })
    const chunks = chunked([place("a", 2), place("b", 2), place("c", 2), place("d", 9), place("e", 1)], 4)
    expect(chunks.map((chunk) => chunk.map(({ siteId }) => siteId).join(""))).toEqual(["ab", "c", "d", "e"])
    expect(chunked([], 4)).toEqual([])
  })
})
