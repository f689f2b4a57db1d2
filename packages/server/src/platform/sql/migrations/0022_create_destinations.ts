import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Where events go. Secrets are sealed; `after_sequence` is the last event before the destination was made, so that it gets
 * none from before its time. `failing_since` is the first failure since the last success.
 */
const destinations = [
  `CREATE TABLE encryption_keys (
    fingerprint bytea PRIMARY KEY,
    taken_at timestamptz NOT NULL
  )`,
  `CREATE TABLE destinations (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    label text,
    destination_type text NOT NULL,
    device_type text,
    event_types text[] NOT NULL,
    url text,
    email text,
    phone_number text,
    manufacturer text,
    kafka_config jsonb,
    include_weather boolean,
    sealed_secret bytea,
    sealed_previous_secret bytea,
    previous_secret_until timestamptz,
    sealed_headers bytea,
    sealed_password bytea,
    after_sequence bigint NOT NULL,
    failing_since timestamptz,
    deactivated_at timestamptz,
    deactivated_reason text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  )`,
  `CREATE INDEX destinations_by_workspace ON destinations (workspace_id, id DESC)`,
  `CREATE UNIQUE INDEX destinations_manufacturer_key ON destinations (workspace_id, manufacturer)
    WHERE destination_type = 'MANUFACTURER_COMMAND' AND deactivated_at IS NULL`
]

/**
 * An event on its way to a destination. Those of one lane go one after the other: the lane is the event's subject, or the
 * delivery's own once later events have passed it. Nothing here refers to the destination: what is left of a deleted one is
 * cleared away in parts.
 */
const deliveries = [
  `CREATE TABLE deliveries (
    id text COLLATE "C" PRIMARY KEY,
    destination_id text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    lane text COLLATE "C" NOT NULL,
    sequence bigint NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    event_type text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL DEFAULT 'pending',
    failures integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz,
    created_at timestamptz NOT NULL,
    completed_at timestamptz
  )`,
  `CREATE UNIQUE INDEX deliveries_key ON deliveries (destination_id, event_id)`,
  `CREATE INDEX deliveries_of_lane ON deliveries (destination_id, lane, sequence) WHERE status = 'pending'`,
  `CREATE INDEX deliveries_by_destination ON deliveries (destination_id, id DESC)`,
  `CREATE INDEX deliveries_failed ON deliveries (destination_id, id DESC) WHERE status = 'failed'`,
  `CREATE TABLE delivery_attempts (
    delivery_id text COLLATE "C" NOT NULL REFERENCES deliveries ON DELETE CASCADE,
    attempted_at timestamptz NOT NULL,
    status_code integer,
    duration_ms integer NOT NULL,
    error text,
    response_body text,
    PRIMARY KEY (delivery_id, attempted_at)
  )`
]

/**
 * The lanes that have something to deliver. `due_at` is when a worker may take one; while a worker has it, when its claim
 * ends. `newest` is the last sequence in the lane, so that who empties it notices what has come meanwhile. A queue is a
 * destination that has lanes, with the pause that its failures have earned it; where its messages are limited, how many went
 * out in its last hour, and whether that hour was used up. A cursor is how far a workspace's events have been given to its
 * destinations.
 */
const lanes = [
  `CREATE TABLE delivery_lanes (
    destination_id text COLLATE "C" NOT NULL,
    lane text COLLATE "C" NOT NULL,
    due_at timestamptz NOT NULL,
    claim uuid,
    newest bigint NOT NULL,
    PRIMARY KEY (destination_id, lane)
  )`,
  `CREATE INDEX delivery_lanes_due ON delivery_lanes (destination_id, due_at)`,
  `CREATE TABLE delivery_queues (
    destination_id text COLLATE "C" PRIMARY KEY,
    failures integer NOT NULL DEFAULT 0,
    not_before timestamptz NOT NULL DEFAULT '-infinity',
    hour timestamptz,
    sent integer NOT NULL DEFAULT 0,
    used_up boolean NOT NULL DEFAULT false
  )`,
  `CREATE TABLE event_cursors (
    workspace_id text COLLATE "C" PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE,
    sequence bigint NOT NULL,
    since timestamptz NOT NULL
  )`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of [...destinations, ...deliveries, ...lanes]) yield* sql.unsafe(statement)
})
