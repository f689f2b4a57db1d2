import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import { clearFlag, withCleared } from "../../clearing.ts"
import { Connection } from "../../Connection.ts"
import { several, text } from "../../flags.ts"
import { showRecord } from "../../Output.ts"
import { given } from "../../paging.ts"
import { siteId } from "../sites/find.ts"
import { deviceArgument, findDevice } from "./find.ts"
import { deviceFields } from "./record.ts"

const clearable = { site: { siteId: null }, tags: { tags: [] } } as const

export const update = Command.make(
  "update",
  {
    device: deviceArgument,
    name: text("name", "Name for people"),
    site: text("site", "Site, by id, referenceId or name"),
    referenceId: text("reference-id", "The user or account in your own system"),
    tags: several("tag", "Tag"),
    clear: clearFlag(clearable)
  },
  Effect.fn("devices.update")(function* ({ clear, device, site, ...fields }) {
    const changes = { ...given(fields), ...(Option.isSome(site) && { siteId: yield* siteId(site.value) }) }
    const payload = yield* withCleared(changes, clearable, clear)
    const { id } = yield* findDevice(device)
    const call = yield* (yield* Connection).endpoint("devices", "update")
    yield* showRecord(yield* call({ params: { id }, payload }), deviceFields)
  })
).pipe(
  Command.withDescription("Change a device; the tags are replaced whole"),
  Command.withExamples([{ command: 'edp devices update home-meter --name "Main meter" --clear tags' }])
)
