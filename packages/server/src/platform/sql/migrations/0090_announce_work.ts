import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const announcement = `CREATE FUNCTION announce_work() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_notify('edp_work', TG_ARGV[0]);
    RETURN NULL;
  END
  $$`

/**
 * A transaction that announces waits for others that do while it commits. Events are written all the time, so only one transaction at a
 * time announces them: who is notified looks again for as long as others are open.
 */
const announcementOfEvents = `CREATE FUNCTION announce_events() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF pg_try_advisory_xact_lock(hashtextextended('announced events', 0)) THEN
      PERFORM pg_notify('edp_work', 'events');
    END IF;
    RETURN NULL;
  END
  $$`

/** A row is announced when it is due earlier than before: whoever waits knows the due times until then. */
const earlier = (column: string) => `coalesce(NEW.${column}, 'infinity') < coalesce(OLD.${column}, 'infinity')`

interface Announced {
  readonly table: string
  readonly topic: string
  /** Conditions of the row; false where there is no announcement. */
  readonly inserted: string
  readonly updated: string
}

const announced: ReadonlyArray<Announced> = [
  {
    table: "account_work",
    topic: "accounts",
    inserted: "NEW.due_at < 'infinity'",
    // Most accounts are read again minutes later, which the longest wait covers.
    updated: `NEW.claim IS NULL AND ${earlier("due_at")} AND NEW.due_at < now() + interval '1 minute'`
  },
  {
    table: "batch_commands",
    topic: "batches",
    inserted: "NEW.watched",
    updated: "NEW.watched AND NOT OLD.watched"
  },
  {
    table: "commands",
    topic: "confirmations",
    inserted: "false",
    updated: `NEW.status = 'delivered' AND (OLD.status <> 'delivered' OR ${earlier("due_at")})
      OR NEW.effect_until IS NOT NULL AND (OLD.effect_until IS NULL OR ${earlier("due_at")})
      OR NEW.interruptions > 1 AND OLD.interruptions <= 1`
  },
  {
    table: "commands",
    topic: "time-outs",
    inserted: "NEW.deadline > '-infinity'",
    updated: earlier("deadline")
  },
  {
    table: "delivery_lanes",
    topic: "deliveries",
    inserted: "NEW.due_at < 'infinity'",
    updated: `NEW.claim IS NULL AND ${earlier("due_at")}`
  },
  {
    table: "delivery_queues",
    topic: "deliveries",
    inserted: "false",
    updated: earlier("not_before")
  },
  {
    table: "device_watches",
    topic: "silent devices",
    inserted: "NEW.check_at < 'infinity'",
    updated: earlier("check_at")
  },
  {
    table: "device_work",
    topic: "commands",
    inserted: "NEW.due_at < 'infinity'",
    updated: `NEW.claim IS NULL AND (${earlier("due_at")} OR OLD.claim IS NOT NULL AND NEW.due_at < 'infinity')
      OR NEW.left_to IS NOT NULL AND NEW.left_to IS DISTINCT FROM OLD.left_to`
  },
  {
    table: "dispatch_devices",
    topic: "dispatches",
    inserted: "NEW.due_at < 'infinity'",
    updated: earlier("due_at")
  },
  {
    table: "dispatches",
    topic: "dispatches",
    inserted: "NEW.due_at < 'infinity'",
    updated: `${earlier("due_at")} OR NEW.status = 'running' AND OLD.status <> 'running'`
  },
  {
    table: "enrollment_emails",
    topic: "mails of enrollments",
    inserted: "NEW.due_at < 'infinity'",
    updated: earlier("due_at")
  },
  {
    table: "enrollments",
    topic: "candidates",
    inserted: "NEW.status = 'candidate' AND NEW.submits",
    updated: `NEW.status = 'candidate' AND NEW.submits AND NOT (OLD.status = 'candidate' AND OLD.submits)`
  },
  {
    table: "lease_holders",
    topic: "lease holders",
    inserted: "true",
    updated: "false"
  },
  {
    table: "schedules",
    topic: "schedules",
    inserted: "NEW.next_transition_at < 'infinity'",
    updated: earlier("next_transition_at")
  },
  {
    table: "site_changes",
    topic: "site changes",
    inserted: "true",
    updated: "false"
  }
]

const triggers = announced.flatMap(({ inserted, table, topic, updated }) => {
  const name = `${table}_announce_${topic.replaceAll(/[^a-z]/g, "_")}`
  const run = `EXECUTE FUNCTION announce_work('${topic}')`
  return [
    ...(inserted === "false"
      ? []
      : [`CREATE TRIGGER ${name}_inserted AFTER INSERT ON ${table} FOR EACH ROW WHEN (${inserted}) ${run}`]),
    ...(updated === "false"
      ? []
      : [`CREATE TRIGGER ${name}_updated AFTER UPDATE ON ${table} FOR EACH ROW WHEN (${updated}) ${run}`])
  ]
})

/** The database announces new work to whoever listens, so that nobody has to poll for it. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const statements = [
    announcement,
    ...triggers,
    announcementOfEvents,
    `CREATE TRIGGER events_announce AFTER INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION announce_events()`
  ]
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
