import { setTimeout } from "node:timers/promises"
import { Client } from "pg"
import { callAt } from "../../support/callAt.ts"
import { guardedFolder } from "../../support/guardedFolder.ts"
import { type PostgresServer, startPostgres } from "../../support/PostgresServer.ts"
import { sharedEncryptionKey } from "../../support/spawnServer.ts"
import { startBareHandover } from "../baselines/bareHandover.ts"
import type { Benchmark, Figure, Setting } from "../Figure.ts"
import { idleDatabaseTime } from "../setting/idleDatabaseTime.ts"
import { type Platform, startPlatform } from "../setting/platform.ts"
import { quietly } from "../setting/quietly.ts"
import { seedBatteries, seedWaiting } from "../setting/seedBatteries.ts"
import { startVendor } from "../setting/vendor.ts"
import { QUOTA_CALLS, QUOTA_SECONDS } from "../setting/vendorQuota.ts"
import { median } from "../statistics.ts"

const DEVICES = 10_000
const WAITING = 1_000_000
const ACCEPTED_ROUNDS = 5
const IDLE_SECONDS = 30
/** As many commands of one manufacturer as the platform sends at once. */
const CONCURRENCY = 64
const preload = new URL("../setting/vendorAdapter.ts", import.meta.url).href

const windowMs = QUOTA_SECONDS * 1000
const allowedSeconds = (DEVICES / QUOTA_CALLS) * QUOTA_SECONDS

interface Scene {
  readonly platform: Platform
  readonly postgres: PostgresServer
  readonly database: Client
  readonly vendor: ReturnType<typeof startVendor>
  readonly port: number
}

const command = (chargePercentage: number) => ({ type: "battery:set-reserve", input: { chargePercentage } })

/** Sends a batch; returns its id and the seconds until the response. */
const create = async ({ platform }: Scene, body: object) => {
  const began = performance.now()
  const response = await callAt(`http://127.0.0.1:${platform.port}`, "POST", "/v1/batch-commands", {
    key: platform.credentials.serverKey,
    body: { ...command(30), ...body }
  })
  if (response.status !== 202 || response.body.total !== DEVICES) throw new Error(response.text)
  return { id: response.body.id as string, seconds: (performance.now() - began) / 1000 }
}

const show = async ({ platform }: Scene, id: string) =>
  (
    await callAt(`http://127.0.0.1:${platform.port}`, "GET", `/v1/batch-commands/${id}`, {
      key: platform.credentials.serverKey
    })
  ).body

/** Sends a batch and waits until all of it was sent; returns what the manufacturer saw. */
const sendCommands = async (scene: Scene, deviceIds: ReadonlyArray<string>) => {
  await scene.vendor.ask({ windowMs, forget: true })
  const { id } = await create(scene, { deviceIds })
  for (;;) {
    await setTimeout(1000)
    const { counts, status } = await show(scene, id)
    if (status === "completed" && counts.completed !== DEVICES) throw new Error(JSON.stringify(counts))
    if (status === "completed") return await scene.vendor.ask({ windowMs, forget: false })
  }
}

/** The same by the bare loop; returns its seconds. */
const sendBare = async (
  { database, port, postgres }: Scene,
  quota: { calls: number; windowMs: number } | undefined
) => {
  await database.query("DROP TABLE IF EXISTS bare_commands")
  await database.query(
    `CREATE TABLE bare_commands AS SELECT id, 'pending'::text AS status, NULL::timestamptz AS executed_at
      FROM commands WHERE batch_id IS NOT NULL ORDER BY id DESC LIMIT ${DEVICES}`
  )
  await database.query("ALTER TABLE bare_commands ADD PRIMARY KEY (id)")
  const bare = startBareHandover()
  try {
    return await bare.ask({ databaseUrl: postgres.url, table: "bare_commands", port, concurrency: CONCURRENCY, quota })
  } finally {
    await bare.stop()
  }
}

/** Seconds until batches are accepted. Each is cancelled before the next, which would override its commands. */
const measureAcceptance = async (scene: Scene, deviceIds: ReadonlyArray<string>, body: object) => {
  const { credentials, port } = scene.platform
  const once = async () => {
    const batch = await create(scene, { deviceIds, ...body })
    const cancelled = await callAt(`http://127.0.0.1:${port}`, "POST", `/v1/batch-commands/${batch.id}/cancel`, {
      key: credentials.serverKey
    })
    if (cancelled.status !== 200) throw new Error(cancelled.text)
    return batch.seconds
  }
  const seconds: Array<number> = []
  for (let round = 0; round < ACCEPTED_ROUNDS; round++) seconds.push((await quietly(once)).result)
  return seconds
}

const seconds = (values: ReadonlyArray<number>) => `rounds ${values.map((value) => value.toFixed(2)).join(", ")} s`

const run = async (
  scene: Scene,
  [limited, unlimited]: ReadonlyArray<ReadonlyArray<string>>,
  { note, patience }: Setting
): Promise<ReadonlyArray<Figure>> => {
  const { platform, postgres } = scene
  const later = () => new Date(Date.now() + 3_600_000).toISOString()
  note("batches are accepted")
  const scheduled = await measureAcceptance(scene, limited!, { scheduledFor: later() })
  // The first turn comes at once, the second a minute later.
  const paced = await measureAcceptance(scene, limited!, { maxPerMinute: 1 })
  note("a batch is sent at the quota")
  const quotaed = await sendCommands(scene, limited!)
  note("the bare loop does the same")
  const bare = await sendBare(scene, { calls: QUOTA_CALLS, windowMs })
  note("batches are sent without a quota")
  const free = (await sendCommands(scene, unlimited!)).seconds
  const bareFree = await sendBare(scene, undefined)
  note("nothing is due")
  const idle = await idleDatabaseTime(scene.database, IDLE_SECONDS * patience)
  note("a million commands wait")
  await seedWaiting(postgres, {
    commands: WAITING,
    manufacturer: "unlimited",
    workspaceId: platform.credentials.workspaceId
  })
  const idleBeside = await idleDatabaseTime(scene.database, IDLE_SECONDS * patience)
  const freeBeside = (await sendCommands(scene, unlimited!)).seconds
  return [
    {
      name: "a batch of 10,000 accepted, at once",
      measured: median(paced),
      unit: "s",
      target: { atMost: 2 },
      behind: seconds(paced)
    },
    {
      name: "a batch of 10,000 accepted, for a later time",
      measured: median(scheduled),
      unit: "s",
      target: { atMost: 2 },
      behind: seconds(scheduled)
    },
    {
      name: "10,000 commands sent at the quota, against the time that it allows",
      measured: quotaed.seconds / allowedSeconds,
      unit: "×",
      target: { atMost: 1.1 },
      behind: `${quotaed.seconds.toFixed(1)} s, the bare loop ${bare.toFixed(1)} s`
    },
    {
      name: "calls in the busiest window of the quota, against the quota",
      measured: quotaed.busiest / QUOTA_CALLS,
      unit: "×",
      target: { atMost: 1.1 },
      behind: `${quotaed.busiest} of ${QUOTA_CALLS}; a call may arrive in the window after its own`
    },
    {
      name: "10,000 commands sent without a quota, against the bare loop",
      measured: bareFree / free,
      unit: "×",
      behind: `${(DEVICES / free).toFixed(0)} against ${(DEVICES / bareFree).toFixed(0)}/s`
    },
    {
      name: "the rate of sending beside a million waiting commands, against without",
      measured: free / freeBeside,
      unit: "×",
      target: { atLeast: 0.9 },
      behind: `${(DEVICES / freeBeside).toFixed(0)} against ${(DEVICES / free).toFixed(0)}/s`
    },
    {
      name: "database time while idle beside a million waiting commands, against without",
      measured: idleBeside / idle,
      unit: "×",
      target: { atMost: 1.1 },
      behind: `${idleBeside.toFixed(2)} against ${idle.toFixed(2)} ms in a second`
    }
  ]
}

const measure = async (setting: Setting): Promise<ReadonlyArray<Figure>> => {
  const postgres = await startPostgres()
  const folder = await guardedFolder("edp-bench")
  const vendor = startVendor()
  const { port } = await vendor.ask({ windowMs, forget: true })
  const url = `http://127.0.0.1:${port}`
  const platform = await startPlatform({
    dataDir: folder.path,
    databaseUrl: postgres.url,
    profiles: setting.profiles,
    env: {
      EDP_ENCRYPTION_KEY: sharedEncryptionKey,
      EDP_ALLOW_PRIVATE_DESTINATIONS: "true",
      EDP_LIMITED_BASE_URL: url,
      EDP_UNLIMITED_BASE_URL: url,
      NODE_OPTIONS: `--import=${preload}`
    }
  })
  const database = new Client({ connectionString: postgres.url })
  await database.connect()
  try {
    const { workspaceId } = platform.credentials
    const batteries = await seedBatteries(postgres.url, {
      workspaceId,
      encryptionKey: Buffer.from(sharedEncryptionKey, "base64"),
      manufacturers: ["limited", "unlimited"],
      each: DEVICES
    })
    return await run({ platform, postgres, database, vendor, port }, batteries, setting)
  } finally {
    await database.end()
    await platform.stop()
    await vendor.stop()
    await postgres.stop()
    await folder.remove()
  }
}

/** Batches of commands for 10,000 devices: accepted, sent within a manufacturer's quota, and beside a million that wait. */
export const batch: Benchmark = { name: "batch", run: measure }
