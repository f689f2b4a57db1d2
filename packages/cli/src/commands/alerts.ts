import { verb } from "../kernel/verb.ts"
import { type Alert, AlertType, alertSubtypes, alertTypes } from "@edp/domain/alerts/Alert"
import { AlertSeverity, AlertStatus } from "@edp/domain/alerts/AlertStatus"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { usage } from "../kernel/CliFailure.ts"
import { request } from "../kernel/Connection.ts"
import { showRecord } from "../kernel/Output.ts"
import { findDevice, siteId, siteLabels } from "../kernel/find.ts"
import { several, text, choices } from "../kernel/flags.ts"
import { given, pagingFlags, showList } from "../kernel/paging.ts"
import type { Column } from "../kernel/table.ts"
import { config } from "./alerts/config.ts"

/** Includes the names of the sites: devices of different homes often have the same name. */
const alertColumns = Effect.fnUntraced(function* (alerts: ReadonlyArray<Alert>) {
  const labels = yield* siteLabels(alerts.flatMap(({ siteId }) => siteId ?? []))
  const columns: ReadonlyArray<Column<Alert>> = [
    { title: "ID", value: (alert) => alert.id, whole: true },
    { title: "SEVERITY", value: (alert) => alert.severity, whole: true },
    { title: "STATUS", value: (alert) => alert.status, whole: true },
    { title: "TYPE", value: (alert) => alert.type, wide: true },
    { title: "TITLE", value: (alert) => alert.title },
    { title: "DEVICE", value: (alert) => alert.deviceName ?? alert.deviceId },
    { title: "SITE", value: ({ siteId }) => siteId && (labels.get(siteId) ?? siteId) },
    { title: "SOURCE", value: (alert) => alert.sourceSystem, wide: true },
    { title: "CREATED", value: (alert) => alert.createdAt, time: true, whole: true, wide: true },
    { title: "DEVICE ID", value: (alert) => alert.deviceId, whole: true, wide: true },
    { title: "SITE ID", value: (alert) => alert.siteId, whole: true, wide: true }
  ]
  return columns
})

const alertFields = (alert: Alert) =>
  [
    ["id", alert.id],
    ["title", alert.title],
    ["severity", alert.severity],
    ["status", alert.status],
    ["type", alert.subtype === null ? alert.type : `${alert.type} (${alert.subtype})`],
    ["description", alert.description],
    ["source", alert.sourceSystem],
    ["site", alert.siteId],
    ["device", alert.deviceId],
    ["created", alert.createdAt],
    ["acknowledged", alert.acknowledgedAt === null ? null : `${alert.acknowledgedAt} by ${alert.acknowledgedBy}`],
    ["snoozed until", alert.snoozedUntil],
    ["ignored", alert.ignoredAt === null ? null : `${alert.ignoredAt} by ${alert.ignoredBy}`],
    ["resolved", alert.resolvedAt === null ? null : `${alert.resolvedAt} by ${alert.resolvedBy}`]
  ] as const

const filters = {
  status: choices("status", AlertStatus.literals),
  severity: choices("severity", AlertSeverity.literals),
  type: choices("type", AlertType.literals),
  id: several("id", "Alert id"),
  externalId: several("external-id", "Id in the source system"),
  siteId: several("site", "Site id"),
  deviceId: several("device", "Device id"),
  manufacturerDeviceId: several("manufacturer-device-id", "The manufacturer's id of the device"),
  sourceSystem: several("source-system", "Source system"),
  from: text("from", "Created at or after this date-time"),
  to: text("to", "Created before this date-time")
}

const list = verb(
  "alerts list",
  "List alerts, newest first",
  { ...pagingFlags, ...filters },
  (flags) => showList(flags, "alerts", alertColumns, (query) => request("alerts", "list", { query })),
  ["edp alerts list --status OPEN --severity CRITICAL"]
)

const show = verb(
  "alerts show",
  "Show an alert",
  { id: Argument.String("id").pipe(Argument.withDescription("Id of the alert")) },
  ({ id }) => showRecord(request("alerts", "get", { params: { id } }), alertFields)
)

/** The given site, else the device's. */
const findSiteAndDevice = Effect.fnUntraced(function* (flags: {
  readonly site: Option.Option<string>
  readonly device: Option.Option<string>
}) {
  if (Option.isNone(flags.device) && Option.isNone(flags.site)) return yield* usage("Pass --site, --device or both")
  const device = Option.isSome(flags.device) ? yield* findDevice(flags.device.value) : undefined
  const site = Option.isSome(flags.site) ? yield* siteId(flags.site.value) : (device?.siteId ?? null)
  if (site === null) return yield* usage("The device is at no site: an alert needs a --site")
  return { siteId: site, ...(device !== undefined && { deviceId: device.id }) }
})

const create = verb(
  "alerts create",
  "Create an alert",
  {
    title: Flag.String("title").pipe(Flag.withDescription("Title of the alert, one line")),
    severity: Flag.Literals("severity", AlertSeverity.literals).pipe(Flag.withDescription("Severity of the alert")),
    site: text("site", "Site, by id, referenceId or name; default: the device's"),
    device: text("device", "Device, by id, the manufacturer's id or name"),
    sourceSystem: Flag.String("source-system").pipe(
      Flag.withDescription("Source system; default: edp-cli"),
      Flag.withDefault("edp-cli")
    ),
    type: Flag.Literals("type", alertTypes).pipe(
      Flag.withDescription("Type of the alert; default: UNKNOWN"),
      Flag.optional
    ),
    subtype: Flag.Literals("subtype", alertSubtypes).pipe(Flag.withDescription("Subtype of the alert"), Flag.optional),
    description: text("description", "Longer description")
  },
  Effect.fnUntraced(function* ({ device, severity, site, sourceSystem, title, ...rest }) {
    const payload = { title, severity, sourceSystem, ...given(rest), ...(yield* findSiteAndDevice({ site, device })) }
    yield* showRecord(request("alerts", "create", { payload }), alertFields)
  }),
  ['edp alerts create --title "No response" --severity WARNING --device home-inverter --type COMMUNICATIONS']
)

const id = Argument.String("id").pipe(Argument.withDescription("Id of the alert"))

const ack = verb(
  "alerts ack",
  "Acknowledge an alert",
  {
    id,
    snoozeUntil: Flag.String("snooze-until").pipe(
      Flag.withDescription("Snooze until this date-time, such as 2030-01-01T08:00:00Z"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ id, snoozeUntil }) {
    const payload = Option.isSome(snoozeUntil) ? { snoozeUntil: snoozeUntil.value } : {}
    yield* showRecord(request("alerts", "acknowledge", { params: { id }, payload }), alertFields)
  })
).pipe(Command.withAlias("acknowledge"))

const ignore = verb("alerts ignore", "Ignore an alert without resolving it", { id }, ({ id }) =>
  showRecord(request("alerts", "ignore", { params: { id } }), alertFields)
)

const resolve = verb("alerts resolve", "Resolve an alert", { id }, ({ id }) =>
  showRecord(request("alerts", "resolve", { params: { id } }), alertFields)
)

export const alerts = Command.make("alerts").pipe(
  Command.withDescription("Alerts of devices and sites"),
  Command.withSubcommands([list, show, create, ack, ignore, resolve, config])
)
