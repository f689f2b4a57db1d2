import { AlertSeverity, alertSubtypes, alertTypes } from "@edp/domain/alerts/Alert"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { usage } from "../../CliFailure.ts"
import { Connection } from "../../Connection.ts"
import { text } from "../../flags.ts"
import { showRecord } from "../../Output.ts"
import { given } from "../../paging.ts"
import { findDevice } from "../devices/find.ts"
import { siteId } from "../sites/find.ts"
import { alertFields } from "./record.ts"

/** Where it is: the site that is named, else the device's. */
const placeOf = Effect.fnUntraced(function* (flags: {
  readonly site: Option.Option<string>
  readonly device: Option.Option<string>
}) {
  if (Option.isNone(flags.device) && Option.isNone(flags.site)) return yield* usage("Pass --site, --device or both")
  const device = Option.isSome(flags.device) ? yield* findDevice(flags.device.value) : undefined
  const site = Option.isSome(flags.site) ? yield* siteId(flags.site.value) : (device?.siteId ?? null)
  if (site === null) return yield* usage("The device is at no site: an alert needs a --site")
  return { siteId: site, ...(device !== undefined && { deviceId: device.id }) }
})

export const create = Command.make(
  "create",
  {
    title: Flag.String("title").pipe(Flag.withDescription("One line for people")),
    severity: Flag.Literals("severity", AlertSeverity.literals).pipe(Flag.withDescription("How much it matters")),
    site: text("site", "Site, by id, referenceId or name; default: the device's"),
    device: text("device", "Device, by id, the manufacturer's id or name"),
    sourceSystem: Flag.String("source-system").pipe(
      Flag.withDescription("Where the alert comes from; default: edp-cli"),
      Flag.withDefault("edp-cli")
    ),
    type: Flag.Literals("type", alertTypes).pipe(
      Flag.withDescription("What it is about; default: UNKNOWN"),
      Flag.optional
    ),
    subtype: Flag.Literals("subtype", alertSubtypes).pipe(Flag.withDescription("More exactly"), Flag.optional),
    description: text("description", "More for people")
  },
  Effect.fn("alerts.create")(function* ({ device, severity, site, sourceSystem, title, ...rest }) {
    const payload = { title, severity, sourceSystem, ...given(rest), ...(yield* placeOf({ site, device })) }
    const call = yield* (yield* Connection).endpoint("alerts", "create")
    yield* showRecord(yield* call({ payload }), alertFields)
  })
).pipe(
  Command.withDescription("Create an alert, as an application does"),
  Command.withExamples([
    { command: 'edp alerts create --title "No answer" --severity WARNING --device home-inverter --type COMMUNICATIONS' }
  ])
)
