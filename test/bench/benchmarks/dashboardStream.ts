import { setTimeout } from "node:timers/promises"
import { Client } from "pg"
import type { Benchmark, Figure, Setting } from "../Figure.ts"
import { idleDatabaseTime } from "../setting/idleDatabaseTime.ts"
import { openStreams } from "../setting/openStreams.ts"
import { onPostgres, type PostgresSetting } from "../setting/postgresSetting.ts"

const DEVICES = 100_000
const STREAMS = 100
const SECONDS = 20

/** Reports of the whole fleet for some minutes, whose events no one can see yet. */
const prepareReports = `INSERT INTO events
    (id, sequence, workspace_id, type, subject, device_id, created_at, reading_at)
  SELECT 'e' || md5(id || minute), (SELECT last_value FROM event_sequence) + row_number() OVER (ORDER BY minute, md5(id)),
    workspace_id, 'DEVICE_UPDATED', id, id, now(), now()
  FROM devices CROSS JOIN generate_series(1, $1) AS minute`

/**
 * Lets the whole fleet report once a minute, until it is stopped. The events are written before, and each second the sequence moves
 * over those that are due: writing them meanwhile would take more of the database's time than what is measured.
 */
const startReports = async (client: Client, minutes: number) => {
  await client.query("SELECT ensure_events_partition(now()::date)")
  await client.query(prepareReports, [minutes])
  await client.query("VACUUM ANALYZE events")
  const stopping = new AbortController()
  const run = async () => {
    while (!stopping.signal.aborted) {
      const next = setTimeout(1000)
      await client.query("SELECT setval('event_sequence', last_value + $1) FROM event_sequence", [
        Math.round(DEVICES / 60)
      ])
      await next
    }
  }
  const ended = run()
  return async () => {
    stopping.abort()
    await ended
  }
}

const measure = async (
  { deviceIds, platform, postgres }: PostgresSetting,
  { note, patience }: Setting
): Promise<ReadonlyArray<Figure>> => {
  const database = new Client({ connectionString: postgres.url })
  await database.connect()
  await database.query("UPDATE device_states SET at = now()")
  await database.query("VACUUM ANALYZE")
  const writer = new Client({ connectionString: postgres.url })
  await writer.connect()
  const stopReports = await startReports(writer, 2 + Math.ceil((SECONDS * patience * 3) / 60))
  try {
    note("no stream is open")
    const without = await idleDatabaseTime(database, SECONDS * patience)
    const open = async (count: number) => {
      const url = `http://127.0.0.1:${platform.port}`
      const streams = await openStreams(url, platform.credentials.managementKey, count, deviceIds)
      const working = await idleDatabaseTime(database, SECONDS * patience)
      const perSecond = streams.close()
      return { added: Math.max(0, working - without), perSecond }
    }
    note("one stream is open")
    const one = await open(1)
    note(`${STREAMS} streams are open`)
    const many = await open(STREAMS)
    return [
      {
        name: `database time of ${STREAMS} streams, of each second, while ${DEVICES} devices report every minute`,
        measured: many.added,
        unit: "ms",
        target: { atMost: 100 },
        behind: `${without.toFixed(0)} ms without any; ${many.perSecond.toFixed(0)} messages/s`
      },
      {
        name: "the same of one stream",
        measured: one.added,
        unit: "ms",
        behind: `${one.perSecond.toFixed(0)} messages/s`
      }
    ]
  } finally {
    await stopReports()
    await writer.end()
    await database.end()
  }
}

/** Open pages cost the database little, however many there are. */
export const dashboardStream: Benchmark = {
  name: "dashboard-stream",
  run: (setting) => {
    setting.note("makes a hundred thousand devices")
    return onPostgres(setting, { devices: DEVICES }, (on) => measure(on, setting))
  }
}
