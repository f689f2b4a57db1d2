import { Client } from "pg"
import type { Benchmark, Figure } from "../Figure.ts"
import type { Polled, Polls, Timed } from "../load/venPolls.ts"
import { startWorker } from "../setting/childProcess.ts"
import { onPostgres } from "../setting/postgresSetting.ts"
import { databaseTime, postgresMegabytes, processorTime } from "../setting/processorTime.ts"
import { quietly } from "../setting/quietly.ts"
import { residentMegabytes } from "../setting/residentMemory.ts"
import { seedVens } from "../setting/seedVens.ts"

const VENS = 10_000
const SECONDS = 120
const EVENTS = { zones: 100, pastEvents: 500, activeEvents: 5 }

const quantile = (sorted: ReadonlyArray<number>, share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

const latency = (polled: Polled, kind: Timed): Figure => {
  const sorted = polled.times[kind].toSorted((a, b) => a - b)
  return {
    name: `p99 of ${kind === "token" ? "a new token" : `a list of ${kind}`}`,
    measured: quantile(sorted, 0.99),
    unit: "ms",
    target: { atMost: 500 },
    behind: `p50 ${quantile(sorted, 0.5).toFixed(1)} ms, at most ${quantile(sorted, 1).toFixed(0)} ms; ${sorted.length} requests`
  }
}

/** 10,000 VENs that each read events and programs once a minute, and renew their tokens once an hour. */
export const openadr: Benchmark = {
  name: "openadr",
  run: (setting) =>
    onPostgres(setting, { devices: 0 }, async ({ platform, postgres }) => {
      const client = new Client({ connectionString: postgres.adminUrl.replace(/[^/]*$/, "edp") })
      await client.connect()
      const load = startWorker<Polls, Polled>(new URL("../load/venPolls.ts", import.meta.url))
      try {
        setting.note(`makes ${VENS} VENs`)
        const vens = await seedVens(client, { workspaceId: platform.credentials.workspaceId, vens: VENS, ...EVENTS })
        const database = await databaseTime(postgres)
        const megabytes = await postgresMegabytes(postgres)
        setting.note("first tokens")
        const { firstTokens } = await load.ask({ port: platform.port, vens, seconds: 0 })
        setting.note("polls")
        const { result } = await quietly(async () => {
          const [process, base, began] = [processorTime(platform.pid), database(), performance.now()]
          const polled = await load.ask({ port: platform.port, vens, seconds: SECONDS * setting.patience })
          const micros = (performance.now() - began) * 1000
          return {
            polled,
            process: (processorTime(platform.pid) - process) / micros,
            database: (database() - base) / micros,
            micros,
            requests: Object.values(polled.times).reduce((sum, each) => sum + each.length, 0)
          }
        })
        const { polled } = result
        const refused = Object.entries(polled.refused)
        const perRequest = (share: number) => `${((share * result.micros) / result.requests).toFixed(0)} µs a request`
        const behind = refused.map(([status, count]) => `${count} by ${status}`).join(", ")
        return [
          ...(["events", "programs", "token"] as const).map((kind) => latency(polled, kind)),
          {
            name: "requests that failed",
            measured: (refused.reduce((sum, [, count]) => sum + count, 0) / result.requests) * 100,
            unit: "%",
            target: { atMost: 0 },
            behind: behind === "" ? `none of ${result.requests}` : behind
          },
          { name: "first tokens of all VENs", measured: firstTokens, unit: "s" },
          {
            name: "processor of the service",
            measured: result.process * 100,
            unit: "%",
            behind: perRequest(result.process)
          },
          {
            name: "processor of PostgreSQL",
            measured: result.database * 100,
            unit: "%",
            behind: perRequest(result.database)
          },
          { name: "memory of the service", measured: residentMegabytes(platform.pid), unit: "MB" },
          {
            name: "memory of PostgreSQL",
            measured: megabytes(),
            unit: "MB",
            behind: "proportional set size of all its processes"
          }
        ]
      } finally {
        await load.stop()
        await client.end()
      }
    })
}
