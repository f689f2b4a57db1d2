import { deliveryStatuses } from "@edp/domain/destinations/Delivery"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { words } from "../../flags.ts"
import { given, pagingFlags, showList } from "../../paging.ts"
import { id, ofWorkspace, workspace } from "../destinations/flags.ts"
import { deliveryColumns } from "./record.ts"

export const list = Command.make(
  "list",
  {
    ...pagingFlags,
    id,
    status: words("status", deliveryStatuses),
    workspace
  },
  Effect.fn("deliveries.list")(function* ({ all, id, page, perPage, status, workspace }) {
    const call = yield* (yield* Connection).endpoint("destinations", "deliveries")
    yield* showList({ all, page, perPage }, "deliveries", deliveryColumns, (position) =>
      call({ params: { id }, query: { ...given({ status }), ...ofWorkspace(workspace), ...position } })
    )
  })
).pipe(
  Command.withDescription("List a destination's deliveries, newest first"),
  Command.withExamples([{ command: "edp deliveries list DESTINATION_ID --status failed --all" }])
)
