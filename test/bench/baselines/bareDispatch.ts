import { Client } from "pg"

/** Rows that one transaction of the bare loop writes. */
const BATCH = 1000

const chunks = <A>(items: ReadonlyArray<A>) =>
  Array.from({ length: Math.ceil(items.length / BATCH) }, (_, at) => items.slice(at * BATCH, (at + 1) * BATCH))

const tables = {
  bare_devices: "dispatch_devices",
  bare_sites: "dispatch_sites",
  bare_commands: "commands",
  bare_work: "device_work",
  bare_modes: "forced_modes"
}

/** Empty tables with the columns and indexes of the platform's. */
export const makeBareTables = async (database: Client): Promise<void> => {
  for (const [bare, original] of Object.entries(tables)) {
    await database.query(`DROP TABLE IF EXISTS ${bare}`)
    await database.query(`CREATE TABLE ${bare} (LIKE ${original} INCLUDING ALL)`)
  }
}

const asTransaction = async <A>(database: Client, work: () => Promise<A>): Promise<A> => {
  await database.query("BEGIN")
  const result = await work()
  await database.query("COMMIT")
  return result
}

interface Enrolled {
  readonly deviceId: string
  readonly siteId: string
  readonly customerId: string
  readonly enrollmentId: string
  readonly manufacturer: string
}

/** Reads the enrolled devices and writes the rows of a dispatch that commands them. Returns the seconds. */
export const issueBare = async (database: Client, programInstanceId: string): Promise<number> => {
  const began = performance.now()
  const { rows } = await database.query<Enrolled>(
    `SELECT d.id AS "deviceId", d.site_id AS "siteId", e.customer_id AS "customerId", e.id AS "enrollmentId", d.manufacturer
      FROM enrollments e JOIN devices d ON d.site_id = e.site_id AND d.disconnected_at IS NULL
      WHERE e.program_instance_id = $1 AND e.status = 'approved' ORDER BY d.id`,
    [programInstanceId]
  )
  for (const some of chunks(rows)) {
    const given = JSON.stringify(some)
    const from = `FROM jsonb_to_recordset($1::jsonb) AS g ("deviceId" text, "siteId" text, "customerId" text,
      "enrollmentId" text, manufacturer text)`
    await asTransaction(database, async () => {
      await database.query(
        `INSERT INTO bare_sites (dispatch_id, site_id, customer_id, enrollment_id, state, held_out, starts_at, reasons,
            updated_at)
          SELECT 'bare', "siteId", "customerId", "enrollmentId", 'running', false, now(), '[]', now() ${from}`,
        [given]
      )
      await database.query(
        `INSERT INTO bare_devices (dispatch_id, device_id, site_id, type, phase, interval_index, command_id, due_at)
          SELECT 'bare', "deviceId", "siteId", 'battery', 'commanded', 0, "deviceId", now() + interval '1 hour' ${from}`,
        [given]
      )
      await database.query(
        `INSERT INTO bare_work (device_id, manufacturer, due_at) SELECT "deviceId", manufacturer, now() ${from}
          ON CONFLICT (device_id) DO UPDATE SET due_at = excluded.due_at`,
        [given]
      )
      await database.query(
        `INSERT INTO bare_commands (id, workspace_id, device_id, type, input, source, source_id, status, issued_at,
            expires_at, revert_after, due_at, deadline)
          SELECT "deviceId", 'bare', "deviceId", 'battery:set-operating-mode', '{"operatingMode": "discharge"}',
            'dispatch', 'bare', 'pending', now(), now() + interval '15 minutes', 3600, now(),
            now() + interval '15 minutes' ${from}`,
        [given]
      )
    })
  }
  return (performance.now() - began) / 1000
}

/** Gives each device of the bare dispatch a mode that holds. */
export const holdBare = async (database: Client): Promise<void> => {
  await database.query(`INSERT INTO bare_modes (device_id, command_id, mode, source, snapshot, phase, began_at, until,
      due_at)
    SELECT device_id, command_id, 'discharge', 'dispatch', '{"mode": "self-consumption"}', 'holding', now(),
      now() + interval '1 hour', now() + interval '1 hour' FROM bare_devices`)
}

const revert = async (database: Client, deviceIds: ReadonlyArray<string>, state: string) => {
  await database.query({
    name: "bare modes",
    text: "UPDATE bare_modes SET phase = 'ending', due_at = now(), until = now() WHERE device_id = ANY($1)",
    values: [deviceIds]
  })
  await database.query({
    name: "bare work",
    text: "UPDATE bare_work SET due_at = now() WHERE device_id = ANY($1)",
    values: [deviceIds]
  })
  await database.query({
    name: "bare sites",
    text: `UPDATE bare_sites s SET state = $2, updated_at = now() FROM bare_devices d
      WHERE d.dispatch_id = 'bare' AND d.device_id = ANY($1) AND s.dispatch_id = 'bare' AND s.site_id = d.site_id`,
    values: [deviceIds, state]
  })
  await database.query({
    name: "bare devices",
    text: `UPDATE bare_devices SET phase = 'reverting', attempts = 1, due_at = now() + interval '2 seconds'
      WHERE dispatch_id = 'bare' AND device_id = ANY($1)`,
    values: [deviceIds]
  })
}

/** Opts sites out, each in a transaction of its own, some at once. Returns the seconds. */
export const optOutBare = async (
  url: string,
  deviceIds: ReadonlyArray<string>,
  concurrency: number
): Promise<number> => {
  const clients = Array.from({ length: concurrency }, () => new Client({ connectionString: url }))
  await Promise.all(clients.map((client) => client.connect()))
  const began = performance.now()
  let next = 0
  const loop = async (client: Client) => {
    while (next < deviceIds.length) {
      const deviceId = deviceIds[next++]!
      await asTransaction(client, () => revert(client, [deviceId], "opted_out"))
    }
  }
  await Promise.all(clients.map(loop))
  const seconds = (performance.now() - began) / 1000
  await Promise.all(clients.map((client) => client.end()))
  return seconds
}

/** Ends the bare dispatch at all devices. Returns the seconds. */
export const cancelBare = async (database: Client): Promise<number> => {
  const began = performance.now()
  const { rows } = await database.query<{ id: string }>(
    "SELECT device_id AS id FROM bare_devices WHERE phase = 'commanded' ORDER BY 1"
  )
  for (const some of chunks(rows)) {
    await asTransaction(database, () =>
      revert(
        database,
        some.map(({ id }) => id),
        "done"
      )
    )
  }
  return (performance.now() - began) / 1000
}
