import type { Benchmark, Figure, Setting } from "../Figure.ts"
import { startLoad, type LoadResult } from "../load/Load.ts"
import { inTurns } from "../rounds.ts"
import { awaitRolled } from "../setting/awaitRolled.ts"
import { makeFleet } from "../setting/everyRequest.ts"
import { onPostgres, type PostgresSetting } from "../setting/postgresSetting.ts"
import { median } from "../statistics.ts"

const DEVICES = 10
const QUARTER = 900_000
const DAY = 96 * QUARTER
/** A year of quarters of an hour, and a day more, so that the year begins amid them. */
const ROUNDS_OF_FLEET = 366 * 96
const READINGS = 1000
const ROUNDS = 5

const iso = (at: number) => new Date(at).toISOString()

const typical = (results: ReadonlyArray<LoadResult>) => median(results.map(({ p50 }) => p50))

const measure = async (
  { postgres, platform }: PostgresSetting,
  { note, patience }: Setting
): Promise<ReadonlyArray<Figure>> => {
  const { port } = platform
  const { manufacturerKey, serverKey } = platform.credentials
  const load = startLoad()
  const deviceIds = await makeFleet(platform, DEVICES)
  const from = Math.floor(Date.now() / QUARTER) * QUARTER - ROUNDS_OF_FLEET * QUARTER

  const ask = (query: string) => () =>
    load.ask({
      port,
      key: serverKey,
      traffic: { kind: "get", paths: [`/v1/metrics/${query}`] },
      connections: 1,
      seconds: patience
    })

  const compare = async (name: string, query: string): Promise<ReadonlyArray<Figure>> => {
    note(name)
    const to = from + ROUNDS_OF_FLEET * QUARTER
    const over = (days: number) => ask(`${query}&period=day&from=${iso(to - days * DAY)}&to=${iso(to)}`)
    const { year, month } = await inTurns({ year: over(365), month: over(30) }, ROUNDS)
    return [
      { name: `${name}, a year by day`, measured: typical(year), unit: "ms", target: { atMost: 50 } },
      {
        name: `${name}, a year by day against 30 days`,
        measured: typical(year) / typical(month),
        unit: "×",
        target: { atMost: 3 },
        behind: `${typical(year).toFixed(1)} ms against ${typical(month).toFixed(1)} ms`
      }
    ]
  }

  try {
    note("pushes a year of readings of ten devices")
    await load.ask({
      port,
      key: manufacturerKey,
      traffic: { kind: "bulk", deviceIds, readings: READINGS, from, step: QUARTER },
      connections: 1,
      seconds: 0,
      requests: (ROUNDS_OF_FLEET * DEVICES) / READINGS
    })
    note("rolls them up")
    await awaitRolled(postgres.url)
    return [
      ...(await compare("generation of ten devices together, UTC", "generation?timezone=UTC")),
      ...(await compare(
        "generation of ten devices together, a zone that changes its clocks",
        "generation?timezone=America%2FDenver"
      )),
      ...(await compare(
        "generation of ten devices, each by itself",
        "generation?timezone=America%2FDenver&groupBy=device"
      )),
      ...(await compare("production of a site with ten devices", "production?timezone=America%2FDenver&groupBy=site"))
    ]
  } finally {
    await load.stop()
  }
}

/** Metrics over a year of ten devices that report every quarter of an hour. */
export const metrics: Benchmark = {
  name: "metrics",
  run: (setting) => onPostgres(setting, { devices: 0 }, (on) => measure(on, setting))
}
