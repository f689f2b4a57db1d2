import { isDeepStrictEqual } from "node:util"
import { callAt } from "../../support/callAt.ts"
import type { Benchmark, Figure, Setting } from "../Figure.ts"
import { type LoadResult, startLoad } from "../load/Load.ts"
import { inTurns } from "../rounds.ts"
import { onPostgres, type PostgresSetting } from "../setting/postgresSetting.ts"
import { type Rival, startRival } from "../setting/rival.ts"
import { HISTORIES, HOMES, seedReads } from "../setting/seedReads.ts"
import { seedSets } from "../setting/seedSets.ts"
import { median } from "../statistics.ts"

const DEVICES = 1_000_000
const SITES = 100_000
const CONNECTIONS = 64
const ROUNDS = 3
const SECONDS = 1.5
const POOLS = [10, 20]
/** Requests before anything is measured, and of each kind before it is. */
const WARM_FIRST = 15_000
const WARM = 5000

const HOUR = 3_600_000

interface Read {
  readonly name: string
  readonly key: string
  /** As many requests that differ. */
  readonly paths: ReadonlyArray<string>
  /** Equal requests are measured for orientation only. */
  readonly isEqual?: boolean
  /** The least share of the throughput of the peer that does the same; 1 by default. */
  readonly atLeast?: number
}

const many = <A>(count: number, make: (n: number) => A) => Array.from({ length: count }, (_, n) => make(n))

const pages = (path: string, records: number) =>
  many(Math.floor(records / 20), (n) => `${path}?perPage=20&page=${n + 1}`)

const makeReads = async (on: PostgresSetting, last: number): Promise<ReadonlyArray<Read>> => {
  const homes = await seedReads(on, new Date(last))
  const fleet = on.platform.credentials.serverKey
  const sets = await seedSets(on, CONNECTIONS, 200)
  const site = (n: number) => `c0s${String(n * 7 + 1).padStart(22, "0")}`
  const span = (n: number) => {
    const to = last - n * 60_000
    return `from=${new Date(to - 24 * HOUR).toISOString()}&to=${new Date(to).toISOString()}`
  }
  return [
    { name: "a device by id", key: fleet, paths: on.deviceIds.map((id) => `/v1/devices/${id}`) },
    { name: "a site by id", key: homes.key, paths: homes.siteIds.map((id) => `/v1/sites/${id}`) },
    { name: "20 sites", key: homes.key, paths: pages("/v1/sites", HOMES.sites) },
    { name: "20 customers", key: homes.key, paths: pages("/v1/customers", HOMES.customers) },
    { name: "20 alerts", key: homes.key, paths: pages("/v1/alerts", HOMES.alerts) },
    { name: "20 events", key: homes.key, paths: pages("/v1/events", HOMES.events) },
    {
      name: "50 of a million devices",
      key: fleet,
      paths: many(100, (n) => `/v1/devices?perPage=50&page=${n + 1}`),
      atLeast: 1.5
    },
    {
      name: "50 of a million devices, equal requests",
      key: fleet,
      paths: ["/v1/devices?perPage=50"],
      isEqual: true
    },
    {
      name: "50 of 1,000 devices with a tag",
      key: fleet,
      paths: many(1000, (n) => `/v1/devices?perPage=50&tag=fleet-${n}`)
    },
    { name: "the devices at a site", key: fleet, paths: many(1000, (n) => `/v1/devices?perPage=50&siteId=${site(n)}`) },
    {
      name: "50 of 20,000 disconnected devices",
      key: fleet,
      paths: many(100, (n) => `/v1/devices?perPage=50&connected=false&page=${n + 1}`)
    },
    {
      name: "50 of a day's readings",
      key: fleet,
      paths: many(HISTORIES.devices * 10, (n) => {
        const id = on.deviceIds[n % HISTORIES.devices]!
        return `/v1/devices/${id}/history?perPage=50&${span(Math.floor(n / HISTORIES.devices))}`
      })
    },
    {
      name: "50 of 200 members of a set",
      key: fleet,
      paths: sets.map((id) => `/v1/collections/${id}/members?perPage=50`)
    }
  ]
}

/** Fails unless both respond with the same; `lastOnlineAt` and the like agree because nothing is pushed meanwhile. */
const requireSame = async ({ key, paths }: Read, ports: ReadonlyArray<number>) => {
  for (const path of [paths[0]!, paths.at(-1)!]) {
    const responses = await Promise.all(ports.map((port) => callAt(`http://127.0.0.1:${port}`, "GET", path, { key })))
    const [ours, theirs] = responses.map(({ body }) => body)
    if (isDeepStrictEqual(ours, theirs)) continue
    const [one, other] = responses.map(({ status, text }) => `${status} ${text.slice(0, 1500)}`)
    throw new Error(`${path} is answered differently:\n${one}\n${other}`)
  }
}

const medianBy = (results: ReadonlyArray<LoadResult>, value: (result: LoadResult) => number) =>
  median(results.map(value))

const summary = (results: ReadonlyArray<LoadResult>) =>
  `${medianBy(results, ({ perSecond }) => perSecond).toFixed(0)}/s, p99 ${medianBy(results, ({ p99 }) => p99).toFixed(1)} ms`

const measure = async (on: PostgresSetting, setting: Setting): Promise<ReadonlyArray<Figure>> => {
  const { note, patience } = setting
  const reads = await makeReads(on, Math.floor(Date.now() / 60_000) * 60_000 - 20 * 24 * HOUR)
  const load = startLoad()
  const ask = ({ key, paths }: Read, port: number, connections: number, seconds: number) =>
    load.ask({ port, key, traffic: { kind: "get", paths }, connections, seconds: seconds * patience })

  /** The engine compiles what runs often: a server shows its speed after some thousands of requests. */
  const warm = ({ key, paths }: Read, port: number, requests = Math.round(WARM * patience)) =>
    load.ask({
      port,
      key,
      traffic: { kind: "get", paths },
      connections: CONNECTIONS,
      seconds: 0,
      requests
    })

  const startReadRival = (pool: number, work: "same" | "bare" = "same") =>
    startRival("readsServer.ts", { DATABASE_URL: on.postgres.url, RIVAL_POOL: `${pool}`, RIVAL_WORK: work })

  /** The pool with which the peer responds most, by id and by page. */
  const bestPool = async () => {
    const rivals = await Promise.all(POOLS.map((pool) => startReadRival(pool)))
    const speeds = POOLS.map(() => 0)
    for (const read of [reads[0]!, reads[2]!]) {
      for (const { port } of rivals) await ask(read, port, CONNECTIONS, 1)
      const turns = Object.fromEntries(rivals.map(({ port }, n) => [n, () => ask(read, port, CONNECTIONS, SECONDS)]))
      const results = await inTurns(turns, 1)
      const first = results[0]![0]!.perSecond
      POOLS.forEach((_, n) => (speeds[n]! += results[n]![0]!.perSecond / first))
    }
    await Promise.all(rivals.map(({ stop }) => stop()))
    return POOLS[speeds.indexOf(Math.max(...speeds))]!
  }

  const compare = async (read: Read, rival: Rival, bare: Rival): Promise<ReadonlyArray<Figure>> => {
    note(read.name)
    const { port } = on.platform
    await requireSame(read, [port, rival.port])
    for (const server of [port, rival.port, bare.port]) await warm(read, server)
    const { ours, theirs, barest } = await inTurns(
      {
        ours: () => ask(read, port, CONNECTIONS, SECONDS),
        theirs: () => ask(read, rival.port, CONNECTIONS, SECONDS),
        barest: () => ask(read, bare.port, CONNECTIONS, SECONDS)
      },
      ROUNDS
    )
    const alone = await inTurns({ ours: () => ask(read, port, 1, 0.5), theirs: () => ask(read, rival.port, 1, 0.5) }, 1)
    const ratio = (value: (result: LoadResult) => number) => medianBy(ours, value) / medianBy(theirs, value)
    const [one, other] = [alone.ours[0]!.p50, alone.theirs[0]!.p50]
    note(`  ${summary(ours)} against ${summary(theirs)}; alone ${one.toFixed(2)} against ${other.toFixed(2)} ms`)
    return [
      {
        name: `throughput of ${read.name}`,
        measured: ratio(({ perSecond }) => perSecond),
        unit: "×",
        behind: `${summary(ours)} against ${summary(theirs)}`,
        ...(read.isEqual === true ? {} : { target: { atLeast: read.atLeast ?? 1 } })
      },
      {
        name: `throughput of ${read.name}, against the bare peer`,
        measured: medianBy(ours, ({ perSecond }) => perSecond) / medianBy(barest, ({ perSecond }) => perSecond),
        unit: "×",
        behind: `${summary(ours)} against ${summary(barest)}`
      },
      {
        name: `p99 of ${read.name}`,
        measured: ratio(({ p99 }) => p99),
        unit: "×",
        ...(read.isEqual === true ? {} : { target: { atMost: 1.3 } })
      },
      {
        name: `time of a request alone, ${read.name}`,
        measured: one / other,
        unit: "×",
        behind: `${one.toFixed(2)} ms against ${other.toFixed(2)} ms`
      }
    ]
  }

  try {
    const pool = await bestPool()
    note(`the peer has a pool of ${pool}`)
    const rival = await startReadRival(pool)
    const bare = await startReadRival(pool, "bare")
    for (const { port } of [on.platform, rival, bare]) await warm(reads[0]!, port, WARM_FIRST)
    const figures: Array<Figure> = []
    for (const read of reads) figures.push(...(await compare(read, rival, bare)))
    await Promise.all([rival, bare].map(({ stop }) => stop()))
    return figures
  } finally {
    await load.stop()
  }
}

/**
 * Every kind of read against a Fastify + pg server that does the same, and one that only queries and responds; traces are sampled as they
 * are by default.
 */
export const reads: Benchmark = {
  name: "reads",
  run: async (setting) => {
    setting.note("makes a million devices")
    const sink = await startRival("emptyServer.ts")
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${sink.port}` }
    try {
      return await onPostgres(setting, { devices: DEVICES, sites: SITES, varied: true, env }, (on) =>
        measure(on, setting)
      )
    } finally {
      await sink.stop()
    }
  }
}
