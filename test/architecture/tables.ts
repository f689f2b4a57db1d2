/**
 * The tables of the database by their owners: a slice of the server, or a concern of the ground. Only the owner writes a table.
 * docs/database.md has the same owners.
 */
export const owners: Readonly<Record<string, ReadonlyArray<string>>> = {
  audit: ["audit_logs"],
  workspaces: ["organizations", "workspaces"],
  "api-keys": ["api_keys"],
  manufacturers: ["manufacturers"],
  "device-models": ["device_models"],
  customers: ["customers", "customer_sites"],
  sites: ["sites", "site_device_counts"],
  devices: [
    "devices",
    "device_states",
    "device_tags",
    "tag_counts",
    "workspace_device_counts",
    "site_changes",
    "departed_devices",
    "forgotten_histories"
  ],
  readings: [
    "readings",
    "reading_counts",
    "readings_floor",
    "kept_readings",
    "workspace_retentions",
    "workspace_floors",
    "archive_border",
    "archive_moves",
    "archive_changes",
    "archive_deletions",
    "archive_kept"
  ],
  alerts: ["alerts", "alert_configurations", "device_watches"],
  metrics: [
    "energy_rollups",
    "fleets",
    "fleet_sums",
    "fleet_recent",
    "fleet_blocks",
    "fleet_block_quarters",
    "fleet_quarters"
  ],
  collections: ["collections", "collection_members"],
  destinations: [
    "event_cursors",
    "destinations",
    "deliveries",
    "delivery_lanes",
    "delivery_queues",
    "delivery_attempts",
    "recipient_hours"
  ],
  accounts: [
    "accounts",
    "account_work",
    "manufacturer_calls",
    "manufacturer_pauses",
    "adapter_records",
    "inbound_claims"
  ],
  connections: ["connect_sessions", "connect_authorizations"],
  commands: ["commands", "device_work", "forced_modes", "batch_commands"],
  "home-assistant": ["home_assistant_publications"],
  schedules: ["schedules"],
  programs: ["programs", "program_instances"],
  enrollments: ["enrollments", "enrollment_emails"],
  dispatches: [
    "dispatches",
    "dispatch_sites",
    "dispatch_devices",
    "dispatch_results",
    "program_days",
    "program_day_work"
  ],
  grid: ["grid_connections", "grid_programs", "grid_events", "grid_dispatches", "grid_reports", "grid_notifications"],
  vtn: [
    "vtn_programs",
    "vtn_events",
    "vtn_reports",
    "vtn_subscriptions",
    "vtn_vens",
    "vtn_resources",
    "vtn_callbacks",
    "vtn_notifications",
    "vtn_broker_messages",
    "vtn_broker_work",
    "vtn_publications",
    "vtn_published_dispatches",
    "vtn_resource_targets",
    "vtn_site_work"
  ],
  dashboard: ["dashboard_sessions", "dashboard_links", "saved_filters"],
  moves: ["workspace_imports", "workspace_import_parts"],
  "platform/idempotency": ["idempotent_answers"],
  "platform/jobs": ["lease_holders", "failing_work"],
  "platform/locations": ["postal_codes"],
  "platform/observability": ["instances"],
  "platform/outbox": ["events"],
  "platform/secrets": ["encryption_keys"],
  "platform/sql": ["write_probe", "migrations"]
}

/** Tables of earlier slices, or of the ground, that a slice reads in its own statements. */
export interface Exception {
  readonly reader: string
  readonly tables: ReadonlyArray<string>
  readonly reason: string
}

// prettier-ignore
export const exceptions: ReadonlyArray<Exception> = [
  // rows that are locked, checked or joined while the slice's own are read or written
  { reader: "devices", tables: ["customer_sites", "manufacturers", "sites", "site_device_counts"], reason: "a device is shown with its site and judged by its manufacturer; lists and criteria test both in the statement that walks the index" },
  { reader: "readings", tables: ["devices", "device_states", "workspaces"], reason: "a reading is stored in the statement that locks its device; histories and retention join the states, whose counts and limits they keep" },
  { reader: "alerts", tables: ["devices", "device_states", "manufacturers"], reason: "alerts copy fields of their device, and silence is judged by its state and its manufacturer, under the lock of the check" },
  { reader: "metrics", tables: ["devices", "device_states", "sites", "workspace_device_counts", "workspaces"], reason: "rollups follow the progress in the states, and selections of devices and fleets are conditions of the statement that reads them" },
  { reader: "connections", tables: ["account_work", "accounts", "customers", "devices", "workspaces"], reason: "a session is shown with its workspace, its account and its devices, and the list of accounts joins them for a page" },
  { reader: "commands", tables: ["device_states", "devices", "manufacturer_pauses", "manufacturers", "sites"], reason: "a command is issued and confirmed under the lock of its device, with its state, its manufacturer and the limits of its site" },
  { reader: "home-assistant", tables: ["device_states", "device_tags", "devices", "events", "manufacturers"], reason: "a publication follows the feed of its workspace, and pages through the devices of a tag with the time until which each is online" },
  { reader: "enrollments", tables: ["customer_sites", "devices", "program_instances", "programs", "sites", "workspaces"], reason: "candidates are sites with their customers and devices; each sweep finds them in one statement" },
  { reader: "dispatches", tables: ["alerts", "commands", "customer_sites", "device_states", "devices", "enrollments", "program_instances", "sites", "workspaces"], reason: "the plans and reports of dispatches join participants with their commands, devices, states and alerts" },

  // the feed of events
  { reader: "events", tables: ["events", "readings"], reason: "the slice serves the feed that the outbox only fills; an event of a reading is read with the reading" },
  { reader: "destinations", tables: ["departed_devices", "devices", "events"], reason: "events are distributed to destinations by statements that go through the feed and write deliveries" },

  // archives of workspaces: what is read and stored of each table is listed in movedTables.ts, whose names are put into statements there
  { reader: "vtn", tables: ["dispatches"], reason: "dispatches whose events are out of date are found by the events that they have" },
  { reader: "vtn", tables: ["api_keys", "customer_sites", "customers", "enrollments", "program_instances", "sites"], reason: "sites are found out of date beside the resources of the clients whose scopes have an enrollment of them" },
  { reader: "moves", tables: ["account_work", "accounts", "connect_sessions", "deliveries", "delivery_lanes", "destinations", "device_models", "device_work", "devices", "dispatches", "enrollment_emails", "migrations", "program_instances", "programs", "readings_floor", "sites", "workspaces"], reason: "an archive holds the rows of all tables that belong to a workspace, as they are" },

  // the page of operators, which writes none of these
  { reader: "dashboard", tables: ["account_work", "accounts", "alerts", "api_keys", "customer_sites", "customers", "device_states", "device_tags", "devices", "dispatch_devices", "dispatch_sites", "dispatches", "events", "manufacturers", "organizations", "schedules", "sites", "vtn_events", "vtn_programs", "vtn_publications", "vtn_published_dispatches", "vtn_reports", "vtn_resources", "vtn_vens", "workspace_device_counts", "workspaces"], reason: "its lists, counts and searches join what operators see together; they change with the page, not with the owners" },
  { reader: "dashboard", tables: ["deliveries", "delivery_queues", "destinations", "device_work", "event_cursors", "forgotten_histories", "manufacturer_calls", "manufacturer_pauses", "migrations", "site_changes"], reason: "the health page and the metrics count the waiting work of all slices, each along one index" }
]
