import type { Client } from "pg"
import { withoutIndexes } from "./withoutIndexes.ts"

export interface Searched {
  readonly workspaceId: string
  readonly devices: number
  /** Devices of ten other workspaces. */
  readonly ofOthers: number
}

/** A name among the oldest devices, one in a thousand streets, and words of a single record. */
export const words = { old: "Antique", street: "Alder", device: "Observatory", site: "Quarry" }

const listed = (...values: ReadonlyArray<string>) => `(ARRAY[${values.map((value) => `'${value}'`).join(", ")}])`
const pick = (values: string, n: string) => `${values}[1 + (${n})::int % cardinality(${values})]`

const rooms = listed("Garage", "Roof", "Cellar", "Porch", "Barn")
const types = listed("battery", "inverter", "battery", "meter", "charger", "thermostat", "inverter")
const firstNames = listed("Ada", "Ben", "Carla", "Dmitri", "Elena", "Farid", "Grace", "Hugo", "Ines", "Jonas", "Kofi")
const beginnings = listed("Al", "Bir", "Car", "Dun", "El", "Fair", "Gran", "Hol", "Ives", "John", "Kel", "Lin", "Mor")
const ends = listed("der", "ch", "ter", "bar", "mont", "field", "ville", "lock", "ton", "son", "sey", "den", "ris")
const cities = listed("Sacramento", "Denver", "Austin", "Portland", "Tucson", "Boise", "Springfield")

const idSql = (kind: string, n = "n") => `'c5${kind}' || lpad((${n})::text, 22, '0')`
const otherSql = (n: string) => idSql("w", n)
/** One of 169 names that are made of two parts. */
const nameSql = (n: string) => `${pick(beginnings, n)} || ${pick(ends, `${n} / 13`)}`

const statements = ({ devices, ofOthers, workspaceId }: Searched): ReadonlyArray<string> => {
  const all = devices + ofOthers
  // Those of other workspaces lie between the others, as they do where many grow at the same time.
  const workspaceSql = `CASE WHEN n % ${Math.round(all / ofOthers)} = 1 THEN ${otherSql("n / 11 % 10")} ELSE '${workspaceId}' END`
  const sites = all / 2
  return [
    `INSERT INTO workspaces SELECT ${otherSql("n")}, organization_id, 'Other ' || n, false, 'UTC', now(), now()
      FROM workspaces, generate_series(0, 9) AS n WHERE id = '${workspaceId}'`,
    `INSERT INTO sites (id, workspace_id, name, street_one, city, state, postal_code, country, state_key, postal_key,
        address_hash, latitude, longitude, tags, created_at, updated_at)
      SELECT ${idSql("s")}, ${workspaceSql}, CASE WHEN n % 3 > 0 THEN 'Home ' || n END,
        1 + n % 997 || CASE WHEN n = ${Math.round(sites / 3)} THEN ' ${words.site} Street' ELSE ' ' || ${nameSql("n * 31")} || ${pick(listed(" Street", " Road", " Avenue"), "n")} END,
        ${pick(cities, "n")}, 'CA', lpad((n % 90000)::text, 5, '0'), 'USA', 'CA', lpad((n % 90000)::text, 5, '0'),
        encode(sha256(n::text::bytea), 'hex'), 39.75, -105.0, '{}', now(), now()
      FROM generate_series(1, ${sites}) AS n`,
    `INSERT INTO customers (id, workspace_id, reference_id, first_name, last_name, email, phone, created_at, updated_at)
      SELECT ${idSql("u")}, ${workspaceSql}, 'user-' || n, ${pick(firstNames, "n")}, ${nameSql("n * 17")},
        lower(${pick(firstNames, "n")}) || '.' || n || '@example.com', '+1 916 ' || lpad(n::text, 7, '0'), now(), now()
      FROM generate_series(1, ${sites}) AS n`,
    `INSERT INTO accounts (id, workspace_id, manufacturer, external_id, name, reference_id, tags, status, created_at, updated_at)
      SELECT ${idSql("a")}, ${workspaceSql}, 'simulator', n::text, ${nameSql("n * 7")} || ' ' || n, 'user-' || n, '{}', 'connected', now(), now()
      FROM generate_series(1, ${sites / 2}) AS n`,
    `INSERT INTO devices (id, workspace_id, origin_workspace_id, site_id, name, manufacturer, manufacturer_device_id,
        serial_number, reference_id, model, type, commands, tags, direct, created_at, updated_at)
      SELECT ${idSql("d")}, workspace, workspace, ${idSql("s", `1 + n % ${sites}`)},
        CASE WHEN n = ${Math.round(all / 3)} THEN '${words.device}' ELSE ${pick(rooms, "n")} END || ' ' ||
          ${pick(types, "n")} || ' ' || CASE WHEN n < ${devices / 5} THEN '${words.old} ' ELSE '' END || n,
        ${pick(listed("generic", "simulator"), "n")}, 'INV-' || n * 7919::bigint % 10000019, 'SN' || substr(md5(n::text), 1, 10),
        'user-' || n % ${sites}, 'Model ' || n % 40, ${pick(types, "n")}, '{}', '{}', true, now(), now()
      FROM (SELECT n, ${workspaceSql} AS workspace FROM generate_series(1, ${all}) AS n) AS given`
  ]
}

/** The serial number of a device by its number. */
export const serialSql = (n: number) => `SELECT serial_number AS serial FROM devices WHERE id = ${idSql("d", `${n}`)}`

/** Fills workspaces with sites, customers, accounts and devices of many names. The client is of a superuser. */
export const seedSearch = async (client: Client, searched: Searched) => {
  await client.query("SET session_replication_role = replica; SET maintenance_work_mem = '256MB'")
  await withoutIndexes(client, ["sites", "customers", "accounts", "devices"], async () => {
    for (const statement of statements(searched)) await client.query(statement)
  })
  await client.query("SET session_replication_role = origin")
  await client.query("VACUUM ANALYZE sites, customers, accounts, devices")
}
