import { createHash, randomBytes } from "node:crypto"
import { generateKey } from "@edp/domain/auth/keyFormat"
import type { Client } from "pg"

export interface VenCredentials {
  readonly id: string
  readonly secret: string
  /** The only target that it was granted. */
  readonly target: string
}

export interface VtnFleet {
  readonly workspaceId: string
  readonly vens: number
  readonly zones: number
  /** Events of each zone that are over, and those that are not. */
  readonly pastEvents: number
  readonly activeEvents: number
}

const cuid = (kind: string, n: number) => `c6${kind}${String(n).padStart(22, "0")}`
const zone = (n: number) => `zone-${n}`

/** Clients with a ven each, and a program with events for each zone. */
export const seedVens = async (client: Client, fleet: VtnFleet): Promise<ReadonlyArray<VenCredentials>> => {
  const { activeEvents, pastEvents, vens, workspaceId, zones } = fleet
  const clients = Array.from({ length: vens }, (_, n) => ({
    id: cuid("k", n),
    secret: generateKey("OPENADR_VEN", randomBytes),
    target: zone(n % zones)
  }))
  await client.query(
    `INSERT INTO api_keys (id, organization_id, workspace_id, name, type, key_hash, key_prefix, created_at)
      SELECT key.id, organization_id, workspaces.id, 'VEN', 'OPENADR_VEN', key.hash, key.prefix, now()
      FROM workspaces, unnest($2::text[], $3::bytea[], $4::text[]) AS key (id, hash, prefix) WHERE workspaces.id = $1`,
    [
      workspaceId,
      clients.map(({ id }) => id),
      clients.map(({ secret }) => createHash("sha256").update(secret).digest()),
      clients.map(({ secret }) => secret.slice(0, 12))
    ]
  )
  await client.query(
    `INSERT INTO vtn_vens (id, workspace_id, client_id, body, created_at, modified_at, ven_name, targets)
      SELECT 'c6v' || lpad(n::text, 22, '0'), $1, client, jsonb_build_object('venName', 'ven-' || n), now(), now(),
        'ven-' || n, ARRAY[target]
      FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS given (client, target, n)`,
    [workspaceId, clients.map(({ id }) => id), clients.map(({ target }) => target)]
  )
  await client.query(
    `INSERT INTO vtn_programs (id, workspace_id, client_id, body, created_at, modified_at, program_name, targets)
      SELECT 'c6p' || lpad(n::text, 22, '0'), $1, 'seed', jsonb_build_object('programName', 'program ' || n), now(), now(),
        'program ' || n, ARRAY['zone-' || n]
      FROM generate_series(0, $2::int - 1) AS n`,
    [workspaceId, zones]
  )
  await client.query(
    `INSERT INTO vtn_events (id, workspace_id, client_id, body, created_at, modified_at, vtn_program_id, priority, targets, ends_at)
      SELECT 'c6e' || lpad((zone * $3::int + n)::text, 22, '0'), $1, 'seed',
        jsonb_build_object('programID', 'c6p' || lpad(zone::text, 22, '0'), 'eventName', 'event ' || n, 'priority', n % 3,
          'intervalPeriod', jsonb_build_object('start', '2026-01-01T00:00:00Z', 'duration', 'PT1H'),
          'payloadDescriptors', jsonb_build_array(jsonb_build_object('objectType', 'EVENT_PAYLOAD_DESCRIPTOR',
            'payloadType', 'PRICE', 'units', 'KWH', 'currency', 'USD')),
          'intervals', (SELECT jsonb_agg(jsonb_build_object('id', i, 'payloads',
            jsonb_build_array(jsonb_build_object('type', 'PRICE', 'values', jsonb_build_array(i * 0.01))))) FROM generate_series(0, 23) AS i)),
        now(), now(), 'c6p' || lpad(zone::text, 22, '0'), n % 3, ARRAY['zone-' || zone],
        now() + CASE WHEN n < $4::int THEN interval '1 day' ELSE n * interval '-1 hour' END
      FROM generate_series(0, $2::int - 1) AS zone, generate_series(0, $3::int - 1) AS n`,
    [workspaceId, zones, pastEvents + activeEvents, activeEvents]
  )
  await client.query("VACUUM ANALYZE api_keys, vtn_vens, vtn_programs, vtn_events")
  return clients
}
