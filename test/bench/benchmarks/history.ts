import { type BareResult, startBareClient } from "../baselines/BareClient.ts"
import type { Benchmark, Figure, Setting } from "../Figure.ts"
import { startLoad, type LoadResult } from "../load/Load.ts"
import { inTurns } from "../rounds.ts"
import { onPostgres, type PostgresSetting } from "../setting/postgresSetting.ts"
import { type History, seedHistory } from "../setting/seedHistory.ts"
import { median } from "../statistics.ts"
import { historyWalk } from "./historyWalk.ts"

const READINGS = 10_000_000
/** So that they reach over more than three years, and a month has a quarter of a million. */
const SECONDS = 10
const PER_PAGE = 50
const CONNECTIONS = 64
/** Connections to the database: the platform's own number, and the bare client's. */
const POOL = 10
const ROUNDS = 5

const HOUR = 3_600_000
const DAY = 24 * HOUR

interface Range {
  readonly name: string
  readonly from: number
  readonly to: number
}

/** Ranges at the end, amid and over the whole of a history; the ends of all but the last lie within a day and an hour. */
const makeRanges = (first: number, last: number): ReadonlyArray<Range> => [
  { name: "the last 24 hours", from: last - DAY, to: last + HOUR },
  { name: "the last hour", from: last - HOUR, to: last + HOUR },
  { name: "30 days amid", from: last - 460.3 * DAY, to: last - 430.1 * DAY },
  { name: "a year amid", from: last - 800.7 * DAY, to: last - 434.2 * DAY },
  { name: "all of it", from: first - DAY, to: last + HOUR }
]

/** Every request for these has another page, too, so that sharing equal requests does not help. */
const APART = new Set(["the last 24 hours", "30 days amid"])

const iso = (at: number) => new Date(at).toISOString()

/** The page alone: what a client without the platform, and without any total, would ask. */
const pageStatement = (deviceId: string, { from, to }: Range) => `SELECT id, at, state FROM readings
  WHERE device_id = '${deviceId}' AND at >= '${iso(from)}' AND at < '${iso(to)}' ORDER BY at DESC LIMIT ${PER_PAGE}`

const speed = (results: ReadonlyArray<LoadResult | BareResult>) => median(results.map(({ perSecond }) => perSecond))

const measure = async (
  { postgres, platform }: PostgresSetting,
  history: History,
  last: number,
  { note, patience }: Setting
): Promise<ReadonlyArray<Figure>> => {
  const { serverKey: key } = platform.credentials
  const { port } = platform
  const load = startLoad()
  const bare = startBareClient(postgres.url)
  const path = `/v1/devices/${history.deviceId}/history`
  const figures: Array<Figure> = []

  /** One range, which equal requests share; or one per connection, a minute apart, which can't be shared. */
  const compare = async (range: Range, isShared = true) => {
    const paths = Array.from({ length: isShared ? 1 : CONNECTIONS }, (_, minutes) => {
      const [from, to] = [range.from - minutes * 60_000, range.to - minutes * 60_000]
      return `${path}?perPage=${PER_PAGE}&from=${iso(from)}&to=${iso(to)}`
    })
    const results = await inTurns<"ours" | "bare", LoadResult | BareResult>(
      {
        ours: () =>
          load.ask({ port, key, traffic: { kind: "get", paths }, connections: CONNECTIONS, seconds: 2 * patience }),
        bare: () =>
          bare.ask({
            work: { kind: "read", statements: [pageStatement(history.deviceId, range)] },
            concurrency: CONNECTIONS,
            connections: POOL,
            seconds: 2 * patience
          })
      },
      ROUNDS
    )
    const [ours, theirs] = [speed(results.ours), speed(results.bare)]
    figures.push({
      name: `time of the newest page of ${range.name}${isShared ? "" : ", each another one"}, with its exact total, against the bare page`,
      measured: theirs / ours,
      unit: "×",
      target: { atMost: 2 },
      behind: `${ours.toFixed(0)}/s against ${theirs.toFixed(0)}/s`
    })
  }

  try {
    const first = last - (history.readings - 1) * history.seconds * 1000
    note("the first total, which counts them all")
    const began = performance.now()
    const all = `${path}?perPage=${PER_PAGE}&from=${iso(first)}&to=${iso(last + HOUR)}`
    await load.ask({ port, key, traffic: { kind: "get", paths: [all] }, connections: 1, seconds: 1, requests: 1 })
    const counted = (performance.now() - began) / 1000
    await load.ask({ port, key, traffic: { kind: "get", paths: [all] }, connections: CONNECTIONS, seconds: 3 })
    for (const range of makeRanges(first, last)) {
      note(range.name)
      await compare(range)
    }
    note("pages that differ from request to request")
    for (const range of makeRanges(first, last)) if (APART.has(range.name)) await compare(range, false)
    note("the walks")
    for (const order of ["desc", "asc"] as const) {
      const walk = await historyWalk(port, key, { path, first, last, step: history.seconds * 1000 }, order)
      figures.push({
        name: `cursor walk, ${order}: a page at the end of ten million against one at the beginning`,
        measured: walk.last / walk.first,
        unit: "×",
        target: { atMost: 1.2 },
        behind: `${walk.last.toFixed(2)} ms against ${walk.first.toFixed(2)} ms for 100 readings`
      })
    }
    figures.push({ name: "the very first total, which counts ten million readings", measured: counted, unit: "s" })
    return figures
  } finally {
    await load.stop()
    await bare.stop()
  }
}

/** GET /v1/devices/:id/history of a device with ten million readings. */
export const history: Benchmark = {
  name: "history",
  run: (setting) =>
    onPostgres(setting, { devices: 1000 }, async (on) => {
      setting.note("makes ten million readings")
      const last = Math.floor(Date.now() / 1000) * 1000
      const work = { deviceId: on.deviceIds[0]!, readings: READINGS, seconds: SECONDS }
      await seedHistory(on.postgres.url, work, new Date(last))
      return await measure(on, work, last, setting)
    })
}
