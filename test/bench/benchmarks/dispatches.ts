import { setTimeout } from "node:timers/promises"
import { Client } from "pg"
import { callAt } from "../../support/callAt.ts"
import { guardedFolder } from "../../support/guardedFolder.ts"
import { type PostgresServer, startPostgres } from "../../support/PostgresServer.ts"
import { sharedEncryptionKey } from "../../support/spawnServer.ts"
import { cancelBare, holdBare, issueBare, makeBareTables, optOutBare } from "../baselines/bareDispatch.ts"
import { startBareHandover } from "../baselines/bareHandover.ts"
import type { Benchmark, Figure, Setting } from "../Figure.ts"
import { idleDatabaseTime } from "../setting/idleDatabaseTime.ts"
import { type Platform, startPlatform } from "../setting/platform.ts"
import { startRival } from "../setting/rival.ts"
import { seedBatteries } from "../setting/seedBatteries.ts"
import {
  seedEnrollments,
  seedHomes,
  seedInstance,
  seedPast,
  settleDevices,
  siteId
} from "../setting/seedEnrollments.ts"
import { startVendor } from "../setting/vendor.ts"
import { QUOTA_SECONDS } from "../setting/vendorQuota.ts"
import { median } from "../statistics.ts"

const DEVICES = 10_000
const OPTED_OUT = 1000
const PAST = { ended: 1000, sites: 1000, scheduled: 1000 }
const IDLE_SECONDS = 30
/** The platform sends as many commands of one manufacturer at once. */
const CONCURRENCY = 64
const OPT_OUTS_AT_ONCE = 16
const GLANCE_MS = 50
const LONGEST_SECONDS = 300
const INTERVALS = 96
const PREVIEWS = 7
const preload = new URL("../setting/vendorAdapter.ts", import.meta.url).href

interface Scene {
  readonly platform: Platform
  readonly postgres: PostgresServer
  readonly database: Client
  readonly vendorPort: number
  readonly programInstanceId: string
  readonly deviceIds: ReadonlyArray<string>
}

const post = async ({ platform }: Scene, path: string, body: object): Promise<any> => {
  const response = await callAt(`http://127.0.0.1:${platform.port}`, "POST", path, {
    key: platform.credentials.serverKey,
    body
  })
  if (response.status !== 200 && response.status !== 201)
    throw new Error(`${path} answered ${response.status}: ${response.text}`)
  return response.body
}

const seconds = async (work: () => Promise<unknown>) => {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}

/** Waits until the database has no such row. Looking for one costs it little, unlike counting them. */
const drained = async ({ database }: Scene, statement: string, values: ReadonlyArray<unknown>) => {
  const deadline = Date.now() + LONGEST_SECONDS * 1000
  for (;;) {
    const { rows } = await database.query(`SELECT 1 ${statement} LIMIT 1`, [...values])
    if (rows.length === 0) return Date.now()
    if (Date.now() > deadline) throw new Error(`Some are left after ${LONGEST_SECONDS} s: ${statement}`)
    await setTimeout(GLANCE_MS)
  }
}

const notIssued = "FROM dispatch_devices WHERE dispatch_id = $1 AND phase <> 'commanded'"
const open = "FROM commands WHERE source_id = $1 AND status IN ('pending', 'scheduled')"
const notRequested = `FROM dispatch_devices v LEFT JOIN forced_modes f ON f.device_id = v.device_id
  WHERE v.dispatch_id = $1 AND (v.phase = 'commanded' OR f.phase = 'holding')`
const notRestored = "FROM dispatch_devices WHERE dispatch_id = $1 AND due_at IS NOT NULL"

const battery = { operatingMode: "discharge" }

interface Begun {
  readonly id: string
  readonly startsAt: number
  /** Seconds until the request that announces it was answered. */
  readonly announced: number
  /** Seconds from the start until all commands were issued. */
  readonly issued: number
}

/** Runs a dispatch until all of its commands are issued. */
const begin = async (scene: Scene, intervals = 1): Promise<Begun> => {
  const { database, programInstanceId } = scene
  const startsAt = Date.now() + 8000
  const durationSeconds = 3600
  let id = ""
  const announced = await seconds(async () => {
    const dispatch = await post(scene, `/v1/programInstances/${programInstanceId}/dispatches`, {
      name: "Evening peak",
      intervals: Array.from({ length: intervals }, (_, n) => ({
        startsAt: new Date(startsAt + n * durationSeconds * 1000).toISOString(),
        durationSeconds,
        actions: { battery }
      }))
    })
    id = dispatch.id
    if (dispatch.participants.notified !== DEVICES) throw new Error(JSON.stringify(dispatch))
  })
  const late = Date.now() - startsAt
  if (late > 0) throw new Error(`The dispatch was announced ${late} ms after its start`)
  await setTimeout(-late)
  for (;;) {
    const { rows } = await database.query("SELECT FROM dispatch_devices WHERE dispatch_id = $1 LIMIT 1", [id])
    if (rows.length > 0) break
    await setTimeout(GLANCE_MS)
  }
  const issued = ((await drained(scene, notIssued, [id])) - startsAt) / 1000
  return { id, startsAt, announced, issued }
}

/** Waits until the commands of a dispatch were sent. Returns the seconds since its start. */
const sendCommands = async (scene: Scene, { id, startsAt }: Begun) => {
  const sentAfter = ((await drained(scene, open, [id])) - startsAt) / 1000
  const { rows } = await scene.database.query(
    "SELECT count(*)::int AS n FROM commands WHERE source_id = $1 AND status = 'completed'",
    [id]
  )
  if (rows[0].n !== DEVICES) throw new Error(`${rows[0].n} of ${DEVICES} commands were completed`)
  return sentAfter
}

/** Opts sites out, some at once. Every response means that its site's devices are being restored. */
const optOut = async (scene: Scene, id: string) => {
  let next = 1
  const loop = async () => {
    while (next <= OPTED_OUT) await post(scene, `/v1/dispatches/${id}/participants/${siteId(next++)}/opt-out`, {})
  }
  return await seconds(() => Promise.all(Array.from({ length: OPT_OUTS_AT_ONCE }, loop)))
}

const cancel = async (scene: Scene, id: string) => {
  const began = Date.now()
  const answered = await seconds(() => post(scene, `/v1/dispatches/${id}/cancel`, {}))
  const requested = ((await drained(scene, notRequested, [id])) - began) / 1000
  const restored = ((await drained(scene, notRestored, [id])) - began) / 1000
  return { answered, requested, restored }
}

const previewed = { gridPower: 600, chargeRate: 0, chargePercentage: 60, backupReserve: 20, chargingState: "idle" }

/** Seconds until a dispatch to all batteries is previewed, each with a new reading of its home. */
const preview = async (scene: Scene) => {
  const { database, deviceIds, programInstanceId } = scene
  await database.query(
    `INSERT INTO device_states (device_id, reading_id, at, first_at, state)
      SELECT id, 'c1', now(), now(), $2 FROM unnest($1::text[]) AS id
      ON CONFLICT (device_id) DO UPDATE SET at = excluded.at, state = excluded.state`,
    [deviceIds, previewed]
  )
  await database.query("ANALYZE device_states")
  const body = {
    name: "Evening peak",
    intervals: [
      { startsAt: new Date(Date.now() + 3_600_000).toISOString(), durationSeconds: 3600, actions: { battery } }
    ]
  }
  const times: Array<number> = []
  for (let turn = 0; turn < PREVIEWS; turn++) {
    times.push(
      await seconds(async () => {
        const { dischargeW } = await post(scene, `/v1/programInstances/${programInstanceId}/dispatches/preview`, body)
        if (dischargeW !== DEVICES * previewed.gridPower) throw new Error(`The preview has ${dischargeW} W`)
      })
    )
  }
  return median(times)
}

const sendBare = async ({ database, postgres, vendorPort: port }: Scene) => {
  await database.query("ALTER TABLE bare_commands ALTER COLUMN input DROP NOT NULL")
  const bare = startBareHandover()
  try {
    return await bare.ask({
      databaseUrl: postgres.url,
      table: "bare_commands",
      port,
      concurrency: CONCURRENCY,
      quota: undefined
    })
  } finally {
    await bare.stop()
  }
}

const s = (value: number) => `${value.toFixed(2)} s`

const run = async (scene: Scene, { note, patience }: Setting): Promise<ReadonlyArray<Figure>> => {
  const { database, deviceIds, platform, postgres, programInstanceId } = scene
  const idle = () => idleDatabaseTime(database, IDLE_SECONDS * patience)
  note("a dispatch warms the platform")
  await cancel(scene, (await begin(scene)).id)
  note("nothing is due")
  const idleAlone = await idle()
  note("a dispatch begins")
  const first = await begin(scene)
  note(`  its commands are issued after ${s(first.issued)}`)
  const sentAfter = await sendCommands(scene, first)
  note(`  its commands are sent after ${s(sentAfter)}; the bare loop does the same`)
  await makeBareTables(database)
  const bareIssued = await issueBare(database, programInstanceId)
  await holdBare(database)
  const bareSent = await sendBare(scene)
  note(`  it takes ${s(bareIssued)} and ${s(bareSent)}; the dispatch runs`)
  const idleRunning = await idle()
  note("sites opt out, and the dispatch is cancelled")
  const optedOut = await optOut(scene, first.id)
  const cancelled = await cancel(scene, first.id)
  const bareOptedOut = await optOutBare(postgres.url, deviceIds.slice(0, OPTED_OUT), OPT_OUTS_AT_ONCE)
  const bareCancelled = await cancelBare(database)
  note("a dispatch of many intervals begins")
  const many = await begin(scene, INTERVALS)
  await cancel(scene, many.id)
  note("dispatches have ended, and others are to begin")
  const { workspaceId } = platform.credentials
  await seedPast(database, { workspaceId, programInstanceId, ...PAST })
  const idleBeside = await idle()
  const beside = await begin(scene)
  await cancel(scene, beside.id)
  note("a dispatch is previewed")
  const previewedAfter = await preview(scene)
  return [
    { name: "a dispatch to 10,000 sites previewed", measured: previewedAfter, unit: "s", target: { atMost: 1 } },
    { name: "a dispatch to 10,000 sites announced", measured: first.announced, unit: "s", target: { atMost: 2 } },
    {
      name: "10,000 commands issued from the start on, against the bare loop",
      measured: first.issued / bareIssued,
      unit: "×",
      behind: `${s(first.issued)}, up to one of them until the runner looks, the bare loop ${s(bareIssued)}`
    },
    {
      name: "10,000 commands issued from the start on",
      measured: first.issued,
      unit: "s",
      target: { atMost: 10 }
    },
    {
      name: "10,000 commands sent from the start on",
      measured: sentAfter,
      unit: "s",
      behind: `the bare loop ${s(bareIssued + bareSent)}`
    },
    {
      name: "10,000 commands issued with 96 intervals, against one",
      measured: many.issued / first.issued,
      unit: "×",
      target: { atMost: 1.5 },
      behind: `${s(many.issued)} against ${s(first.issued)}`
    },
    {
      name: "1,000 sites opted out, 16 at once, against the bare loop",
      measured: optedOut / bareOptedOut,
      unit: "×",
      behind: `${s(optedOut)} against ${s(bareOptedOut)}`
    },
    {
      name: "a dispatch with the other 9,000 sites cancelled until all reverts are requested, against the bare loop",
      measured: cancelled.requested / bareCancelled,
      unit: "×",
      behind: `answered after ${s(cancelled.answered)}, requested after ${s(cancelled.requested)}, restored after ${s(cancelled.restored)}; the bare loop ${s(bareCancelled)}`
    },
    {
      name: "database time while 10,000 devices are in a dispatch and nothing is due",
      measured: idleRunning,
      unit: "ms",
      behind: `in a second; ${idleAlone.toFixed(2)} without a dispatch`
    },
    {
      name: "database time while idle beside 1,000,000 devices of ended and 1,000 scheduled dispatches, against without",
      measured: idleBeside / idleAlone,
      unit: "×",
      target: { atMost: 1.1 },
      behind: `${idleBeside.toFixed(2)} against ${idleAlone.toFixed(2)} ms in a second`
    },
    {
      name: "10,000 commands issued beside them, against without",
      measured: beside.issued / first.issued,
      unit: "×",
      target: { atMost: 1.5 },
      behind: `${s(beside.issued)} against ${s(first.issued)}`
    }
  ]
}

const measure = async (setting: Setting): Promise<ReadonlyArray<Figure>> => {
  const postgres = await startPostgres()
  const folder = await guardedFolder("edp-bench")
  const vendor = startVendor()
  const sink = await startRival("emptyServer.ts")
  const { port } = await vendor.ask({ windowMs: QUOTA_SECONDS * 1000, forget: true })
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
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${sink.port}`,
      NODE_OPTIONS: `--import=${preload}`
    }
  })
  const database = new Client({ connectionString: postgres.url })
  await database.connect()
  try {
    const { workspaceId } = platform.credentials
    const [deviceIds] = await seedBatteries(postgres.url, {
      workspaceId,
      encryptionKey: Buffer.from(sharedEncryptionKey, "base64"),
      manufacturers: ["unlimited"],
      each: DEVICES
    })
    await seedHomes(database, { workspaceId, homes: DEVICES })
    await settleDevices(database, deviceIds!)
    const programInstanceId = await seedInstance(platform, "evening-peak")
    await seedEnrollments(database, { workspaceId, homes: DEVICES, programInstanceId, varied: false })
    return await run(
      { platform, postgres, database, vendorPort: port, programInstanceId, deviceIds: deviceIds! },
      setting
    )
  } finally {
    await database.end()
    await platform.stop()
    await sink.stop()
    await vendor.stop()
    await postgres.stop()
    await folder.remove()
  }
}

/** Dispatches over 10,000 batteries: announced, issued, sent, opted out of and cancelled, and what the runner costs while idle. */
export const dispatches: Benchmark = { name: "dispatches", run: measure }
