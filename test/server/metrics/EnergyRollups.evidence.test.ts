import type { MetricPoint } from "@edp/domain/metrics/MetricSeries"
import { metricNames } from "@edp/domain/metrics/Metric"
import { EnergyRollups } from "@edp/server/metrics/EnergyRollups"
import { Arbitrary, Effect, Schema } from "effect"
import { describe, expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeMetrics, at, HOUR, iso, states } from "./arrangeMetrics.ts"

const app = useTestApp({ own: true })
const DAY = 24 * HOUR
const MINUTE = 60_000
const start = at("2025-06-01T00:00:00Z")
const groupings = ["none", "device", "site"]

const rollUp = async (): Promise<void> => {
  const rolled = await app.run(Effect.flatMap(EnergyRollups, ({ rollSome }) => rollSome))
  if (rolled > 0) await rollUp()
}

const isConsistent = ({ coverage, reason, value }: MetricPoint, metric: string) =>
  coverage === 0
    ? value === null && reason !== undefined
    : metric === "storage" || (value !== null && reason === undefined)

const disconnect = (id: string, instant: number) =>
  app.sql((sql) => sql`UPDATE devices SET disconnected_at = ${new Date(instant)} WHERE id = ${id}`)

/** A home of ten days by the hour, whose inverter and meter miss nothing. */
const arrangeHome = async () => {
  const on = await arrangeMetrics(app)
  const siteId = (await on.site()).id
  const [inverter, meter] = [await on.device({ siteId }), await on.device({ siteId, type: "meter" })]
  const times = Array.from({ length: 241 }, (_, n) => start + n * HOUR)
  await on.send(
    inverter,
    times.map((time, n) => [time, states.counted(n * 500)])
  )
  await on.send(
    meter,
    times.map((time, n) => [time, states.metered(n * 200, n * 100)])
  )
  const span = { siteId, from: iso(start), to: iso(start + 10 * DAY) }
  const coverages = async (period: string) =>
    (await on.read("grid", { ...span, period })).data.map(({ coverage }) => coverage)
  return { on, siteId, span, coverages }
}

describe("the coverage of a site", () => {
  test("counts a meter with a single reading from that reading until its disconnection", async () => {
    const { coverages, on, siteId } = await arrangeHome()
    const days = (last: ReadonlyArray<number>) => [...Array.from({ length: 7 }, () => 1), ...last]
    expect(await coverages("day")).toEqual(days([1, 1, 1]))
    const second = await on.device({ siteId, type: "meter" })
    expect(await coverages("day")).toEqual(days([1, 1, 1]))
    await on.send(second, [[start + 7.5 * DAY, states.metered(5, 5)]])
    expect(await coverages("day")).toEqual(days([0.6667, 0.5, 0.5]))
    expect(await coverages("year")).toEqual([0.8])
    await disconnect(second, start + 8 * DAY)
    expect(await coverages("day")).toEqual(days([0.6667, 1, 1]))
    await rollUp()
    expect(await coverages("day")).toEqual(days([0.6667, 1, 1]))
    expect(await coverages("year")).toEqual([0.9524])
  })

  test("is zero and the values are null outside of all readings, for every metric, grouping and period", async () => {
    const { on, siteId } = await arrangeHome()
    const battery = await on.device({ siteId, type: "battery" })
    await on.send(battery, [
      [start + 2 * DAY, states.battery({ charge: 0, chargeRate: -100, gridPower: 5 })],
      [start + 2 * DAY + HOUR, states.battery({ charge: 0, chargeRate: -100, gridPower: 5 })]
    ])
    const now = Math.ceil(Date.now() / DAY) * DAY
    const spans = [
      { from: iso(start - 2 * DAY), to: iso(start + 12 * DAY), period: "hour" },
      { from: iso(start - 2 * DAY), to: iso(start + 12 * DAY), period: "day" },
      { from: iso(start - 60 * DAY), to: iso(now + 60 * DAY), period: "month" }
    ]
    const everything = async () => {
      const found: Array<MetricPoint> = []
      for (const metric of metricNames) {
        for (const groupBy of groupings) {
          for (const span of spans) {
            const { data } = await on.read(metric, { ...span, groupBy })
            expect(data.filter((point) => !isConsistent(point, metric))).toEqual([])
            found.push(...data)
          }
        }
      }
      return found
    }
    const raw = await everything()
    expect(new Set(raw.map(({ reason }) => reason))).toEqual(
      new Set([undefined, "before_first_reading", "not_measured", "future"])
    )
    expect(raw.filter(({ coverage, value }) => value === 0 && coverage > 0).length).toBeGreaterThan(0)
    await rollUp()
    expect(await everything()).toEqual(raw)
  })
})

describe("a site of inverters that measure power", () => {
  const SPAN = 12 * HOUR
  const STEP = 10 * MINUTE

  /** At which of the ten minutes it reports which power, and in how many hours it is disconnected. */
  const inverter = Schema.Struct({
    readings: Schema.Array(
      Schema.Struct({
        step: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: SPAN / STEP - 1 })),
        power: Schema.Literals([0, 60, 600])
      })
    ).check(Schema.isBetweenLength(0, 12)),
    until: Schema.Literals([4, 9, 24])
  })
  const home = Schema.Array(inverter).check(Schema.isBetweenLength(1, 3))

  /** A device that is disconnected sends nothing. */
  const listSent = ({ readings, until }: typeof inverter.Type) =>
    readings.filter(({ step }) => step * STEP < until * HOUR)

  /** The expected value of a bucket, computed minute by minute without the platform's code. */
  const expected = (inverters: typeof home.Type, from: number, to: number) => {
    const series = inverters.map(({ readings, until }) => ({
      readings: [...new Map(listSent({ readings, until }).map(({ power, step }) => [step * 10, power]))].sort(
        ([one], [other]) => one - other
      ),
      until: until * 60
    }))
    let [energy, covered, reported, any] = [0, 0, 0, 0]
    for (let minute = from; minute < to; minute++) {
      let isAny = false
      for (const { readings, until } of series) {
        const [first] = readings[0] ?? []
        const next = readings.findIndex(([time]) => time > minute)
        const [before, after] = [readings[next - 1], readings[next]]
        const isCovered = before !== undefined && after !== undefined && after[0] - before[0] <= 90
        const isReporting = first !== undefined && minute >= first && minute < until
        if (isCovered) {
          covered++
          energy += (before[1] + ((after[1] - before[1]) * (minute + 0.5 - before[0])) / (after[0] - before[0])) / 60
        }
        if (isCovered || isReporting) reported++
        isAny ||= isReporting
      }
      if (isAny) any++
    }
    if (covered === 0) return { value: null, coverage: 0 }
    const time = Math.max(any, Math.min(covered, to - from))
    return { value: Math.round(energy * 1000) / 1000, coverage: (covered / reported) * (time / (to - from)) }
  }

  test("has the energy of a direct computation from its readings", { timeout: 120_000 }, async () => {
    let nulls = 0
    const check = async (inverters: typeof home.Type) => {
      const on = await arrangeMetrics(app)
      const siteId = (await on.site()).id
      for (const { readings, until } of inverters) {
        const id = await on.device({ siteId })
        const states = new Map(listSent({ readings, until }).map(({ power, step }) => [start + step * STEP, { power }]))
        if (states.size > 0) await on.send(id, [...states])
        await disconnect(id, start + until * HOUR)
      }
      for (const period of ["hour", "day"]) {
        const { data } = await on.read("generation", { siteId, period, from: iso(start), to: iso(start + SPAN) })
        const step = SPAN / data.length
        for (const [bucket, { coverage, value }] of data.entries()) {
          const right = expected(inverters, (bucket * step) / MINUTE, ((bucket + 1) * step) / MINUTE)
          if (right.value === null) nulls++
          if (right.value === null ? value !== null : value === null || Math.abs(value - right.value) > 0.01)
            return false
          if (Math.abs(coverage - right.coverage) > 0.0001) return false
        }
      }
      return true
    }
    const result = await Effect.runPromise(
      Arbitrary.checkEffect(Arbitrary.schema(home), (inverters) => Effect.promise(() => check(inverters)), { runs: 60 })
    )
    expect(Arbitrary.formatCheckFailure(result)).toBeUndefined()
    expect(nulls).toBeGreaterThan(20)
  })
})
