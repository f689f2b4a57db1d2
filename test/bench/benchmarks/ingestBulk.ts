import { type BareResult, startBareClient } from "../baselines/BareClient.ts"
import type { Benchmark, Figure, Setting } from "../Figure.ts"
import { startLoad, type LoadResult } from "../load/Load.ts"
import { inTurns } from "../rounds.ts"
import { countReadings } from "../setting/countReadings.ts"
import { onPostgres, type PostgresSetting } from "../setting/postgresSetting.ts"
import { median } from "../statistics.ts"

const CONNECTIONS = 64
const READINGS = 1000
const ROUNDS = 5
/** The connections of the bare client: more only wait for each other on two cores. */
const concurrencies = [1, 2, 4, 8]

/** Each run is later than all before it: the states move forward in all of them, and no reading is repeated. */
const makeCalendar = () => {
  const DAY = 86_400_000
  let next = Date.now() - 45 * DAY
  return () => {
    const from = next
    next += DAY / 2
    return from
  }
}

const speed = (results: ReadonlyArray<LoadResult | BareResult>) =>
  median(results.map(({ perSecond }) => perSecond)) * READINGS

const summary = (results: ReadonlyArray<LoadResult | BareResult>) =>
  `${Math.round(speed(results))} rows/s, p50 ${median(results.map(({ p50 }) => p50)).toFixed(0)} ms, ` +
  `p99 ${median(results.map(({ p99 }) => p99)).toFixed(0)} ms`

const measure = async (
  { postgres, platform, deviceIds: fleet }: PostgresSetting,
  devices: number,
  { note, patience }: Setting
): Promise<ReadonlyArray<Figure>> => {
  const load = startLoad()
  const bare = startBareClient(postgres.url)
  const nextStart = makeCalendar()
  const deviceIds = fleet.slice(0, devices)
  const states = devices === READINGS
  const push = (seconds: number) =>
    load.ask({
      port: platform.port,
      key: platform.credentials.manufacturerKey,
      traffic: { kind: "bulk", deviceIds, readings: READINGS, from: nextStart() },
      connections: CONNECTIONS,
      seconds: seconds * patience
    })
  const insert = (concurrency: number, seconds: number) =>
    bare.ask({
      work: { kind: "insert", deviceIds, readings: READINGS, from: nextStart(), states },
      concurrency,
      connections: concurrency,
      seconds: seconds * patience
    })
  try {
    const tried = await inTurns(
      Object.fromEntries(concurrencies.map((concurrency) => [concurrency, () => insert(concurrency, 2)])),
      2
    )
    const speeds = concurrencies.map((concurrency) => speed(tried[concurrency]!))
    const best = concurrencies[speeds.indexOf(Math.max(...speeds))]!
    note(concurrencies.map((each, at) => `${each} at once ${Math.round(speeds[at]!)} rows/s`).join(", "))
    await push(2)
    const before = await countReadings(postgres.url)
    const results = await inTurns<"ours" | "bare", LoadResult | BareResult>(
      { ours: () => push(4), bare: () => insert(best, 4) },
      ROUNDS
    )
    const answered = results.ours.reduce((sum, result) => sum + (result as LoadResult).answered, 0) * READINGS
    const stored = (await countReadings(postgres.url)) - before
    if (stored < answered) throw new Error(`${answered} readings were answered 200, but only ${stored} are stored`)
    return [
      {
        name: `rows a second against the bare client's one UNNEST insert${states ? " that also updates each state" : ""}, ${best} at once`,
        measured: speed(results.ours) / speed(results.bare),
        unit: "×",
        target: { atLeast: 0.5 },
        behind: `${summary(results.ours)} against ${summary(results.bare)}`
      }
    ]
  } finally {
    await load.stop()
    await bare.stop()
  }
}

const makeBenchmark = (name: string, devices: number): Benchmark => ({
  name,
  run: (setting) => onPostgres(setting, { devices: 1000 }, (on) => measure(on, devices, setting))
})

/** Bulk pushes of 1,000 readings, 20 of each device. */
export const ingestBulk50 = makeBenchmark("ingest-bulk-50", 50)

/** Bulk pushes of 1,000 readings, each of another device. */
export const ingestBulk1000 = makeBenchmark("ingest-bulk-1000", 1000)
