import { randomBytes } from "node:crypto"
import { credentialsPurpose } from "@edp/server/accounts/accountRow"
import { NONCE_BYTES, seal } from "@edp/server/platform/secrets/sealed"
import { Client } from "pg"
import type { PostgresServer } from "../../support/PostgresServer.ts"

const id = (kind: string, number: number) => `c${kind}${`${number}`.padStart(23, "0")}`

export interface Batteries {
  readonly workspaceId: string
  readonly encryptionKey: Uint8Array
  /** One account of each has all of its batteries. */
  readonly manufacturers: ReadonlyArray<string>
  readonly each: number
}

/** Links batteries, each tagged with its manufacturer. Returns the ids of each manufacturer's. */
export const seedBatteries = async (
  databaseUrl: string,
  { each, encryptionKey, manufacturers, workspaceId }: Batteries
): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const all: Array<ReadonlyArray<string>> = []
    for (const [index, slug] of manufacturers.entries()) {
      const accountId = id("a", index)
      const credentials = JSON.stringify({ token: "benchmark" })
      const sealed = seal(encryptionKey, randomBytes(NONCE_BYTES), credentialsPurpose(accountId), credentials)
      await client.query(
        `INSERT INTO accounts (id, workspace_id, manufacturer, external_id, name, reference_id, tags, status,
          sealed_credentials, connected_at, created_at, updated_at)
          VALUES ($1, $2, $3, $3, $3, $3, '{}', 'connected', $4, now(), now(), now())`,
        [accountId, workspaceId, slug, Buffer.from(sealed)]
      )
      const { rows } = await client.query<{ id: string }>(
        `INSERT INTO devices (id, workspace_id, origin_workspace_id, account_id, name, manufacturer,
            manufacturer_device_id, reference_id, model, type, commands, tags, direct, connected_at, created_at, updated_at)
          SELECT 'cd${index}' || lpad(n::text, 22, '0'), $1, $1, $2, 'Battery ' || n, $3::text, 'B-' || n, 'user-' || n,
            'Battery', 'battery', '{battery:set-reserve,battery:set-operating-mode}', ARRAY[$3::text], false, now(), now(), now()
          FROM generate_series(1, $4::int) AS n RETURNING id`,
        [workspaceId, accountId, slug, each]
      )
      all.push(rows.map((row) => row.id))
    }
    await client.query("ANALYZE devices, accounts")
    return all
  } finally {
    await client.end()
  }
}

/** Adds commands of devices of a manufacturer that wait for a time in a year, and the devices' work. */
export const seedWaiting = async (
  { adminUrl, url }: PostgresServer,
  {
    commands,
    manufacturer,
    workspaceId
  }: { readonly commands: number; readonly manufacturer: string; readonly workspaceId: string }
): Promise<void> => {
  const database = new URL(adminUrl)
  database.pathname = new URL(url).pathname
  const client = new Client({ connectionString: database.href })
  await client.connect()
  try {
    // The devices themselves are left out: nothing looks at them until their commands are due.
    await client.query("SET session_replication_role = replica")
    await client.query(
      `INSERT INTO commands (id, workspace_id, device_id, type, input, source, status, issued_at, scheduled_for,
          expires_at, due_at, deadline)
        SELECT 'cw0' || lpad(n::text, 22, '0'), $1, 'cw1' || lpad(n::text, 22, '0'), 'battery:set-reserve',
          '{"chargePercentage": 30}', 'user', 'scheduled', now(), at, at + interval '15 minutes', at,
          at + interval '15 minutes'
        FROM generate_series(1, $2::int) AS n, LATERAL (SELECT now() + interval '300 days' + n * interval '1 second' AS at) t`,
      [workspaceId, commands]
    )
    await client.query(
      `INSERT INTO device_work (device_id, manufacturer, due_at)
        SELECT device_id, $1, due_at FROM commands WHERE id LIKE 'cw0%'`,
      [manufacturer]
    )
    await client.query("SET session_replication_role = origin")
    await client.query("VACUUM ANALYZE commands, device_work")
    await client.query("CHECKPOINT")
  } finally {
    await client.end()
  }
}
