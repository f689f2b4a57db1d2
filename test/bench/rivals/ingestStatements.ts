import type { Pool, PoolClient } from "pg"
import type { Key } from "./sameWork.ts"

export interface Push {
  readonly keyHash: Buffer
  /** Present where the key was looked up before. */
  readonly key?: Key | undefined
  readonly deviceId: string
  readonly at: Date
  readonly readingId: string
  readonly state: string
}

/** Whether the reading was stored, or nothing when the key is not one that may push. */
export type Ingest = (push: Push) => Promise<boolean | undefined>

const liveKey = `SELECT id FROM api_keys WHERE key_hash = $1 AND type = 'MANUFACTURER' AND revoked_at IS NULL
  AND (expires_at IS NULL OR expires_at > now())`

// Named queries are prepared once a connection.
const findKey = (push: Push) => ({ name: "key", text: liveKey, values: [push.keyHash] })

const insertReading = (push: Push) => ({
  name: "reading",
  text: "INSERT INTO readings (device_id, at, id, state) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
  values: [push.deviceId, push.at, push.readingId, push.state]
})

const moveState = (push: Push) => ({
  name: "state",
  text: `UPDATE device_states SET reading_id = $2, at = $3, state = $4 WHERE device_id = $1 AND at < $3`,
  values: [push.deviceId, push.readingId, push.at, push.state]
})

const inTransaction = async (client: PoolClient, push: Push) => {
  await client.query({ name: "begin", text: "BEGIN" })
  const key = await client.query(findKey(push))
  if (key.rowCount === 0) {
    await client.query({ name: "rollback", text: "ROLLBACK" })
    return undefined
  }
  const inserted = await client.query(insertReading(push))
  await client.query(moveState(push))
  await client.query({ name: "commit", text: "COMMIT" })
  return inserted.rowCount === 1
}

// Statements that need no result in between are sent together; after a failed statement COMMIT rolls back.
const pipelined = async (client: PoolClient, push: Push) => {
  const [, key] = await Promise.all([client.query({ name: "begin", text: "BEGIN" }), client.query(findKey(push))])
  if (key.rowCount === 0) {
    await client.query({ name: "rollback", text: "ROLLBACK" })
    return undefined
  }
  const [inserted] = await Promise.all([
    client.query(insertReading(push)),
    client.query(moveState(push)),
    client.query({ name: "commit", text: "COMMIT" })
  ])
  return inserted.rowCount === 1
}

const transaction =
  (pool: Pool, run: typeof inTransaction): Ingest =>
  async (push) => {
    const client = await pool.connect()
    try {
      return await run(client, push)
    } catch (error) {
      await client.query("ROLLBACK")
      throw error
    } finally {
      client.release()
    }
  }

const everything = `WITH key AS (${liveKey}), stored AS (
    INSERT INTO readings (device_id, at, id, state) SELECT $2, $3::timestamptz, $4, $5::jsonb FROM key
    ON CONFLICT DO NOTHING RETURNING 1
  ), moved AS (
    UPDATE device_states SET reading_id = $4, at = $3::timestamptz, state = $5::jsonb
    WHERE device_id = $2 AND at < $3::timestamptz AND EXISTS (SELECT FROM key)
  )
  SELECT (SELECT count(*) FROM stored)::int AS stored FROM key`

const statement =
  (pool: Pool): Ingest =>
  async ({ keyHash, deviceId, at, readingId, state }) => {
    const { rows } = await pool.query<{ readonly stored: number }>({
      name: "everything",
      text: everything,
      values: [keyHash, deviceId, at, readingId, state]
    })
    return rows[0] === undefined ? undefined : rows[0].stored === 1
  }

/** A table with the columns and the indexes of events, so that the platform does not deliver those of its peer. */
export const createEvents = (pool: Pool) =>
  pool.query("CREATE TABLE IF NOT EXISTS peer_events (LIKE events INCLUDING ALL)")

/**
 * All that the platform stores of a push: the reading, the current state and its event, for a device that belongs to the key's workspace,
 * is direct, and is of a manufacturer in the key's scope.
 */
const complete = `WITH device AS (
    SELECT id, workspace_id, site_id FROM devices
    WHERE id = $1 AND workspace_id = $5 AND manufacturer = ANY($6::text[]) AND direct AND type = 'inverter' FOR KEY SHARE
  ), stored AS (
    INSERT INTO readings (device_id, at, id, state) SELECT id, $2::timestamptz, $3, $4::jsonb FROM device
    ON CONFLICT DO NOTHING RETURNING id
  ), moved AS (
    UPDATE device_states SET reading_id = $3, at = $2::timestamptz, state = $4::jsonb
    WHERE device_id = $1 AND at < $2::timestamptz AND EXISTS (SELECT FROM stored) RETURNING 1
  ), published AS (
    INSERT INTO peer_events (id, sequence, workspace_id, type, subject, device_id, site_id, created_at, reading_at)
    SELECT $3, nextval('event_sequence'), workspace_id, 'DEVICE_UPDATED', id, id, site_id, now(), $2::timestamptz
    FROM device, moved
  )
  SELECT (SELECT count(*) FROM stored)::int AS stored FROM device`

const whole =
  (pool: Pool): Ingest =>
  async ({ key, deviceId, at, readingId, state }) => {
    const { rows } = await pool.query<{ readonly stored: number }>({
      name: "complete",
      text: complete,
      values: [deviceId, at, readingId, state, key!.workspaceId, key!.manufacturerScope]
    })
    return rows[0] === undefined ? undefined : rows[0].stored === 1
  }

/** The ingestMethods in which a rival stores a reading. `whole` needs a key that was looked up before. */
export const ingestMethods = {
  whole,
  transaction: (pool: Pool) => transaction(pool, inTransaction),
  pipelined: (pool: Pool) => transaction(pool, pipelined),
  statement
}
export type IngestMethod = keyof typeof ingestMethods
