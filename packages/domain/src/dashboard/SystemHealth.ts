import { Schema } from "effect"
import { Cuid, Slug, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { oneOf } from "../shared/quantities.ts"
import { StoredText } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"

const orNull = Schema.NullOr
const count = (description: string) => Schema.Int.check(documents({ minimum: 0 })).annotate({ description })
const measure = (description: string) => Schema.Finite.check(documents({ minimum: 0 })).annotate({ description })
const many = <S extends Schema.Top>(item: S, maxItems: number) => Schema.Array(item).check(documents({ maxItems }))

/** How many records of one kind a response holds at most: those that need attention come first. */
export const HEALTH_ITEMS = 100

export const UnknownReason = oneOf(
  ["timed_out", "failed"],
  "Why nothing is known: the statement took too long, or failed; the service's log has the error"
).annotate({ identifier: "UnknownReason" })

/** A part of the response, which is measured by itself: a part that fails leaves the others. */
const part = <S extends Schema.Top>(value: S, description: string) =>
  Schema.Struct({
    asOf: Timestamp.annotate({ description: "Time of the measurement" }),
    value: orNull(value),
    reason: orNull(UnknownReason).annotate({ description: "Why `value` is null; null if it is known" })
  }).annotate({ description })

const serviceFields = {
  role: oneOf(["all", "api", "worker"], "EDP_ROLE of the instance"),
  version: StoredText(100).annotate({ description: "Version of the service" }),
  nodeVersion: StoredText(100).annotate({ description: "Version of Node.js" }),
  startedAt: Timestamp.annotate({ description: "Start of the process" })
}

export const HealthInstance = Schema.Struct({
  id: StoredText(100).annotate({ description: "Identifies the process until it ends" }),
  isThis: Schema.Boolean.annotate({ description: "Whether it is the instance that responds" }),
  ...serviceFields,
  hostName: StoredText(255).annotate({ description: "Name of the machine or container" }),
  pid: Schema.Int.annotate({ description: "Id of the process on its machine" }),
  lastSeenAt: Timestamp.annotate({ description: "Latest heartbeat, which comes every 15 seconds" }),
  isSilent: Schema.Boolean.annotate({
    description: "Whether there was no heartbeat for 45 seconds: it crashed, or does not reach the database"
  })
}).annotate({ identifier: "HealthInstance", description: "A process of the service, or one that ended without notice" })
export type HealthInstance = typeof HealthInstance.Type

/** Background work whose waiting rows are counted. */
export const workTasks = [
  "energy_rollups",
  "forgotten_histories",
  "site_changes",
  "event_fan_out",
  "deliveries",
  "account_readings",
  "commands",
  "command_confirmations",
  "command_timeouts",
  "schedules",
  "dispatches",
  "silence_checks"
] as const

export const HealthTask = Schema.Struct({
  task: oneOf(
    workTasks,
    "`energy_rollups`: devices with readings that are not rolled up; `forgotten_histories`: removed devices whose readings are to be deleted; `site_changes`: changes of sites whose devices need events; `event_fan_out`: workspaces with events that no delivery was made for; `deliveries`: deliveries that are due; `account_readings`: accounts that are due; `commands`: devices with a command to send; `command_confirmations`: delivered commands that are due for a look at the state; `command_timeouts`, `schedules`, `dispatches`, `silence_checks`: rows that are due"
  ),
  waiting: count("Rows that wait and that no instance works on"),
  isCapped: Schema.Boolean.annotate({ description: "Whether there are more: rows are counted up to a maximum" }),
  oldestSeconds: orNull(measure("How long the oldest of them has waited, seconds")).annotate({
    description: "How long the oldest of them has waited, seconds; null if none waits, or the table has no times"
  })
}).annotate({ identifier: "HealthTask", description: "A kind of background work and what waits for it" })
export type HealthTask = typeof HealthTask.Type

export const HealthDestination = Schema.Struct({
  id: Cuid.annotate({ examples: [exampleIds.destination] }),
  workspaceId: Cuid.annotate({ examples: [exampleIds.workspace] }),
  label: orNull(StoredText(255)),
  destinationType: StoredText(100),
  waiting: count("Unfinished deliveries"),
  isCapped: Schema.Boolean.annotate({ description: "Whether there are more: deliveries are counted up to a maximum" }),
  oldestSeconds: orNull(measure("Age of the oldest counted delivery, seconds")),
  failingSince: orNull(Timestamp).annotate({ description: "First failure since the latest success" }),
  deactivatedAt: orNull(Timestamp),
  deactivatedReason: orNull(StoredText(1000))
}).annotate({
  identifier: "HealthDestination",
  description: "A destination that fails, is deactivated or has a backlog"
})
export type HealthDestination = typeof HealthDestination.Type

export const HealthDestinations = Schema.Struct({
  total: count("Destinations of the organization"),
  deactivated: count("Deactivated ones"),
  failing: count("Active ones whose latest attempt failed"),
  items: many(HealthDestination, HEALTH_ITEMS).annotate({
    description:
      "Those that are deactivated or failing or have a backlog; the failing ones first, then the largest backlogs"
  })
}).annotate({ identifier: "HealthDestinations", description: "Deliveries to the destinations of the organization" })

export const HealthQuota = Schema.Struct({
  manufacturer: Slug,
  accountId: orNull(Cuid).annotate({ description: "The account; null if the quota is of all accounts together" }),
  accountName: orNull(StoredText(255)),
  workspaceId: orNull(Cuid).annotate({ description: "The account's workspace" }),
  window: orNull(Schema.Int).annotate({
    description: "Length of the window, seconds; null: the calendar month in UTC"
  }),
  limit: count("Calls that the window allows"),
  pollingLimit: count("Calls beyond which readings stop: the rest is left to commands and end users"),
  used: count("Calls in the present window"),
  resetsAt: Timestamp.annotate({ description: "End of the present window" }),
  pausedUntil: orNull(Timestamp).annotate({ description: "Until then the manufacturer wants no calls" })
}).annotate({ identifier: "HealthQuota", description: "The use of a manufacturer's limit on calls" })
export type HealthQuota = typeof HealthQuota.Type

export const accountTroubles = ["sign_in_needed", "expired", "refresh_overdue", "expires_soon", "call_failed"] as const

export const HealthAccount = Schema.Struct({
  id: Cuid.annotate({ examples: [exampleIds.account] }),
  workspaceId: Cuid.annotate({ examples: [exampleIds.workspace] }),
  manufacturer: Slug,
  name: StoredText(255),
  trouble: oneOf(
    accountTroubles,
    "`sign_in_needed`: the refresh was refused; `expired`: the token is past its end; `refresh_overdue`: the renewal is 5 minutes late; `expires_soon`: the token ends within 7 days and is not renewed by itself; `call_failed`: the latest call failed"
  ),
  expiresAt: orNull(Timestamp).annotate({ description: "End of the token" }),
  since: orNull(Timestamp).annotate({ description: "Time of the error, or of the account's end" }),
  failure: orNull(StoredText(100)).annotate({ description: "Kind of the latest error" }),
  message: orNull(StoredText(10_000)).annotate({ description: "The latest error, shown to users" })
}).annotate({ identifier: "HealthAccount", description: "A linked account that needs attention" })
export type HealthAccount = typeof HealthAccount.Type

export const HealthAccounts = Schema.Struct({
  connected: count("Connected accounts of the organization"),
  signInNeeded: count("Accounts whose person must sign in again"),
  items: many(HealthAccount, HEALTH_ITEMS).annotate({ description: "Those that need attention, the gravest first" })
}).annotate({ identifier: "HealthAccounts", description: "Accounts at manufacturers of the organization" })

export const HealthPartition = Schema.Struct({
  name: StoredText(100),
  from: orNull(Timestamp).annotate({ description: "Start of its range" }),
  to: orNull(Timestamp).annotate({ description: "End of its range, exclusive" }),
  rows: orNull(measure("Estimated number of rows")).annotate({
    description: "Number of rows as the database last estimated it; null before its first estimate"
  }),
  bytes: measure("Size with its indexes, bytes")
}).annotate({ identifier: "HealthPartition", description: "A partition of a table" })

export const HealthTable = Schema.Struct({
  table: oneOf(["readings", "events"], "The partitioned table: readings by the month, events by the day"),
  partitions: many(HealthPartition, HEALTH_ITEMS).annotate({ description: "The latest partitions first" }),
  total: count("Number of partitions"),
  rows: measure("Estimated number of rows of all partitions"),
  bytes: measure("Size of all partitions, bytes"),
  currentExists: Schema.Boolean.annotate({ description: "Whether the partition of the present month or day exists" }),
  nextExists: Schema.Boolean.annotate({
    description: "Whether the partition of the next month or day exists: instances make it ahead"
  })
}).annotate({ identifier: "HealthTable", description: "A partitioned table" })
export type HealthTable = typeof HealthTable.Type

export const HealthDatabase = Schema.Struct({
  kind: oneOf(["embedded", "postgresql"], "The database in the data folder, or a server"),
  version: StoredText(100).annotate({ description: "Version of PostgreSQL" }),
  bytes: measure("Size of the database, bytes"),
  pingMilliseconds: measure("Time of the shortest statement, milliseconds"),
  migrations: Schema.Struct({
    applied: count("Migrations that the database holds"),
    known: count("Migrations that this instance knows; fewer than applied means that a newer version has migrated"),
    latest: orNull(StoredText(200)).annotate({ description: "Name of the latest" })
  }),
  connections: orNull(
    Schema.Struct({
      most: count("Statements that may run at once"),
      inUse: count("Statements that run"),
      waiting: count("Statements that wait")
    })
  ).annotate({ description: "Connections of this instance; null if it does not count them" })
}).annotate({ identifier: "HealthDatabase", description: "The database" })

export const HealthRedis = Schema.Struct({
  state: oneOf(["not_configured", "connected", "unreachable"], "`unreachable`: each instance counts rate limits alone"),
  pingMilliseconds: orNull(measure("Time of a response, milliseconds"))
}).annotate({ identifier: "HealthRedis", description: "The store that instances share rate limits in" })

export const SystemHealth = Schema.Struct({
  asOf: Timestamp.annotate({ description: "Time of the response" }),
  service: Schema.Struct({
    ...serviceFields,
    uptimeSeconds: measure("Time since the start, seconds")
  }).annotate({ description: "The instance that responds" }),
  instances: part(many(HealthInstance, HEALTH_ITEMS), "All instances that share the database"),
  work: part(many(HealthTask, 100), "Background work of all instances, at most 10 seconds old"),
  destinations: part(HealthDestinations, "Destinations of the organization"),
  quotas: part(
    many(HealthQuota, 2 * HEALTH_ITEMS),
    "Quotas of manufacturers as a whole, and of the organization's accounts, the most used first"
  ),
  accounts: part(HealthAccounts, "Linked accounts of the organization"),
  partitions: part(many(HealthTable, 2), "Partitioned tables"),
  database: part(HealthDatabase, "The database"),
  redis: part(HealthRedis, "Redis")
}).annotate({ identifier: "SystemHealth", description: "The state of the deployment, and of the organization's own" })
export type SystemHealth = typeof SystemHealth.Type
