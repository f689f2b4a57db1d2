import { verb } from "../../kernel/verb.ts"
import { onlineStatuses } from "@edp/domain/devices/DeviceType"
import type { PushTelemetry } from "@edp/domain/direct-integration/DirectIntegration"
import { isCuid } from "@edp/domain/shared/Cuid"
import { Effect, Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { usage } from "../../kernel/CliFailure.ts"
import { request } from "../../kernel/Connection.ts"
import { parseObject, text } from "../../kernel/flags.ts"
import { showRecord } from "../../kernel/Output.ts"
import { given } from "../../kernel/paging.ts"
import { bodyText } from "../../kernel/files.ts"
import { parseCell } from "../telemetry/csvForms.ts"
import { deviceArgument, findDevice } from "../../kernel/find.ts"

const parseState = Effect.fnUntraced(function* (fields: ReadonlyArray<string>) {
  const state: Record<string, unknown> = {}
  for (const field of fields) {
    const at = field.indexOf("=")
    if (at < 1) return yield* usage(`A field of the state must be name=value, not ${JSON.stringify(field)}`)
    state[field.slice(0, at)] = parseCell({ text: field.slice(at + 1), quoted: at === field.length - 1 })
  }
  return state
})

export const push = verb(
  "devices push",
  "Push one reading, or several with --data",
  {
    device: deviceArgument,
    fields: Argument.String("field=value").pipe(
      Argument.withDescription("A field of the device's state, such as power=340"),
      Argument.atLeast(0)
    ),
    timestamp: text("timestamp", "Time of the reading, such as 2026-01-01T08:15:00Z; default: now"),
    onlineStatus: Flag.Literals("online-status", onlineStatuses).pipe(
      Flag.withDescription("Online status that the source reports"),
      Flag.optional
    ),
    data: text("data", "Instead of fields: the request's body as JSON, @FILE, or @- for standard input")
  },
  Effect.fnUntraced(function* ({ data, device, fields, ...reading }) {
    const written = given(reading)
    if (Option.isSome(data) === fields.length > 0) return yield* usage("Pass either fields of the state or --data")
    if (Option.isSome(data) && Object.keys(written).length > 0) {
      return yield* usage("--timestamp and --online-status are for fields: --data holds its own")
    }
    const payload = Option.isSome(data)
      ? yield* parseObject("data", yield* bodyText(data.value))
      : { ...written, state: yield* parseState(fields) }
    // An id needs no look-up, so a MANUFACTURER key is enough.
    const id = isCuid(device) ? device : (yield* findDevice(device)).id
    yield* showRecord(
      request("directIntegration", "push", { params: { id }, payload: payload as PushTelemetry }),
      ({ accepted, duplicates, latest }) => [
        ["accepted", accepted],
        ["duplicates", duplicates],
        ["newest reading", latest.createdAt]
      ]
    )
  }),
  ["edp devices push home-meter power=340 importedEnergy=3120500", "edp devices push home-meter --data @readings.json"]
)
