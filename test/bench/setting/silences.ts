import { setTimeout } from "node:timers/promises"
import { Client } from "pg"

const POLL_MS = 100
const PATIENCE_MS = 300_000
const WINDOW_MINUTES = 15

export interface Sweep {
  /** The time of the instance from the first batch on; the last batch is assumed to take as long as the others. */
  readonly seconds: number
  readonly batches: number
}

/** Makes watched devices fall silent by the clock, and watches how they are noticed. */
export interface Silences {
  /** All devices are connected and have just been heard, and the service has seen to it. */
  readonly speakAll: () => Promise<void>
  /** So many devices after one have their last reading long ago; the service is to look at them from that instant on. */
  readonly fallSilent: (after: string, devices: number, lookAt: Date) => Promise<void>
  /** Waits until there are this many more alerts than before, and returns the sweep that raised them. */
  readonly noticed: (devices: number) => Promise<Sweep>
  readonly close: () => Promise<void>
}

export const openSilences = async (databaseUrl: string): Promise<Silences> => {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  let seen = new Date(0)

  const until = async (condition: string, parameters: ReadonlyArray<unknown> = []) => {
    for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await setTimeout(POLL_MS)) {
      const { rows } = await client.query<{ holds: boolean }>(`SELECT ${condition} AS holds`, [...parameters])
      if (rows[0]!.holds) return
    }
    throw new Error(`In vain waited for ${condition}`)
  }

  return {
    speakAll: async () => {
      await client.query("UPDATE devices SET disconnected_at = NULL WHERE disconnected_at IS NOT NULL")
      await client.query("UPDATE device_states SET at = now()")
      await until("NOT EXISTS (SELECT FROM device_watches WHERE check_at <= now())")
      await client.query("VACUUM ANALYZE")
    },
    fallSilent: async (after, devices, lookAt) => {
      await client.query(
        `WITH chosen AS MATERIALIZED (
            SELECT device_id FROM device_states WHERE device_id > $1 ORDER BY device_id LIMIT $2
          ), silent AS (
            UPDATE device_states SET at = at - $3 * interval '1 minute' FROM chosen
            WHERE device_states.device_id = chosen.device_id
          )
          UPDATE device_watches SET check_at = $4 FROM chosen WHERE device_watches.device_id = chosen.device_id`,
        [after, devices, WINDOW_MINUTES * 2, lookAt]
      )
    },
    noticed: async (devices) => {
      await until("(SELECT count(*) >= $1 FROM alerts WHERE created_at > $2)", [devices, seen])
      const { rows } = await client.query<{ first: Date; last: Date; batches: number }>(
        `SELECT min(created_at) AS first, max(created_at) AS last, count(DISTINCT created_at)::int AS batches
          FROM alerts WHERE created_at > $1`,
        [seen]
      )
      const { first, last, batches } = rows[0]!
      seen = last
      const between = (last.getTime() - first.getTime()) / 1000
      return { seconds: batches > 1 ? (between * batches) / (batches - 1) : between, batches }
    },
    close: () => client.end()
  }
}
