import { Client } from "pg"
import { callAt } from "../../support/callAt.ts"
import type { Benchmark, Figure, Setting } from "../Figure.ts"
import { onPostgres, type PostgresSetting } from "../setting/postgresSetting.ts"
import { quietly } from "../setting/quietly.ts"
import { startRival } from "../setting/rival.ts"
import { seedEnrollments, seedHomes, seedInstance } from "../setting/seedEnrollments.ts"
import { seedEnded, seedRolledBatteries, seedRunning } from "../setting/seedProgramReads.ts"
import { median } from "../statistics.ts"

const BATTERIES = 50_000
const REPORT_DAYS = 30
const REPORTED_SITES = [500, 5000]
const RUNNING_SITES = 5000
/** Readings of each battery of a dispatch that runs: a minute apart. */
const READINGS = 200
const ROUNDS = 3
const DAY = 86_400_000
const HOUR = 3_600_000

/** Sends a request; returns its seconds. */
const caller =
  ({ platform }: PostgresSetting) =>
  async (path: string): Promise<number> => {
    const began = performance.now()
    const response = await callAt(`http://127.0.0.1:${platform.port}`, "GET", path, {
      key: platform.credentials.serverKey
    })
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${response.text.slice(0, 1000)}`)
    return (performance.now() - began) / 1000
  }

const measure = async (on: PostgresSetting, { note }: Setting): Promise<ReadonlyArray<Figure>> => {
  const { workspaceId } = on.platform.credentials
  const call = caller(on)
  const again = async (path: string) => {
    const times: Array<number> = []
    for (let round = 0; round < ROUNDS; round++) times.push((await quietly(() => call(path))).result)
    return median(times)
  }
  const database = new Client({ connectionString: on.postgres.url })
  await database.connect()
  try {
    note("makes homes, enrollments and batteries")
    const to = new Date(Math.floor(Date.now() / DAY) * DAY)
    await seedHomes(database, { workspaceId, homes: BATTERIES })
    const programInstanceId = await seedInstance(on.platform, "evening-peak")
    await seedEnrollments(database, { workspaceId, homes: BATTERIES, programInstanceId, varied: true })
    await seedRolledBatteries(database, {
      workspaceId,
      batteries: BATTERIES,
      days: REPORT_DAYS + 1,
      first: Math.max(...REPORTED_SITES),
      firstDays: REPORT_DAYS + 1,
      to
    })
    const figures: Array<Figure> = []
    for (const sites of REPORTED_SITES) {
      note(`reports on a dispatch at ${sites} sites`)
      const startsAt = new Date(to.getTime() - DAY - 6 * HOUR)
      const id = await seedEnded(database, { workspaceId, programInstanceId, sites, startsAt })
      const first = (await quietly(() => call(`/v1/dispatches/${id}/report`))).result
      figures.push({
        name: `the report of an ended dispatch at ${sites} sites, by its batteries' meters`,
        measured: await again(`/v1/dispatches/${id}/report?page=2`),
        unit: "s",
        target: { atMost: sites > 1000 ? 1 : 0.2 },
        behind: `${first.toFixed(2)} s before its results were kept`
      })
    }
    note(`reports on a dispatch that runs at ${RUNNING_SITES} sites`)
    const running = await seedRunning(database, {
      workspaceId,
      programInstanceId,
      sites: RUNNING_SITES,
      readings: READINGS
    })
    const first = (await quietly(() => call(`/v1/dispatches/${running}/report`))).result
    figures.push({
      name: `the report of a dispatch that runs at ${RUNNING_SITES} sites`,
      measured: await again(`/v1/dispatches/${running}/report?page=2`),
      unit: "s",
      target: { atMost: 2 },
      behind: `${first.toFixed(2)} s before its baselines were kept`
    })
    note("reports on a program")
    const span = `from=${new Date(to.getTime() - REPORT_DAYS * DAY).toISOString()}&to=${to.toISOString()}`
    const path = `/v1/programInstances/${programInstanceId}/report?${span}`
    const firstOfProgram = (await quietly(() => call(path))).result
    figures.push({
      name: `the report of a program with ${BATTERIES} batteries, ${REPORT_DAYS} days`,
      measured: await again(path),
      unit: "s",
      target: { atMost: 2 },
      behind: `${firstOfProgram.toFixed(2)} s before its days were kept`
    })
    figures.push({
      name: "the same until now, with a clipped first day and the present one",
      measured: await again(`/v1/programInstances/${programInstanceId}/report`),
      unit: "s"
    })
    return figures
  } finally {
    await database.end()
  }
}

/** Reports on dispatches and programs. */
export const reports: Benchmark = {
  name: "reports",
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
