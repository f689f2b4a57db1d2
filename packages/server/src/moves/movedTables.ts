import { credentialsPurpose } from "../accounts/accountRow.ts"
import { authorizationPurpose, instructionsPurpose, scopedKeyPurpose } from "../connections/sessionRow.ts"
import { passwordPurpose } from "../home-assistant/publicationRow.ts"
import { secretPurpose } from "../destinations/destinationRow.ts"
import { gridSecretPurpose } from "../grid/gridRow.ts"
import { tokenPurpose } from "../vtn/notifications/callbackToken.ts"

/** A table whose rows belong to a workspace. */
export interface MovedTable {
  readonly table: string
  /** The condition on the rows `t` of the workspace, which is the first parameter. */
  readonly rows: string
  /**
   * How the rows are stored. Those of `shared` tables are of several workspaces, or outlive theirs, and are stored where they are missing.
   * Others wait for the end of the import, except for `history`, which is found by the devices or the workspace alone and so is
   * invisible until then.
   */
  readonly as: "shared" | "records" | "history"
  /** The purposes that sealed columns open for. */
  readonly sealed?: Readonly<Record<string, (id: string) => string>>
  /** SQL of columns that get another value: of the row `t`, with $2 the organization, $3 a new lease holder, $4 a map of ids. */
  readonly changed?: Readonly<Record<string, string>>
}

const workspace = "t.workspace_id = $1"
const ofDevices = "t.device_id IN (SELECT id FROM devices WHERE origin_workspace_id = $1)"
const ofAccounts = "t.account_id IN (SELECT id FROM accounts WHERE workspace_id = $1)"
const ofSites = "t.site_id IN (SELECT id FROM sites WHERE workspace_id = $1)"
const ofDestinations = "t.destination_id IN (SELECT id FROM destinations WHERE workspace_id = $1)"
const ofDispatches = "t.dispatch_id IN (SELECT id FROM dispatches WHERE workspace_id = $1)"
const ofInstances = "t.program_instance_id IN (SELECT id FROM program_instances WHERE workspace_id = $1)"

const organization = { organization_id: "$2" }
const organizationIfAny = { organization_id: "CASE WHEN t.organization_id IS NULL THEN NULL ELSE $2 END" }
/** Work that was leased is held by a process that is gone, so that the other installation takes it up like that of any other. */
const released = { holder: "CASE WHEN t.claim IS NULL THEN NULL ELSE $3::uuid END" }
const mapped = (column: string) => ({ [column]: `coalesce($4::jsonb ->> t.${column}, t.${column})` })

/** The tables of an archive, in an order in which what is referred to comes first. */
// prettier-ignore
export const movedTables: ReadonlyArray<MovedTable> = [
  { table: "manufacturers", as: "shared", changed: organizationIfAny, rows: `t.slug IN (SELECT manufacturer FROM devices WHERE origin_workspace_id = $1
      UNION SELECT manufacturer FROM accounts WHERE workspace_id = $1)` },
  { table: "device_models", as: "shared", rows: "t.id IN (SELECT device_model_id FROM devices WHERE origin_workspace_id = $1)" },
  { table: "programs", as: "shared", changed: organizationIfAny, rows: "t.id IN (SELECT program_id FROM program_instances WHERE workspace_id = $1)" },

  { table: "workspaces", as: "records", changed: { ...organization, name: "$5", paused_at: "NULL" }, rows: "t.id = $1" },
  // Keys of the type MANAGEMENT act on the whole organization, which does not move.
  { table: "api_keys", as: "records", changed: organization, rows: `${workspace} AND t.type <> 'MANAGEMENT'` },
  { table: "audit_logs", as: "shared", changed: organization, rows: workspace },
  { table: "sites", as: "records", rows: workspace },
  { table: "site_changes", as: "records", rows: ofSites },
  { table: "customers", as: "records", rows: workspace },
  { table: "customer_sites", as: "records", rows: workspace },
  { table: "accounts", as: "records", sealed: { sealed_credentials: credentialsPurpose }, rows: workspace },
  { table: "account_work", as: "records", changed: released, rows: ofAccounts },
  { table: "adapter_records", as: "records", rows: `EXISTS (SELECT FROM accounts a WHERE a.workspace_id = $1 AND a.manufacturer = t.adapter
      AND (right(t.key, length(a.external_id) + 1) = '/' || a.external_id OR position('/' || a.external_id || '.' IN t.key) > 0))` },
  { table: "workspace_retentions", as: "records", rows: workspace },
  // Readings that were still to be removed, or are in another archive now, are looked for again.
  { table: "workspace_floors", as: "records", changed: { removed_device: "''", removed_at: "NULL" }, rows: workspace },
  { table: "devices", as: "records", changed: mapped("device_model_id"), rows: "t.origin_workspace_id = $1" },
  { table: "device_watches", as: "records", rows: ofDevices },
  { table: "device_states", as: "records", changed: { roll_claim: "NULL", roll_claimed_at: "NULL" }, rows: ofDevices },
  { table: "reading_counts", as: "records", rows: ofDevices },
  { table: "departed_devices", as: "records", rows: workspace },
  { table: "alerts", as: "records", rows: workspace },
  { table: "alert_configurations", as: "records", rows: workspace },
  { table: "collections", as: "records", rows: workspace },
  { table: "collection_members", as: "records", rows: workspace },
  { table: "event_cursors", as: "records", rows: workspace },
  { table: "destinations", as: "records", rows: workspace, sealed: {
      sealed_url: (id) => secretPurpose("url", id), sealed_secret: (id) => secretPurpose("secret", id),
      sealed_previous_secret: (id) => secretPurpose("secret", id), sealed_headers: (id) => secretPurpose("headers", id),
      sealed_password: (id) => secretPurpose("password", id) } },
  { table: "delivery_queues", as: "records", rows: ofDestinations },
  { table: "deliveries", as: "records", rows: ofDestinations },
  { table: "delivery_attempts", as: "records", rows: `t.delivery_id IN (SELECT id FROM deliveries WHERE destination_id IN (
      SELECT id FROM destinations WHERE workspace_id = $1))` },
  { table: "delivery_lanes", as: "records", changed: released, rows: ofDestinations },
  { table: "recipient_hours", as: "records", rows: workspace },
  { table: "connect_sessions", as: "records", sealed: { sealed_instructions: instructionsPurpose, sealed_key: scopedKeyPurpose }, rows: workspace },
  { table: "connect_authorizations", as: "records", sealed: { sealed: authorizationPurpose },
    rows: "t.session_id IN (SELECT id FROM connect_sessions WHERE workspace_id = $1)" },
  { table: "batch_commands", as: "records", rows: workspace },
  { table: "commands", as: "records", rows: workspace },
  { table: "device_work", as: "records", rows: ofDevices, changed: { ...released, lease_until: "NULL", avoided_by: "NULL", avoided_until: "NULL", left_to: "NULL" } },
  { table: "forced_modes", as: "records", rows: ofDevices },
  { table: "home_assistant_publications", as: "records", changed: released, sealed: { sealed_password: passwordPurpose }, rows: workspace },
  { table: "schedules", as: "records", rows: workspace },
  { table: "program_instances", as: "records", changed: mapped("program_id"), rows: workspace },
  { table: "enrollments", as: "records", rows: workspace },
  { table: "enrollment_emails", as: "records", rows: workspace },
  { table: "dispatches", as: "records", rows: workspace },
  { table: "dispatch_sites", as: "records", rows: ofDispatches },
  { table: "dispatch_devices", as: "records", rows: ofDispatches },
  { table: "dispatch_results", as: "records", rows: ofDispatches },
  { table: "program_days", as: "records", rows: ofInstances },
  { table: "program_day_work", as: "records", rows: ofInstances },
  { table: "grid_connections", as: "records", sealed: { sealed_secret: gridSecretPurpose }, rows: workspace },
  { table: "grid_programs", as: "records", rows: workspace },
  { table: "grid_events", as: "records", rows: workspace },
  { table: "grid_dispatches", as: "records", rows: workspace },
  { table: "grid_reports", as: "records", rows: workspace },
  { table: "saved_filters", as: "records", rows: workspace },
  { table: "vtn_programs", as: "records", rows: workspace },
  { table: "vtn_events", as: "records", rows: workspace },
  { table: "vtn_reports", as: "records", rows: workspace },
  { table: "vtn_vens", as: "records", rows: workspace },
  { table: "vtn_resources", as: "records", rows: workspace },
  { table: "vtn_subscriptions", as: "records", rows: workspace },
  { table: "vtn_publications", as: "records", rows: workspace },
  { table: "vtn_published_dispatches", as: "records", rows: ofInstances },
  { table: "vtn_callbacks", as: "records", sealed: { sealed_token: tokenPurpose }, changed: released, rows: workspace },

  { table: "kept_readings", as: "history", rows: ofDevices },
  { table: "energy_rollups", as: "history", rows: ofDevices },
  { table: "events", as: "history", rows: workspace },
  { table: "readings", as: "history", rows: ofDevices }
]

/** The tables that columns refer to, by the names of the columns: in an archive they may refer to its own rows alone. */
export const referredTables: Readonly<Record<string, ReadonlyArray<string>>> = {
  account_id: ["accounts"],
  batch_id: ["batch_commands"],
  collection_id: ["collections"],
  command_id: ["commands"],
  customer_id: ["customers"],
  delivery_id: ["deliveries"],
  destination_id: ["destinations"],
  device_id: ["devices"],
  device_ids: ["devices"],
  dispatch_id: ["dispatches"],
  enrollment_id: ["enrollments"],
  grid_connection_id: ["grid_connections"],
  grid_event_id: ["grid_events"],
  grid_program_id: ["grid_programs"],
  key_id: ["api_keys"],
  member_id: ["devices", "sites", "customers"],
  origin_workspace_id: ["workspaces"],
  page_session_id: ["connect_sessions"],
  program_instance_id: ["program_instances"],
  reconnect_id: ["connect_sessions"],
  scope_customer_id: ["customers"],
  scope_device_ids: ["devices"],
  scope_enrollment_ids: ["enrollments"],
  scope_program_instance_id: ["program_instances"],
  session_id: ["connect_sessions"],
  site_id: ["sites"],
  source_id: ["schedules", "dispatches", "home_assistant_publications"],
  subscription_id: ["vtn_subscriptions"],
  ven_id: ["vtn_vens"],
  vtn_program_id: ["vtn_programs"],
  workspace_id: ["workspaces"]
}

/** The names of other columns that hold ids, with the reason why they refer to nothing that a workspace owns. */
export const otherIds: Readonly<Record<string, string>> = {
  client_id: "a client of OpenADR sees objects of the workspace of its key only",
  created_by_id: "it tells who did something, and gives no access",
  device_model_id: "the catalogue is shared",
  event_id: "a delivery is sent with an event of its own workspace only",
  external_id: "an id of the manufacturer or of a caller",
  remote_id: "an id of a VTN",
  remote_report_id: "an id of a VTN",
  remote_ven_id: "an id of a VTN",
  lead_id: "an id of a caller",
  manufacturer_device_id: "an id of the manufacturer",
  organization_id: "it becomes the importing organization",
  owner_id: "it tells whose key it is, and gives no access",
  program_id: "an archive cannot bring a program that all organizations see",
  reading_id: "a part of the state",
  reference_id: "an id of a caller",
  scope_reference_id: "an id of a caller",
  seen_reading_id: "it is compared with readings of the device"
}

/** Tables that are in no archive, with the reason. */
export const unmovedTables: Readonly<Record<string, string>> = {
  archive_border: "each installation has its own archive of readings",
  archive_changes: "each installation has its own archive of readings",
  archive_deletions: "each installation has its own archive of readings",
  archive_kept: "each installation has its own archive of readings",
  archive_moves: "each installation has its own archive of readings",
  organizations: "an archive holds no organization",
  dashboard_sessions: "they belong to MANAGEMENT keys, which do not move",
  dashboard_links: "they belong to MANAGEMENT keys, which do not move",
  device_tags: "triggers fill it",
  tag_counts: "triggers fill it",
  workspace_device_counts: "triggers fill it",
  site_device_counts: "triggers fill it",
  fleets: "background work computes it",
  fleet_sums: "background work computes it",
  fleet_recent: "background work computes it",
  fleet_blocks: "background work computes it",
  fleet_block_quarters: "background work computes it",
  fleet_quarters: "background work computes it",
  forgotten_histories: "the devices are removed, and their readings are not in the archive",
  inbound_claims: "a person holds them for minutes while linking a device",
  manufacturer_calls: "an installation counts its own calls",
  manufacturer_pauses: "a manufacturer asks an installation to wait, not a workspace",
  idempotent_answers: "responses are kept for a day by the hash of their key",
  readings_floor: "it holds for all workspaces of an installation",
  workspace_imports: "an import belongs to its installation",
  workspace_import_parts: "an import belongs to its installation",
  lease_holders: "they are processes",
  instances: "they are processes",
  failing_work: "the work is tried again at once",
  postal_codes: "each installation has them",
  vtn_resource_targets: "triggers fill it",
  vtn_site_work: "triggers fill it",
  vtn_notifications: "the installation that wrote them sends them",
  vtn_broker_messages: "the installation that wrote them publishes them",
  vtn_broker_work: "each installation has its own broker",
  grid_notifications: "a VTN notifies the address that it was given; the new installation subscribes anew",
  encryption_keys: "secrets are encrypted with a key of the passphrase",
  migrations: "the head of an archive has the last one",
  write_probe: "it is empty"
}
