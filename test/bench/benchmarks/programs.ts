import { Client } from "pg"
import { callAt } from "../../support/callAt.ts"
import { programPages } from "../baselines/programPages.ts"
import type { Benchmark, Figure, Setting } from "../Figure.ts"
import { inTurns } from "../rounds.ts"
import { onPostgres, type PostgresSetting } from "../setting/postgresSetting.ts"
import { startRival } from "../setting/rival.ts"
import { customerId, seedEnrollments, seedHomes, seedInstance, seedPast, siteId } from "../setting/seedEnrollments.ts"
import { seedCatalog, seedEnded } from "../setting/seedProgramReads.ts"
import { median } from "../statistics.ts"
import { comparePages } from "./comparePages.ts"

const HOMES = 100_000
const PROGRAMS = 500
const INSTANCES = 1000
const PAST = { ended: 1000, sites: 1000, scheduled: 0 }
const SITES = 10_000
const BULK = 500
const BULK_ROUNDS = 5
const CONNECTIONS = 64
const DAY = 86_400_000

type Call = (method: string, path: string, body?: object) => Promise<number>

/** Sends requests; returns their seconds. */
const caller =
  ({ platform }: PostgresSetting): Call =>
  async (method, path, body) => {
    const began = performance.now()
    const response = await callAt(`http://127.0.0.1:${platform.port}`, method, path, {
      key: platform.credentials.serverKey,
      ...(body !== undefined && { body })
    })
    if (response.status !== 200 || (response.body.failed ?? 0) > 0) {
      throw new Error(`${path} answered ${response.status}: ${response.text.slice(0, 1000)}`)
    }
    return (performance.now() - began) / 1000
  }

const many = <A>(count: number, make: (n: number) => A) => Array.from({ length: count }, (_, n) => make(n))

/** Enrolls customers of existing sites, and creates sites of other addresses, 500 in each request. */
const compareBulk = async (call: Call, instanceId: string): Promise<Figure> => {
  let turn = 0
  const enrollments = () =>
    many(BULK, (n) => ({
      identificationType: "customerId",
      customerId: customerId(turn * BULK + n + 1),
      siteId: siteId(turn * BULK + n + 1)
    }))
  const sites = () =>
    many(BULK, (n) => ({
      address: { streetOne: `${turn * BULK + n + 1} Elm Street`, city: "Denver", state: "CO", postalCode: "80202" }
    }))
  const enroll = async () => {
    const seconds = await call("POST", `/v1/programInstances/${instanceId}/enrollments/bulk`, {
      enrollments: enrollments()
    })
    turn++
    return seconds
  }
  const create = async () => {
    const seconds = await call("POST", "/v1/sites/bulk", { sites: sites() })
    turn++
    return seconds
  }
  await enroll()
  await create()
  const { enrolled, created } = await inTurns({ enrolled: enroll, created: create }, BULK_ROUNDS)
  const [one, other] = [median(enrolled), median(created)].map((seconds) => (seconds / BULK) * 1000)
  return {
    name: "an enrollment in bulk, of 500, against a site in bulk",
    measured: one! / other!,
    unit: "×",
    target: { atMost: 2 },
    behind: `${one!.toFixed(2)} against ${other!.toFixed(2)} ms an item`
  }
}

const measure = async (on: PostgresSetting, setting: Setting): Promise<ReadonlyArray<Figure>> => {
  const { note } = setting
  const { workspaceId } = on.platform.credentials
  const call = caller(on)
  const database = new Client({ connectionString: on.postgres.url })
  await database.connect()
  const pages = comparePages(on, setting)
  try {
    note("makes homes, enrollments and dispatches")
    const to = new Date(Math.floor(Date.now() / DAY) * DAY - 10 * DAY)
    await seedHomes(database, { workspaceId, homes: HOMES })
    const programInstanceId = await seedInstance(on.platform, "evening-peak")
    const empty = await seedInstance(on.platform, "morning-peak")
    await seedEnrollments(database, { workspaceId, homes: HOMES, programInstanceId, varied: true })
    await seedCatalog(database, { workspaceId, programs: PROGRAMS, instances: INSTANCES })
    await seedPast(database, { workspaceId, programInstanceId, ...PAST })
    const dispatchId = await seedEnded(database, {
      workspaceId,
      programInstanceId,
      sites: SITES,
      startsAt: new Date(to.getTime() - 3 * DAY)
    })
    const figures: Array<Figure> = []
    const lists = {
      workspaceId,
      programInstanceId,
      programs: PROGRAMS,
      instances: INSTANCES,
      homes: HOMES,
      dispatches: PAST.ended,
      dispatchId,
      sites: SITES
    }
    for (const { name, paths, statements } of programPages(lists)) {
      note(name)
      const page = { against: `bare page and count, ${name}`, traffic: { kind: "get", paths } as const, statements }
      await pages.warm(page.traffic)
      figures.push(await pages.compare(page, CONNECTIONS, 1.5))
      figures.push(await pages.compare(page, 1, 0.5))
    }
    note("enrolls many at once")
    figures.push(await compareBulk(call, empty))
    return figures
  } finally {
    await pages.stop()
    await database.end()
  }
}

/** Lists of programs, and enrollments in bulk, with traces sampled as they are by default. */
export const programs: Benchmark = {
  name: "programs",
  run: async (setting) => {
    const sink = await startRival("emptyServer.ts")
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${sink.port}` }
    try {
      return await onPostgres(setting, { devices: 0, env }, (on) => measure(on, setting))
    } finally {
      await sink.stop()
    }
  }
}
