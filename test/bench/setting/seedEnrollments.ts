import type { Client } from "pg"
import { callAt } from "../../support/callAt.ts"
import type { Platform } from "./platform.ts"

export const siteId = (n: number): string => `cps${`${n}`.padStart(22, "0")}`
export const customerId = (n: number): string => `cpu${`${n}`.padStart(22, "0")}`
export const enrollmentId = (n: number): string => `cpe${`${n}`.padStart(22, "0")}`

const idSql = (kind: string, n = "n") => `'cp${kind}' || lpad((${n})::text, 22, '0')`

const created = async ({ port }: Platform, key: string, path: string, body: object): Promise<string> => {
  const response = await callAt(`http://127.0.0.1:${port}`, "POST", path, { key, body })
  if (response.status !== 201) throw new Error(`${path} answered ${response.status}: ${response.text}`)
  return response.body.id
}

/** Makes a program and an instance of it. Returns the instance's id. */
export const seedInstance = async (platform: Platform, slug: string): Promise<string> => {
  const { managementKey, serverKey } = platform.credentials
  await created(platform, managementKey, "/v1/programs", { slug, name: slug })
  return await created(platform, serverKey, "/v1/programInstances", {
    slug,
    programSlug: slug,
    title: slug,
    description: "",
    eligibilityCriteria: "",
    programTerms: ""
  })
}

export interface Homes {
  readonly workspaceId: string
  readonly homes: number
}

/** Makes homes: a customer with a site each. */
export const seedHomes = async (database: Client, { homes, workspaceId }: Homes): Promise<void> => {
  const numbers = `FROM generate_series(1, ${homes}) AS n`
  await database.query(`INSERT INTO sites (id, workspace_id, name, street_one, city, state, postal_code, country,
      state_key, postal_key, address_hash, latitude, longitude, tags, created_at, updated_at)
    SELECT ${idSql("s")}, '${workspaceId}', 'Home ' || n, n || ' Main Street', 'Denver', 'CO', '80202', 'USA', 'CO', '80202',
      encode(sha256(('home' || n)::bytea), 'hex'), 39.75, -105.0, '{}', now(), now() ${numbers}`)
  await database.query(`INSERT INTO customers (id, workspace_id, reference_id, first_name, last_name, email, created_at,
      updated_at)
    SELECT ${idSql("u")}, '${workspaceId}', 'home-' || n, 'Ada', 'Okafor', 'home' || n || '@example.com', now(), now()
    ${numbers}`)
  await database.query(`INSERT INTO customer_sites (workspace_id, customer_id, site_id)
    SELECT '${workspaceId}', ${idSql("u")}, ${idSql("s")} ${numbers}`)
  await database.query("ANALYZE sites, customers, customer_sites")
}

/** SQL of an enrollment's status: nine of ten are approved. */
const status = "(ARRAY['submitted', 'rejected', 'candidate', 'unenrolled'])[n / 10 % 4 + 1]"

/** Enrolls homes, all approved or of every status, a hundredth of them with each tag. */
export const seedEnrollments = async (
  database: Client,
  { homes, programInstanceId, varied, workspaceId }: Homes & { programInstanceId: string; varied: boolean }
): Promise<void> => {
  await database.query(`INSERT INTO enrollments (id, workspace_id, program_instance_id, identification_type, customer_id,
      site_id, status, reference_id, tags, submits, submitted_at, approved_at, unenrolled_at, created_at, updated_at)
    SELECT ${idSql("e")}, '${workspaceId}', '${programInstanceId}', 'customerId', ${idSql("u")}, ${idSql("s")}, status,
      'user-' || n, ARRAY['group-' || n % 100], false, at, CASE WHEN status IN ('approved', 'unenrolled') THEN at END,
      CASE WHEN status = 'unenrolled' THEN at + interval '1 day' END, at, at
    FROM generate_series(1, ${homes}) AS n, LATERAL (
      SELECT CASE WHEN ${varied} AND n % 10 = 0 THEN ${status} ELSE 'approved' END AS status,
        now() - interval '90 days' + n * interval '1 second' AS at) AS made`)
  await database.query("ANALYZE enrollments")
}

/** Puts each of these devices at the home of its number. */
export const settleDevices = async (database: Client, deviceIds: ReadonlyArray<string>): Promise<void> => {
  await database.query(
    `UPDATE devices SET site_id = ${idSql("s")} FROM unnest($1::text[]) WITH ORDINALITY AS given (id, n)
      WHERE devices.id = given.id`,
    [deviceIds]
  )
  await database.query("ANALYZE devices")
}

export interface Past {
  readonly workspaceId: string
  readonly programInstanceId: string
  /** Dispatches that have ended, and their sites, each with a device. */
  readonly ended: number
  readonly sites: number
  /** Dispatches that begin in a year. */
  readonly scheduled: number
}

const dispatches = (
  kind: string,
  count: number,
  { programInstanceId, workspaceId }: Past,
  start: string,
  status: string
) =>
  `INSERT INTO dispatches (id, workspace_id, program_instance_id, name, starts_at, ends_at, intervals, priority,
      randomize_start_seconds, voluntary, test, baseline, status, due_at, created_at, updated_at)
    SELECT ${idSql(kind)}, '${workspaceId}', '${programInstanceId}', 'Peak ' || n, at, at + interval '1 hour',
      json_build_array(json_build_object('startsAt', to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'durationSeconds', 3600, 'actions', json_build_object('battery', json_build_object('operatingMode', 'discharge')))),
      50, 0, true, n % 10 = 0, '{"method": "device-metered", "parameters": {}}', '${status}',
      CASE WHEN '${status}' = 'scheduled' THEN at END, at - interval '1 day', at
    FROM generate_series(1, ${count}) AS n, LATERAL (SELECT ${start} AS at) AS t`

/** Adds dispatches that have ended, with their sites and devices, and others that begin in a year. */
export const seedPast = async (database: Client, past: Past): Promise<void> => {
  const { ended, scheduled, sites } = past
  await database.query(dispatches("x", ended, past, "now() - n * interval '6 hours' - interval '1 day'", "completed"))
  await database.query(
    dispatches("y", scheduled, past, "now() + interval '300 days' + n * interval '1 minute'", "scheduled")
  )
  await database.query(`INSERT INTO dispatch_sites (dispatch_id, site_id, customer_id, enrollment_id, state, held_out,
      starts_at, reasons, updated_at)
    SELECT ${idSql("x", "d")}, ${idSql("s")}, ${idSql("u")}, ${idSql("e")},
      CASE WHEN n % 50 = 0 THEN 'failed' WHEN n % 25 = 0 THEN 'unresponsive' ELSE 'done' END, false, now(), '[]', now()
    FROM generate_series(1, ${ended}) AS d, generate_series(1, ${sites}) AS n`)
  await database.query(`INSERT INTO dispatch_devices (dispatch_id, device_id, site_id, type, phase, interval_index, code,
      outcome, unresponsive)
    SELECT ${idSql("x", "d")}, 'cd0' || lpad(n::text, 22, '0'), ${idSql("s")}, 'battery', 'ended', 0,
      CASE WHEN n % 25 = 0 THEN 'timeout' END, CASE WHEN n % 25 = 0 THEN 'failed' ELSE 'completed' END, n % 25 = 0
    FROM generate_series(1, ${ended}) AS d, generate_series(1, ${sites}) AS n`)
  await database.query("VACUUM ANALYZE dispatches, dispatch_sites, dispatch_devices")
}
