import { Effect } from "effect"
import { Command } from "effect/cli"
import { clearFlag, withCleared } from "../../clearing.ts"
import { Connection } from "../../Connection.ts"
import { showRecord } from "../../Output.ts"
import { given } from "../../paging.ts"
import { id, ofWorkspace, parsedSettings, settingFlags, workspace } from "./flags.ts"
import { destinationFields } from "./record.ts"

const clearing = {
  label: { label: null },
  devices: { deviceType: null },
  headers: { headers: null }
} as const

export const update = Command.make(
  "update",
  { id, ...settingFlags, clear: clearFlag(clearing), workspace },
  Effect.fn("destinations.update")(function* ({ clear, id, workspace, ...flags }) {
    const { deviceType, email, label, phoneNumber, url } = flags
    const changes = { ...given({ deviceType, email, label, phoneNumber, url }), ...(yield* parsedSettings(flags)) }
    const payload = yield* withCleared(changes, clearing, clear)
    const call = yield* (yield* Connection).endpoint("destinations", "update")
    const changed = yield* call({ params: { id }, query: ofWorkspace(workspace), payload })
    yield* showRecord(changed, destinationFields(false))
  })
).pipe(
  Command.withDescription("Change a destination"),
  Command.withExamples([{ command: "edp destinations update DESTINATION_ID --event ALERT_CREATED --clear headers" }])
)
