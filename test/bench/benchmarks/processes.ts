import type { Benchmark, Figure, Setting } from "../Figure.ts"
import { type LoadResult, startLoad } from "../load/Load.ts"
import type { Traffic } from "../load/requests.ts"
import { inTurns } from "../rounds.ts"
import { type Platform, startPlatform } from "../setting/platform.ts"
import { onPostgres, type PostgresSetting } from "../setting/postgresSetting.ts"
import { familyTime } from "../setting/processorTime.ts"
import { median } from "../statistics.ts"

const CONNECTIONS = 64
const ROUNDS = 3
const SECONDS = 2
const WARM = 4000

interface Round extends LoadResult {
  /** Microseconds of processor time of all processes of the service for a request. */
  readonly cost: number
}

const summary = (rounds: ReadonlyArray<Round>) => {
  const typical = (value: (round: Round) => number) => median(rounds.map(value))
  return `${Math.round(typical(({ perSecond }) => perSecond))}/s, p99 ${typical(({ p99 }) => p99).toFixed(1)} ms, ${typical(({ cost }) => cost).toFixed(0)} µs`
}

const measure = async (
  { deviceIds, platform, postgres }: PostgresSetting,
  { note, patience }: Setting
): Promise<ReadonlyArray<Figure>> => {
  const several = await startPlatform({
    dataDir: platform.dataDir,
    databaseUrl: postgres.url,
    env: { EDP_PROCESSES: "2" }
  })
  const load = startLoad()
  const { manufacturerKey, serverKey } = platform.credentials
  const kinds: ReadonlyArray<readonly [name: string, key: string, traffic: Traffic]> = [
    ["pushes", manufacturerKey, { kind: "single", deviceIds }],
    ["devices by id", serverKey, { kind: "get", paths: deviceIds.map((id) => `/v1/devices/${id}`) }]
  ]
  const figures: Array<Figure> = []
  try {
    for (const [name, key, traffic] of kinds) {
      const ask = async ({ pid, port }: Platform, seconds: number, requests?: number): Promise<Round> => {
        const before = familyTime(pid)
        const result = await load.ask({
          port,
          key,
          traffic,
          connections: CONNECTIONS,
          seconds,
          ...(requests !== undefined && { requests })
        })
        return { ...result, cost: (familyTime(pid) - before) / result.answered }
      }
      for (const one of [platform, several]) await ask(one, 0, WARM)
      const seconds = SECONDS * patience
      const rounds = await inTurns({ one: () => ask(platform, seconds), two: () => ask(several, seconds) }, ROUNDS)
      const ratio = (value: (round: Round) => number) => median(rounds.two.map(value)) / median(rounds.one.map(value))
      const behind = `${summary(rounds.two)} against ${summary(rounds.one)}`
      note(`${name}: ${behind}`)
      figures.push(
        {
          name: `throughput of ${name} with two processes against one`,
          measured: ratio(({ perSecond }) => perSecond),
          unit: "×",
          behind
        },
        { name: `processor time of ${name} likewise`, measured: ratio(({ cost }) => cost), unit: "×" }
      )
    }
    return figures
  } finally {
    await load.stop()
    await several.stop()
  }
}

/** Pushes and reads with two API processes against one. The load generator and PostgreSQL share the cores with them. */
export const processes: Benchmark = {
  name: "processes",
  run: (setting) => onPostgres(setting, { devices: 1000, recent: true }, (on) => measure(on, setting))
}
