import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Calling a callback is leased work: one that is claimed is due again when its lease ends.
  `ALTER TABLE vtn_callbacks
    ADD COLUMN claim uuid,
    ADD COLUMN holder uuid`,
  "CREATE INDEX vtn_callbacks_due ON vtn_callbacks (due_at) WHERE broken_at IS NULL",
  // The lists of the OpenADR server: each filter with the order of the list. Events without targets are those that every VEN sees.
  "CREATE INDEX vtn_events_for_all ON vtn_events (workspace_id, priority, id) WHERE targets IS NULL",
  "CREATE INDEX vtn_events_in_program ON vtn_events (vtn_program_id, priority, id)",
  "DROP INDEX vtn_events_by_program",
  "CREATE INDEX vtn_reports_on_event ON vtn_reports (event_key, id)",
  "DROP INDEX vtn_reports_by_event",
  "CREATE INDEX vtn_reports_on_event_by_client ON vtn_reports (event_key, client_id, id)",
  "CREATE INDEX vtn_reports_in_program ON vtn_reports (program_key, id)",
  "CREATE INDEX vtn_reports_by_client_name ON vtn_reports (workspace_id, client_name, id)",
  "CREATE INDEX vtn_programs_by_workspace ON vtn_programs (workspace_id, id)",
  "CREATE INDEX vtn_resources_of_client ON vtn_resources (workspace_id, client_id, id)",
  "DROP INDEX vtn_resources_by_client",
  "CREATE INDEX vtn_resources_of_ven ON vtn_resources (ven_id, id)",
  "CREATE INDEX vtn_resources_by_name ON vtn_resources (workspace_id, resource_name, id)",
  "CREATE INDEX vtn_subscriptions_by_workspace ON vtn_subscriptions (workspace_id, id)",
  // The retention of reports.
  "CREATE INDEX vtn_reports_by_change ON vtn_reports (modified_at)",
  // Devices that are not published because they come from a Home Assistant.
  "ALTER TABLE home_assistant_publications ADD COLUMN devices_from_home_assistant integer NOT NULL DEFAULT 0"
]

/** Leases the callbacks of subscriptions, finds objects of lists by indexes, and counts devices that Home Assistants have already. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
