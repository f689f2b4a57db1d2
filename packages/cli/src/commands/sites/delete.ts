import { Effect } from "effect"
import { Command } from "effect/cli"
import { confirm } from "../../ask.ts"
import { Connection } from "../../Connection.ts"
import { yes } from "../../flags.ts"
import { Output } from "../../Output.ts"
import { siteArgument, siteId } from "./find.ts"

export const remove = Command.make(
  "delete",
  { site: siteArgument, yes },
  Effect.fn("sites.delete")(function* ({ site, yes }) {
    const connection = yield* Connection
    const { show } = yield* Output
    const id = yield* siteId(site)
    const { address, deviceCount, name } = yield* (yield* connection.endpoint("sites", "get"))({
      params: { id },
      query: {}
    })
    const label = name ?? `${address.streetOne}, ${address.city}`
    yield* confirm({
      yes,
      message: `Delete the site "${label}"? Its devices (${deviceCount}) stay, without a site.`,
      unasked: "refuse"
    })
    yield* (yield* connection.endpoint("sites", "remove"))({ params: { id } })
    yield* show({ id, deleted: true }, () => `The site "${label}" is deleted.`)
  })
).pipe(Command.withDescription("Delete a site; its devices and customers stay"))
