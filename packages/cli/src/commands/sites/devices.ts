import { Effect } from "effect"
import { Command } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { byPage, pagingFlags, showList } from "../../paging.ts"
import { deviceColumns } from "../devices/record.ts"
import { siteArgument, siteId } from "./find.ts"

export const devices = Command.make(
  "devices",
  { ...pagingFlags, site: siteArgument },
  Effect.fn("sites.devices")(function* ({ all, page, perPage, site }) {
    const call = yield* (yield* Connection).endpoint("devices", "ofSite")
    const id = yield* siteId(site)
    yield* showList({ all, page, perPage }, "devices", deviceColumns, (position) =>
      call({ params: { id }, query: byPage(position) })
    )
  })
).pipe(Command.withDescription("List the devices at a site, newest first"))
