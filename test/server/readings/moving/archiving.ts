import { metricTable } from "@edp/domain/metrics/Metric"
import { HistoryDeletion } from "@edp/server/readings/retention/HistoryDeletion"
import { ReadingsMover } from "@edp/server/readings/moving/ReadingsMover"
import { Clock, Effect, Logger } from "effect"
import { expect } from "vitest"
import type { TestApp } from "../../../support/TestApp.ts"
import { arrangeMetrics, HOUR, iso, states } from "../../metrics/arrangeMetrics.ts"
import { clockAt } from "../../metrics/measuring.ts"
import { retiring } from "../../metrics/retiring.ts"

const DAY = 24 * HOUR

/** The start of the month that begins so many months after another instant. */
const month = (at: number, months: number) => {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months)
}

/** Everything before is moved: the start of the month before the last one. */
export const border = month(Date.now(), -2)
export const first = border - 40 * DAY
export const last = border + 20 * DAY

/** Every so often, from then on through. */
export const instants = (from: number, to: number, step: number) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, n) => from + n * step)

const wave = (at: number, period: number) => Math.round(1000 * Math.sin(at / period)) / 10

/** The move of readings, done when a test says so. */
export const moving = (app: TestApp) => {
  /** Moves what is before the border, as far as it can be so many days after it; returns whether something is left to do soon. */
  const move = (days = 36) =>
    app.run(
      Effect.flatMap(ReadingsMover, (mover) => mover.move).pipe(
        Effect.provideService(Clock.Clock, clockAt(border + days * DAY)),
        Effect.provide(Logger.layer([]))
      )
    )
  /** Lets the time pass in which every instance learns of the border. */
  const letPass = () => app.sql((sql) => sql`UPDATE archive_border SET raised_at = raised_at - interval '1 hour'`)
  return {
    move,
    letPass,
    moveAll: async (days?: number) => {
      for (let runs = 0; await move(days); runs++) {
        expect(runs).toBeLessThan(20)
        await letPass()
      }
    },
    deleteHistories: () => app.run(Effect.flatMap(HistoryDeletion, (all) => all.deleteAll)),
    /** The number of readings in PostgreSQL before the border. */
    stored: async () => {
      const [row] = await app.sql(
        (sql) => sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM readings WHERE at < ${new Date(border)}`
      )
      return row!.n
    }
  }
}

/** A home whose devices report over the border, and one that has fallen silent long before. */
export const arrangeHome = async (app: TestApp) => {
  const on = await arrangeMetrics(app)
  const site = await on.site({ timezone: "America/New_York" })
  const solar = await on.device({ siteId: site.id })
  const battery = await on.device({ siteId: site.id, type: "battery" })
  const meter = await on.device({ type: "meter" })
  const silent = await on.device({ type: "meter" })
  const times = instants(first, last, 85 * 60_000 + 7123)
  await on.send(
    solar,
    times.map((at, n) => [
      at,
      { power: Math.abs(wave(at, 9e6)), ...(n % 3 === 0 ? { lifetimeEnergyGenerated: n * 71 } : {}) }
    ])
  )
  await on.send(
    battery,
    times.map((at) => [at, states.battery({ charge: 5000 + wave(at, 1e7), chargeRate: 10 * wave(at, 8e6) })])
  )
  await on.send(
    meter,
    times.map((at, n) => [at, states.metered(n * 113.007, n * 17)])
  )
  await on.send(
    silent,
    times.filter((at) => at < border - 5 * DAY).map((at, n) => [at, states.metered(n * 3, 0)])
  )
  const background = retiring(app)
  await background.rollAll()

  const history = async (id: string, query: string) => {
    const response = await on.get(`/v1/devices/${id}/history?from=${iso(first - DAY)}&to=${iso(last + DAY)}&${query}`)
    expect(response.status, response.text).toBe(200)
    return response
  }
  const walk = async (id: string, query: string) => {
    const found: Array<unknown> = []
    for (let cursor = ""; ;) {
      const { body, headers } = await history(id, `${query}${cursor}`)
      found.push(...body.data)
      const next = headers.get("x-next-cursor")
      if (next === null) return found
      cursor = `&cursor=${next}`
    }
  }
  /** The histories of all devices, by walks and by pages with their totals, and those of spans around the border. */
  const histories = async () => {
    const found: Array<unknown> = []
    for (const id of [solar, battery, meter, silent]) {
      for (const order of ["asc", "desc"]) {
        found.push(await walk(id, `order=${order}&perPage=97`))
        for (const page of [1, 2, 4, 7, 20]) {
          found.push((await history(id, `order=${order}&perPage=53&page=${page}`)).body)
        }
        const around = `from=${iso(border - 7 * HOUR)}&to=${iso(border + 5 * HOUR)}`
        found.push((await on.get(`/v1/devices/${id}/history?${around}&order=${order}&perPage=6`)).body)
        found.push((await on.get(`/v1/devices/${id}/history?${around}&order=${order}&perPage=6&page=2`)).body)
      }
    }
    return found
  }
  /** Every metric, in a zone with an offset of quarter hours, of days, hours, and spans that begin within a quarter. */
  const metrics = async () => {
    const found: Array<unknown> = []
    for (const metric of Object.keys(metricTable) as ReadonlyArray<keyof typeof metricTable>) {
      const all = { from: iso(first - DAY), to: iso(last + DAY) }
      const near = { from: iso(border - 2 * DAY + 123_456), to: iso(border + DAY + 7_654_321) }
      for (const query of [
        { ...all, period: "day", timezone: "Asia/Kathmandu" },
        { ...all, period: "month", groupBy: "device" },
        { ...near, period: "15m" },
        { ...near, period: "hour", groupBy: "site" }
      ]) {
        found.push([metric, query, (await on.read(metric, query)).data])
      }
    }
    return found
  }
  const push = (id: string, readings: ReadonlyArray<readonly [at: number, state: object]>) =>
    app.call("POST", `/devices/${id}/telemetry`, {
      key: on.keys.MANUFACTURER,
      body: { readings: readings.map(([at, state]) => ({ timestamp: iso(at), state })) }
    })
  return { ...on, ...background, solar, battery, meter, silent, times, history, walk, histories, metrics, push }
}
