import { Client } from "pg"

export interface History {
  readonly deviceId: string
  readonly readings: number
  /** Between two readings. */
  readonly seconds: number
}

const AT_ONCE = 1_000_000

const seedReadings = ({ deviceId, seconds }: History, last: Date, from: number, to: number) => `
  INSERT INTO readings (device_id, at, id, state)
  SELECT '${deviceId}', timestamptz '${last.toISOString()}' - n * interval '${seconds} seconds', 'c1' || lpad(n::text, 23, '0'),
    jsonb_build_object('power', 3000 + n % 1000, 'lifetimeEnergyGenerated', 20000000 - n, 'gridPower', -1200 + n % 400)
  FROM generate_series(${from}, ${to}) AS n`

const moveState = ({ deviceId, readings, seconds }: History, last: Date) => `
  UPDATE device_states SET (reading_id, at, first_at, state, counted_until) = (
    SELECT id, at, at - ${readings - 1} * interval '${seconds} seconds', state, NULL::timestamptz FROM readings
    WHERE device_id = '${deviceId}' AND at = timestamptz '${last.toISOString()}'
  ) WHERE device_id = '${deviceId}'`

/**
 * Gives a device that many readings, the newest at `last`, and leaves all else as their ingest does: nothing of them is
 * counted yet.
 */
export const seedHistory = async (databaseUrl: string, history: History, last: Date): Promise<void> => {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const first = new Date(last.getTime() - (history.readings - 1) * history.seconds * 1000)
    await client.query(`SELECT ensure_readings_partition(month::date) FROM generate_series(
      date_trunc('month', timestamp '${first.toISOString().slice(0, 19)}'), timestamp '${last.toISOString().slice(0, 19)}', interval '1 month') AS month`)
    for (let from = 0; from < history.readings; from += AT_ONCE) {
      const to = Math.min(history.readings, from + AT_ONCE) - 1
      await client.query(seedReadings(history, last, from, to))
    }
    await client.query(moveState(history, last))
    await client.query("VACUUM ANALYZE readings")
  } finally {
    await client.end()
  }
}
