import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { showRecord } from "../../Output.ts"
import { siteArgument, siteId } from "./find.ts"
import { siteFields } from "./record.ts"

export const show = Command.make(
  "show",
  {
    site: siteArgument,
    weather: Flag.Boolean("weather").pipe(
      Flag.withDescription("With the weather at the site now"),
      Flag.withDefault(false)
    )
  },
  Effect.fn("sites.show")(function* ({ site, weather }) {
    const call = yield* (yield* Connection).endpoint("sites", "get")
    const query = weather ? ({ include: "weather" } as const) : {}
    yield* showRecord(yield* call({ params: { id: yield* siteId(site) }, query }), siteFields)
  })
).pipe(Command.withDescription("Show a site"))
