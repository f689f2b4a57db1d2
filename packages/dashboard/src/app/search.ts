import { AlertSeverity } from "@edp/domain/alerts/AlertStatus"
import { apiKeyTypes } from "@edp/domain/auth/ApiKeyType"
import { Effect, Schema } from "effect"
import type { Atom } from "effect/reactivity"

// The lists of values stand here once more, because the modules of the contract that hold them are loaded with their pages. A page
// that offers a value which is missing here does not compile.

/** A value that does not fit reads as if it were absent: an old or mistyped link leads to its page all the same. */
const lenient = <A, I>(schema: Schema.Codec<A, I>) =>
  Schema.optional(Schema.UndefinedOr(schema).pipe(Schema.catchDecoding(() => Effect.succeedSome(undefined))))

const text = lenient(Schema.String)
const oneOf = <const Values extends ReadonlyArray<string>>(values: Values) => lenient(Schema.Literals(values))

/** The number of a page of a list. The address holds a text, a change of the page a number. */
const page = lenient(
  Schema.Union([Schema.FiniteFromString, Schema.Finite]).check(Schema.isInt(), Schema.isGreaterThan(0))
)

// Parameters that a page does not name are left to the router, which keeps them.
const reading = Schema.decodeUnknownSync
const struct = Schema.Struct

const period = {
  unit: oneOf(["1h", "6h", "7d", "30d", "day", "week", "month", "year", "span"]),
  day: text,
  from: text,
  to: text
}

/** The period that charts show as well. */
const over = text

/** The form for a new record is open. */
const create = oneOf(["new"])

/** The parameter of every page. */
export const rootSearch = reading(struct({ workspace: text }))

/** The parameters of each page: its filters, its page numbers and its chosen tab, so that a link leads to the same view. */
export const searches = {
  overview: reading(struct({})),
  health: reading(struct({})),
  // The lists of the fleet's filters are read by pages/fleet/filters.ts.
  fleet: reading(
    struct({
      q: text,
      type: text,
      onlineStatus: text,
      manufacturer: text,
      status: text,
      tag: text,
      siteId: text,
      sort: oneOf(["newest", "name", "last-reported", "longest-silent"]),
      view: oneOf(["map"])
    })
  ),
  device: reading(struct({ ...period, over, tab: oneOf(["now", "energy", "commands", "alerts", "details"]), page })),
  sites: reading(struct({ q: text, state: text, postalCode: text, tag: text, referenceId: text, edit: create, page })),
  site: reading(struct({ devices: page, customers: page })),
  customers: reading(struct({ q: text, email: text, referenceId: text, edit: create, page })),
  customer: reading(struct({ sites: page, devices: page })),
  energy: reading(struct({ ...period, over, site: text })),
  alerts: reading(
    struct({
      tab: oneOf(["visibility", "rules"]),
      alert: text,
      status: oneOf(["all", "OPEN,ACKNOWLEDGED", "OPEN", "ACKNOWLEDGED", "IGNORED", "RESOLVED"]),
      severity: lenient(AlertSeverity),
      type: oneOf([
        "COMMUNICATIONS",
        "POWER_LIMIT",
        "GRID_STATUS",
        "HARDWARE_FAULT",
        "FIRMWARE_UPDATE",
        "CONFIGURATION",
        "VOLTAGE_FREQUENCY",
        "STATE_OF_ENERGY",
        "TEMPERATURE",
        "ISLANDING",
        "GENERATOR",
        "SOFTWARE_PROCESS",
        "SENSOR",
        "SYSTEM_SHUTDOWN",
        "PERFORMANCE_DEGRADED",
        "SITE_LEVEL",
        "SAFETY",
        "UNKNOWN"
      ]),
      device: text,
      site: text,
      sort: oneOf(["severity", "newest"]),
      page
    })
  ),
  events: reading(struct({ type: text, device: text, site: text, from: text, to: text, event: text, cursor: text })),
  commands: reading(
    struct({
      status: oneOf(["pending", "scheduled", "delivered", "completed", "failed"]),
      type: oneOf([
        "battery:set-reserve",
        "battery:set-operating-mode",
        "charger:set-operating-mode",
        "thermostat:set-operating-mode",
        "thermostat:set-fan-mode",
        "thermostat:pause-schedule",
        "thermostat:resume-schedule",
        "vehicle:check-pairing-status",
        "vehicle:set-charge-limit",
        "vehicle:set-operating-mode"
      ]),
      device: text,
      batch: text,
      command: text,
      cursor: text,
      view: oneOf(["batches"]),
      page
    })
  ),
  collections: reading(struct({ q: text, type: oneOf(["DEVICE", "SITE", "CUSTOMER"]), edit: create, page })),
  collection: reading(struct({ page })),
  // `edit` is `new` or an id; `device` is the one whose schedule is explained.
  schedules: reading(
    struct({
      type: oneOf(["battery", "charger", "thermostat", "vehicle"]),
      enabled: oneOf(["true", "false"]),
      device: text,
      schedule: text,
      edit: text,
      page
    })
  ),
  audit: reading(
    struct({
      resource: oneOf([
        "alert-configuration",
        "api-key",
        "collection",
        "dashboard-link",
        "destination",
        "device-model",
        "endpoint",
        "home-assistant-publication",
        "manufacturer",
        "organization",
        "program",
        "saved-filter",
        "session",
        "workspace"
      ]),
      actor: text,
      from: text,
      to: text,
      cursor: text
    })
  ),
  settings: reading(struct({})),
  // `edit` is `new` or an id, and `back=detail` leads back to the page of the destination.
  destinations: reading(
    struct({
      type: oneOf(["WEBHOOK", "SMS", "EMAIL", "KAFKA", "MANUFACTURER_COMMAND"]),
      edit: text,
      back: oneOf(["detail"]),
      page
    })
  ),
  destination: reading(
    struct({
      status: oneOf(["pending", "succeeded", "failed", "superseded"]),
      delivery: text,
      cursor: text
    })
  ),
  connections: reading(
    struct({
      ...period,
      tab: oneOf(["accounts", "sessions", "funnel", "home-assistant"]),
      status: oneOf(["connected", "failed", "disconnected"]),
      state: oneOf([
        "PENDING",
        "STARTED",
        "ENTERING_CUSTOMER_INFO",
        "SELECTING_MANUFACTURER",
        "AUTHORIZING_MANUFACTURER",
        "ENTERING_SYSTEM_INFO",
        "UNSUPPORTED_MANUFACTURER",
        "DUPLICATE_CONNECTION",
        "SUCCESS",
        "ERROR",
        "EXPIRED"
      ]),
      manufacturer: text,
      account: text,
      session: text,
      edit: create,
      publish: create,
      page
    })
  ),
  // `edit=new` is a new instance.
  programs: reading(
    struct({ status: oneOf(["ACTIVE", "INACTIVE", "ARCHIVED"]), edit: oneOf(["new", "program"]), page })
  ),
  program: reading(
    struct({
      view: oneOf(["enrollments", "report", "terms"]),
      status: oneOf(["candidate", "eligible", "ineligible", "submitted", "approved", "rejected", "unenrolled"]),
      page
    })
  ),
  gridConnections: reading(
    struct({ status: oneOf(["connecting", "connected", "failing", "paused"]), edit: create, page })
  ),
  // `status` is that of events.
  gridConnection: reading(
    struct({
      tab: oneOf(["events", "programs", "reports"]),
      status: oneOf(["upcoming", "active", "ended", "deleted"]),
      report: oneOf(["due", "sent", "refused", "not_reportable"]),
      page
    })
  ),
  openAdr: reading(struct({ tab: oneOf(["clients", "events", "subscriptions", "reports"]), page })),
  dispatches: reading(
    struct({
      instance: text,
      edit: create,
      status: oneOf(["draft", "scheduled", "running", "completed", "cancelled"]),
      page
    })
  ),
  dispatch: reading(
    struct({
      from: text,
      to: text,
      results: page,
      state: oneOf(["notified", "opted_out", "running", "unresponsive", "done", "failed"]),
      page
    })
  ),
  keys: reading(
    struct({ type: oneOf(apiKeyTypes), status: oneOf(["ACTIVE", "EXPIRED", "REVOKED"]), in: text, edit: create, page })
  ),
  account: reading(struct({ page }))
}

/** The parameters that each page has read. */
export type Search = { readonly [Name in keyof typeof searches]: ReturnType<(typeof searches)[Name]> }

/** The context that a page is opened in, beside its address. */
export interface Opened {
  /** That of the chosen workspace. */
  readonly timeZone: string
  readonly workspaceId: string | undefined
  /** The key of the session. */
  readonly keyId: string | undefined
}

/** Queries that a page begins with. */
export type Queries = ReadonlyArray<Atom.Atom<unknown>>
