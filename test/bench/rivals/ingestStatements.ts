import type { Pool, PoolClient } from "pg"

export interface Push {
  readonly keyHash: Buffer
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

/** The ingestMethods in which a rival stores a reading. */
export const ingestMethods = {
  transaction: (pool: Pool) => transaction(pool, inTransaction),
  pipelined: (pool: Pool) => transaction(pool, pipelined),
  statement
}
export type IngestMethod = keyof typeof ingestMethods
