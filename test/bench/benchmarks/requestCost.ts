import type { Benchmark, Figure, Setting } from "../Figure.ts"
import { startLoad } from "../load/Load.ts"
import type { Traffic } from "../load/requests.ts"
import { inTurns } from "../rounds.ts"
import { onPostgres, type PostgresSetting } from "../setting/postgresSetting.ts"
import { databaseTime, processorTime } from "../setting/processorTime.ts"
import { type Rival, startRival } from "../setting/rival.ts"
import { HISTORIES, HOMES, seedReads } from "../setting/seedReads.ts"
import { median } from "../statistics.ts"

const DEVICES = 100_000
const SITES = 10_000
const CONNECTIONS = 64
const ROUNDS = 5
/** Requests of each kind before it is measured, and of a round. */
const WARM = 20_000
const REQUESTS = 6000
const HOUR = 3_600_000

interface Kind {
  readonly name: string
  readonly key: string
  readonly traffic: Traffic
  readonly rival: "ingestServer.ts" | "readsServer.ts"
}

/** Microseconds of a request. */
interface Cost {
  readonly node: number
  readonly database: number
}

const makeKinds = async (on: PostgresSetting): Promise<ReadonlyArray<Kind>> => {
  const last = Math.floor(Date.now() / 60_000) * 60_000 - 20 * 24 * HOUR
  const homes = await seedReads(on, new Date(last))
  const { manufacturerKey, serverKey } = on.platform.credentials
  const reads = (name: string, paths: ReadonlyArray<string>, key = serverKey): Kind => ({
    name,
    key,
    traffic: { kind: "get", paths },
    rival: "readsServer.ts"
  })
  const pages = (records: "sites" | "customers" | "alerts" | "events") =>
    reads(
      `a list of 20 ${records}`,
      Array.from({ length: Math.floor(HOMES[records] / 20) }, (_, n) => `/v1/${records}?perPage=20&page=${n + 1}`),
      homes.key
    )
  const histories = Array.from({ length: HISTORIES.devices * 10 }, (_, n) => {
    const to = last - Math.floor(n / HISTORIES.devices) * 60_000
    const span = `from=${new Date(to - 24 * HOUR).toISOString()}&to=${new Date(to).toISOString()}`
    return `/v1/devices/${on.deviceIds[n % HISTORIES.devices]!}/history?perPage=50&${span}`
  })
  const deviceIds = on.deviceIds.slice(HISTORIES.devices)
  return [
    { name: "a push", key: manufacturerKey, traffic: { kind: "single", deviceIds }, rival: "ingestServer.ts" },
    reads(
      "a device by id",
      on.deviceIds.map((id) => `/v1/devices/${id}`)
    ),
    reads(
      "a list of 50 devices",
      Array.from({ length: 100 }, (_, n) => `/v1/devices?perPage=50&page=${n + 1}`)
    ),
    reads("a page of 50 readings", histories),
    ...(["sites", "customers", "alerts", "events"] as const).map(pages)
  ]
}

const text = ({ database, node }: Cost) => `Node.js ${node.toFixed(0)} + PostgreSQL ${database.toFixed(0)} µs`

const measure = async (
  on: PostgresSetting,
  { note, patience }: Setting,
  only: RegExp
): Promise<ReadonlyArray<Figure>> => {
  const kinds = await makeKinds(on)
  const databaseUsed = await databaseTime(on.postgres)
  const load = startLoad()
  const figures: Array<Figure> = []
  const ask = ({ key, traffic }: Kind, port: number, requests: number) =>
    load.ask({ port, key, traffic, connections: CONNECTIONS, seconds: 0, requests: Math.round(requests * patience) })

  const cost = async (kind: Kind, { pid, port }: Pick<Rival, "pid" | "port">): Promise<Cost> => {
    const before = [processorTime(pid), databaseUsed()] as const
    const { answered } = await ask(kind, port, REQUESTS)
    return { node: (processorTime(pid) - before[0]) / answered, database: (databaseUsed() - before[1]) / answered }
  }
  const typical = (costs: ReadonlyArray<Cost>): Cost => ({
    node: median(costs.map(({ node }) => node)),
    database: median(costs.map(({ database }) => database))
  })

  try {
    for (const kind of kinds.filter(({ name }) => only.test(name))) {
      note(kind.name)
      const env = { DATABASE_URL: on.postgres.url, RIVAL_POOL: "20", RIVAL_WAY: "whole", RIVAL_WORK: "same" }
      const rival = await startRival(kind.rival, env)
      for (const { port } of [on.platform, rival]) await ask(kind, port, WARM)
      const results = await inTurns({ ours: () => cost(kind, on.platform), theirs: () => cost(kind, rival) }, ROUNDS)
      const [ours, theirs] = [typical(results.ours), typical(results.theirs)]
      note(`  ${text(ours)} against ${text(theirs)}`)
      figures.push({
        name: `processor time of ${kind.name} against Fastify + pg that does the same`,
        measured: (ours.node + ours.database) / (theirs.node + theirs.database),
        unit: "×",
        behind: `${text(ours)} against ${text(theirs)}`
      })
      await rival.stop()
    }
    return figures
  } finally {
    await load.stop()
  }
}

/** The processor time of a request, which other programs on the machine change little, at the default ratio of traces. */
export const requestCost: Benchmark = {
  name: "request-cost",
  run: async (setting) => {
    const only = new RegExp(process.env["BENCH_ONLY"] ?? "")
    const sink = await startRival("emptyServer.ts")
    const env = {
      ...JSON.parse(process.env["BENCH_ENV"] ?? "{}"),
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${sink.port}`
    }
    try {
      return await onPostgres(setting, { devices: DEVICES, sites: SITES, varied: true, recent: true, env }, (on) =>
        measure(on, setting, only)
      )
    } finally {
      await sink.stop()
    }
  }
}
