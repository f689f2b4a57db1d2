import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import { clearFlag, withCleared } from "../../clearing.ts"
import { Connection } from "../../Connection.ts"
import { showRecord } from "../../Output.ts"
import { given } from "../../paging.ts"
import { siteArgument, siteId } from "./find.ts"
import { addressFlags, addressFrom, locationFlags, locationFrom, plainFlags } from "./flags.ts"
import { siteFields } from "./record.ts"

const clearable = {
  name: { name: null },
  "reference-id": { referenceId: null },
  timezone: { timezone: null },
  location: { location: null },
  tags: { tags: [] }
} as const

export const update = Command.make(
  "update",
  { site: siteArgument, ...plainFlags, ...addressFlags, ...locationFlags, clear: clearFlag(clearable) },
  Effect.fn("sites.update")(function* (flags) {
    const { clear, latitude, longitude, name, referenceId, site, tags, timezone, ...lines } = flags
    const address = yield* addressFrom(lines)
    const changes = {
      ...given({ name, referenceId, tags, timezone }),
      ...(Option.isSome(address) && { address: address.value }),
      ...(yield* locationFrom({ latitude, longitude }))
    }
    const payload = yield* withCleared(changes, clearable, clear)
    const call = yield* (yield* Connection).endpoint("sites", "update")
    yield* showRecord(yield* call({ params: { id: yield* siteId(site) }, payload }), siteFields)
  })
).pipe(
  Command.withDescription("Change a site; an address and the tags are replaced whole"),
  Command.withExamples([{ command: "edp sites update home-1 --name Home --tag pilot --clear timezone" }])
)
