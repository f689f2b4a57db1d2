import { setTimeout } from "node:timers/promises"
import { Client } from "pg"
import { guardedFolder } from "../../support/guardedFolder.ts"
import { startPostgres } from "../../support/PostgresServer.ts"
import { sharedEncryptionKey } from "../../support/spawnServer.ts"
import type { Benchmark, Figure, Setting } from "../Figure.ts"
import { type LocalDevice, type LocalDevices, localProtocols, startLocalDevices } from "../setting/localDevices.ts"
import { startPlatform } from "../setting/platform.ts"
import { cpuSeconds, idleMemory, residentMegabytes } from "../setting/residentMemory.ts"
import { quietly } from "../setting/quietly.ts"
import { median, percentile } from "../statistics.ts"

/** Devices of each protocol; two of them are dead. */
const PER_PROTOCOL = 100
/** The interval of a device at work, as the adapters of templates have it. */
const INTERVAL_MS = 15_000
const WARM_UP_SECONDS = 45
const SECONDS = 150
const LOOK_SECONDS = 5
/** A tenth of the interval. */
const LATE_MS = INTERVAL_MS / 10

/** Makes devices due, spread over an interval, as they are once they have run for a while. */
const begin = (database: Client, devices: ReadonlyArray<LocalDevice>) =>
  database.query(
    `INSERT INTO account_work (account_id, manufacturer, due_at, discover_at)
      SELECT id, manufacturer, now() + random() * interval '15 seconds', now() + interval '1 hour'
      FROM accounts WHERE id = ANY ($1)`,
    [devices.map(({ accountId }) => accountId)]
  )

/** By how much the rounds of the polled devices came after their interval, sorted; those that came in time count as 0. */
const lateness = (devices: ReadonlyArray<LocalDevice>, from: number, to: number) =>
  devices
    .flatMap(({ rounds }) => rounds.slice(1).map((at, n) => ({ at, gap: at - rounds[n]! })))
    .filter(({ at }) => at > from && at <= to)
    .map(({ gap }) => Math.max(0, gap - INTERVAL_MS))
    .toSorted((a, b) => a - b)

/** The seconds until the state of each device on the broker is stored after it has published another one. */
const untilStored = async (database: Client, devices: ReadonlyArray<LocalDevice>, { publish }: LocalDevices) => {
  const watts = Math.round(500 + Math.random() * 1000)
  const at = await publish(watts)
  const ids = devices.filter(({ isDead, protocol }) => protocol === "mqtt" && !isDead).map(({ id }) => id)
  for (;;) {
    const { rows } = await database.query(
      `SELECT count(*) AS n FROM device_states WHERE device_id = ANY ($1) AND (state->>'power')::float8 = $2`,
      [ids, watts]
    )
    if (Number(rows[0].n) === ids.length) return Date.now() - at
    if (Date.now() - at > 60_000)
      throw new Error(`Only ${rows[0].n} of ${ids.length} states were stored within a minute`)
    await setTimeout(50)
  }
}

const measure = async ({ note, patience, profiles }: Setting): Promise<ReadonlyArray<Figure>> => {
  const postgres = await startPostgres()
  const folder = await guardedFolder("edp-bench")
  const platform = await startPlatform({
    dataDir: folder.path,
    databaseUrl: postgres.url,
    profiles,
    env: { EDP_ENCRYPTION_KEY: sharedEncryptionKey, EDP_DEVICE_NETWORKS: "127.0.0.0/8" }
  })
  const database = new Client({ connectionString: postgres.url })
  await database.connect()
  let local: LocalDevices | undefined
  try {
    note("idles")
    const idle = await idleMemory(platform.pid)
    note(`links ${PER_PROTOCOL * localProtocols.length} devices`)
    local = await startLocalDevices({
      databaseUrl: postgres.url,
      encryptionKey: Buffer.from(sharedEncryptionKey, "base64"),
      workspaceId: platform.credentials.workspaceId,
      count: PER_PROTOCOL
    })
    const { devices } = local
    const [alive, dead] = [devices.filter(({ isDead }) => !isDead), devices.filter(({ isDead }) => isDead)]
    const polled = alive.filter(({ protocol }) => protocol !== "mqtt")
    const seconds = Math.round(SECONDS * patience)

    const follow = async () => {
      const [from, cpu, memory] = [Date.now(), cpuSeconds(platform.pid), [] as Array<number>]
      const stored: Array<number> = []
      while (Date.now() - from < seconds * 1000) {
        stored.push(await untilStored(database, devices, local!))
        await setTimeout(LOOK_SECONDS * 1000)
        memory.push(residentMegabytes(platform.pid))
        // The adapter reports a device on a broker at most every 10 seconds.
        await setTimeout(2 * LOOK_SECONDS * 1000)
      }
      const to = Date.now()
      const late = lateness(polled, from, to)
      return {
        late,
        rounds: late.length,
        silent: polled.filter(({ rounds }) => !rounds.some((at) => at > to - 2 * INTERVAL_MS)).length,
        memory: median(memory),
        most: Math.max(...memory),
        cpu: ((cpuSeconds(platform.pid) - cpu) / ((to - from) / 1000)) * 100,
        stored: stored.toSorted((a, b) => a - b)
      }
    }

    await begin(database, alive)
    await setTimeout(WARM_UP_SECONDS * 1000)
    note(`follows ${alive.length} of them for ${seconds} s`)
    const { result: before } = await quietly(follow)
    await begin(database, dead)
    await setTimeout(WARM_UP_SECONDS * 1000)
    note(`follows them for ${seconds} s beside ${dead.length} dead hosts`)
    const { result: beside } = await quietly(follow)
    const { rows } = await database.query(
      "SELECT count(*) FILTER (WHERE failures > 0) AS failing, count(*) AS n FROM account_work"
    )
    const share = (sorted: ReadonlyArray<number>, part: number) => percentile(sorted, part)
    return [
      {
        name: "a poll beside dead hosts after its due time, p99",
        measured: share(beside.late, 0.99),
        unit: "ms",
        target: { atMost: LATE_MS },
        behind: `p50 ${share(beside.late, 0.5)} ms, longest ${beside.late.at(-1)} ms; ${beside.rounds} polls of ${polled.length} devices, ${beside.silent} not read in the end; ${rows[0].failing} of ${rows[0].n} accounts failing`
      },
      {
        name: "the same without the dead hosts, p99",
        measured: share(before.late, 0.99),
        unit: "ms",
        behind: `p50 ${share(before.late, 0.5)} ms, longest ${before.late.at(-1)} ms; ${before.rounds} polls`
      },
      {
        name: "states that devices on a broker publish all at once, until all are stored, beside dead hosts",
        measured: median(beside.stored),
        unit: "ms",
        behind: `longest ${beside.stored.at(-1)} ms; without dead hosts ${median(before.stored)} and ${before.stored.at(-1)} ms`
      },
      {
        name: "resident memory above idle",
        measured: beside.memory - idle,
        unit: "MB",
        target: { atMost: 200 },
        behind: `${beside.memory.toFixed(0)} MB, at most ${beside.most.toFixed(0)} MB; ${idle.toFixed(0)} MB when idle, ${before.memory.toFixed(0)} MB without dead hosts`
      },
      {
        name: "processor of one core",
        measured: beside.cpu,
        unit: "%",
        behind: `${before.cpu.toFixed(1)} % without dead hosts`
      }
    ]
  } finally {
    await database.end()
    await local?.close()
    await platform.stop()
    await postgres.stop()
    await folder.remove()
  }
}

/** 300 devices in the local network by Modbus, HTTP and MQTT, read by one process, of which two of each protocol are dead. */
export const localDevices: Benchmark = { name: "local-devices", run: measure }
