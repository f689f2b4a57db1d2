import { startOtlpSink } from "../../support/peers/otlpSink.ts"
import { startLoad, type LoadResult } from "../load/Load.ts"
import type { Benchmark, Figure, Setting } from "../Figure.ts"
import type { IngestMethod } from "../rivals/ingestStatements.ts"
import { inTurns } from "../rounds.ts"
import { countReadings } from "../setting/countReadings.ts"
import { onPostgres, type PostgresSetting } from "../setting/postgresSetting.ts"
import { type Rival, startRival } from "../setting/rival.ts"
import { median } from "../statistics.ts"

const CONNECTIONS = 64
const ROUNDS = 5
const poolSizes = [10, 20, 64]
/** Pushes before anything is measured: V8 optimizes a server during its first thousands of requests. */
const WARM = 20_000

const medianBy = (results: ReadonlyArray<LoadResult>, value: (result: LoadResult) => number) =>
  median(results.map(value))

const summary = (results: ReadonlyArray<LoadResult>) =>
  `${Math.round(medianBy(results, ({ perSecond }) => perSecond))}/s, p50 ${medianBy(results, ({ p50 }) => p50).toFixed(1)} ms, ` +
  `p99 ${medianBy(results, ({ p99 }) => p99).toFixed(1)} ms`

const compare = (
  against: string,
  ours: ReadonlyArray<LoadResult>,
  theirs: ReadonlyArray<LoadResult>,
  atLeast: number | undefined
): ReadonlyArray<Figure> => {
  const behind = `${summary(ours)} against ${summary(theirs)}`
  const ratio = (value: (result: LoadResult) => number) => medianBy(ours, value) / medianBy(theirs, value)
  const target = atLeast === undefined ? {} : { target: { atLeast } }
  const noWorse = atLeast === undefined ? {} : { target: { atMost: 1 } }
  return [
    {
      name: `throughput against ${against}`,
      measured: ratio(({ perSecond }) => perSecond),
      unit: "×",
      behind,
      ...target
    },
    { name: `p99 against ${against}`, measured: ratio(({ p99 }) => p99), unit: "×", ...noWorse }
  ]
}

const measure = async (
  { postgres, platform, deviceIds }: PostgresSetting,
  { note, patience }: Setting
): Promise<ReadonlyArray<Figure>> => {
  const load = startLoad()
  const traffic = { kind: "single", deviceIds } as const
  const key = platform.credentials.manufacturerKey
  let answered = 0
  const push = async (port: number, seconds: number) => {
    const result = await load.ask({ port, key, traffic, connections: CONNECTIONS, seconds: seconds * patience })
    answered += result.answered
    return result
  }
  const rival = async (way: IngestMethod, pool: number) => {
    const env = {
      DATABASE_URL: postgres.url,
      RIVAL_WAY: way,
      RIVAL_POOL: `${pool}`,
      ...(way === "whole" && { RIVAL_WORK: "same" })
    }
    const started = await startRival("ingestServer.ts", env)
    await push(started.port, 1)
    return started
  }
  const bestPool = async (way: IngestMethod) => {
    const rivals: Array<Rival> = []
    for (const pool of poolSizes) rivals.push(await rival(way, pool))
    const results = await inTurns(
      Object.fromEntries(rivals.map(({ port }, at) => [poolSizes[at]!, () => push(port, 2)])),
      2
    )
    await Promise.all(rivals.map(({ stop }) => stop()))
    const speeds = poolSizes.map((pool) => medianBy(results[pool]!, ({ perSecond }) => perSecond))
    const best = poolSizes[speeds.indexOf(Math.max(...speeds))]!
    note(`${way}: ${poolSizes.map((pool, at) => `pool ${pool} ${Math.round(speeds[at]!)}/s`).join(", ")}`)
    return best
  }

  try {
    const ways = ["whole", "transaction", "statement"] as const
    const pools: Array<number> = []
    for (const way of ways) pools.push(await bestPool(way))
    const rivals: Array<Rival> = []
    for (const [at, way] of ways.entries()) rivals.push(await rival(way, pools[at]!))
    const empty = await startRival("emptyServer.ts")
    for (const { port } of [platform, ...rivals]) {
      await load.ask({ port, key, traffic, connections: CONNECTIONS, seconds: 0, requests: WARM })
    }
    const before = await countReadings(postgres.url)
    answered = 0
    const results = await inTurns(
      {
        ours: () => push(platform.port, 3),
        whole: () => push(rivals[0]!.port, 3),
        transaction: () => push(rivals[1]!.port, 3),
        statement: () => push(rivals[2]!.port, 3)
      },
      ROUNDS
    )
    const stored = (await countReadings(postgres.url)) - before
    if (stored !== answered) throw new Error(`${answered} readings were answered 200, but ${stored} are stored`)
    const { ceiling } = await inTurns({ ceiling: () => push(empty.port, 3) }, 1)
    await Promise.all([...rivals, empty].map(({ stop }) => stop()))
    return [
      ...compare(`Fastify + pg that does the same, pool ${pools[0]}`, results.ours, results.whole, 1.3),
      ...compare(
        `Fastify + pg that stores a reading and its state, one transaction, pool ${pools[1]}`,
        results.ours,
        results.transaction,
        undefined
      ),
      ...compare(
        `Fastify + pg that stores a reading and its state, one statement, pool ${pools[2]}`,
        results.ours,
        results.statement,
        undefined
      ),
      {
        name: "ceiling: an empty node:http server under the same load generator, against the platform",
        measured: ceiling[0]!.perSecond / medianBy(results.ours, ({ perSecond }) => perSecond),
        unit: "×",
        behind: summary(ceiling)
      }
    ]
  } finally {
    await load.stop()
  }
}

/** Single telemetry pushes over 1,000 devices. The platform exports traces, at its default sampling ratio. */
export const ingestSingle: Benchmark = {
  name: "ingest-single",
  run: async (setting) => {
    const sink = await startOtlpSink()
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url }
    try {
      return await onPostgres(setting, { devices: 1000, recent: true, env }, async (on) => {
        const figures = await measure(on, setting)
        if (!sink.spans().some(({ name }) => name === "TelemetryWriter.commit"))
          throw new Error("No trace was exported")
        return figures
      })
    } finally {
      await sink.close()
    }
  }
}
