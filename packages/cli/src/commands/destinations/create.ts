import { destinationTypes } from "@edp/domain/destinations/Destination"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { text } from "../../flags.ts"
import { showRecord } from "../../Output.ts"
import { given } from "../../paging.ts"
import { ofWorkspace, parsedSettings, settingFlags, workspace } from "./flags.ts"
import { destinationFields } from "./record.ts"

export const create = Command.make(
  "create",
  {
    ...settingFlags,
    type: Flag.Literals("type", destinationTypes).pipe(
      Flag.withDescription("How events get there; default: WEBHOOK"),
      Flag.withDefault("WEBHOOK")
    ),
    manufacturer: text("manufacturer", "Slug of the manufacturer whose devices' commands go there"),
    workspace
  },
  Effect.fn("destinations.create")(function* ({ type, workspace, ...flags }) {
    const { deviceType, email, label, manufacturer, phoneNumber, url } = flags
    const payload = {
      destinationType: type,
      ...given({ deviceType, email, label, manufacturer, phoneNumber, url }),
      ...(yield* parsedSettings(flags))
    }
    const call = yield* (yield* Connection).endpoint("destinations", "create")
    yield* showRecord(yield* call({ query: ofWorkspace(workspace), payload }), destinationFields(true))
  })
).pipe(
  Command.withDescription("Create a destination, and show the secret that signs what goes there"),
  Command.withExamples([
    { command: "edp destinations create --url-to https://example.com/events --event ALERT_CREATED" },
    { command: "edp destinations create --type EMAIL --email ada@example.com --event ALERT_CREATED" }
  ])
)
