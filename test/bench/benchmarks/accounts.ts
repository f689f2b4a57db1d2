import { setTimeout } from "node:timers/promises"
import { Client } from "pg"
import { freePort } from "../../support/freePort.ts"
import { guardedFolder } from "../../support/guardedFolder.ts"
import { startPostgres } from "../../support/PostgresServer.ts"
import { sharedEncryptionKey } from "../../support/spawnServer.ts"
import type { Benchmark, Figure, Setting } from "../Figure.ts"
import { startPlatform } from "../setting/platform.ts"
import { cpuSeconds, residentMegabytes } from "../setting/residentMemory.ts"
import { seedAccounts } from "../setting/seedAccounts.ts"
import { median } from "../statistics.ts"

const ACCOUNTS = 2000
/** The homes are simulated from their beginning at their first reading. */
const WARM_UP_SECONDS = 180
const SECONDS = 600
const LOOK_SECONDS = 10

/** The buckets of a histogram as Prometheus scrapes them: upper bound in seconds, cumulative count. */
const buckets = async (port: number) => {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return [...text.matchAll(/^edp_account_work_late_seconds_bucket\{[^}]*le="([^"]+)"[^}]*\} (\d+)/gmu)].map(
    ([, bound, count]) => [bound === "+Inf" ? Infinity : Number(bound), Number(count)] as const
  )
}

/** The bound of the bucket in which a share of the values lies. */
const bound = (before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>, share: number) => {
  const counts = [...after].map(([limit, count]) => [limit, count - (before.get(limit) ?? 0)] as const)
  const all = counts.at(-1)![1]
  return { seconds: counts.find(([, count]) => count >= all * share)![0], claims: all }
}

const measure = async ({ note, patience, profiles }: Setting): Promise<ReadonlyArray<Figure>> => {
  const postgres = await startPostgres()
  const folder = await guardedFolder("edp-bench")
  const metricsPort = await freePort()
  const platform = await startPlatform({
    dataDir: folder.path,
    databaseUrl: postgres.url,
    profiles,
    env: { EDP_ENCRYPTION_KEY: sharedEncryptionKey, EDP_METRICS_PORT: `${metricsPort}` }
  })
  const database = new Client({ connectionString: postgres.url })
  await database.connect()
  try {
    note(`links ${ACCOUNTS} accounts`)
    await seedAccounts(postgres.url, {
      accounts: ACCOUNTS,
      encryptionKey: Buffer.from(sharedEncryptionKey, "base64"),
      workspaceId: platform.credentials.workspaceId
    })
    await setTimeout(WARM_UP_SECONDS * 1000)
    const seconds = Math.round(SECONDS * patience)
    note(`reads them for ${seconds} s`)
    const count = async (table: string) =>
      Number((await database.query(`SELECT count(*) AS n FROM ${table}`)).rows[0].n)
    const [before, cpu, readings] = [
      new Map(await buckets(metricsPort)),
      cpuSeconds(platform.pid),
      await count("readings")
    ]
    const memory: Array<number> = []
    const overdue: Array<number> = []
    const began = performance.now()
    while (performance.now() - began < seconds * 1000) {
      await setTimeout(LOOK_SECONDS * 1000)
      memory.push(residentMegabytes(platform.pid))
      const { rows } = await database.query(
        "SELECT count(*) AS n FROM account_work WHERE claim IS NULL AND due_at < now() - interval '5 seconds'"
      )
      overdue.push(Number(rows[0].n))
    }
    const elapsed = (performance.now() - began) / 1000
    const after = new Map(await buckets(metricsPort))
    const [half, most] = [bound(before, after, 0.5), bound(before, after, 0.99)]
    const third = Math.floor(memory.length / 3)
    const [early, late] = [median(memory.slice(0, third)), median(memory.slice(-third))]
    const stored = (await count("readings")) - readings
    const { rows } = await database.query("SELECT status, count(*) AS n FROM accounts GROUP BY status")
    const states = rows.map(({ n, status }) => `${n} ${status}`).join(", ")
    return [
      {
        name: "lateness of an account's work, p99, bucket's bound",
        measured: most.seconds,
        unit: "s",
        target: { atMost: 5 },
        behind: `p50 below ${half.seconds} s; ${(most.claims / elapsed).toFixed(1)} accounts/s, ${(stored / elapsed).toFixed(0)} readings/s; ${states}`
      },
      {
        name: "accounts overdue by more than 5 s, at most",
        measured: (Math.max(...overdue) / ACCOUNTS) * 100,
        unit: "%",
        target: { atMost: 1 }
      },
      {
        name: "processor of one core",
        measured: ((cpuSeconds(platform.pid) - cpu) / elapsed) * 100,
        unit: "%",
        target: { atMost: 100 }
      },
      {
        name: "growth of memory from the first third to the last",
        measured: (late / early - 1) * 100,
        unit: "%",
        target: { atMost: 10 },
        behind: `${early.toFixed(0)} MB, then ${late.toFixed(0)} MB`
      }
    ]
  } finally {
    await database.end()
    await platform.stop()
    await postgres.stop()
    await folder.remove()
  }
}

/** 10,000 devices of the simulator in 2,000 accounts, read by one process at the intervals of its manifest. */
export const accounts: Benchmark = { name: "accounts", run: measure }
