import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { usage } from "../../CliFailure.ts"
import { Connection } from "../../Connection.ts"
import { text } from "../../flags.ts"
import { Output, showTable } from "../../Output.ts"
import { given } from "../../paging.ts"
import { id, ofWorkspace, workspace } from "../destinations/flags.ts"
import { deliveryColumns } from "./record.ts"

const deliveryIds = Argument.String("delivery").pipe(
  Argument.withDescription("Ids of deliveries to send again"),
  Argument.atLeast(0)
)

const again = Effect.fnUntraced(function* (
  id: string,
  ids: ReadonlyArray<string>,
  query: { readonly workspaceId?: string }
) {
  const call = yield* (yield* Connection).endpoint("destinations", "redeliver")
  const data = yield* Effect.forEach(ids, (deliveryId) => call({ params: { id, deliveryId }, query }))
  yield* showTable({ data }, deliveryColumns, data)
})

const replay = Effect.fnUntraced(function* (
  id: string,
  payload: { readonly from: string; readonly to?: string; readonly failedOnly: boolean },
  query: { readonly workspaceId?: string }
) {
  const call = yield* (yield* Connection).endpoint("destinations", "replay")
  const result = yield* call({ params: { id }, query, payload })
  yield* (yield* Output).show(result, () => `${result.deliveries} deliveries are on their way again.`)
})

export const retry = Command.make(
  "retry",
  {
    id,
    deliveries: deliveryIds,
    from: text("from", "Instead of ids: what was given up of events at or after this date-time, at most 30 days ago"),
    to: text("to", "With --from: of events before this date-time"),
    everything: Flag.Boolean("everything").pipe(
      Flag.withDescription("With --from: what arrived, too"),
      Flag.withDefault(false)
    ),
    workspace
  },
  Effect.fn("deliveries.retry")(function* ({ deliveries, everything, from, id, to, workspace }) {
    const query = ofWorkspace(workspace)
    if (Option.isSome(from) && deliveries.length === 0) {
      return yield* replay(id, { from: from.value, ...given({ to }), failedOnly: !everything }, query)
    }
    if (Option.isSome(from) || Option.isSome(to) || everything || deliveries.length === 0) {
      return yield* usage("Pass either ids of deliveries, or --from")
    }
    yield* again(id, deliveries, query)
  })
).pipe(
  Command.withDescription("Send events again: some deliveries, or those of a span of time"),
  Command.withExamples([
    { command: "edp deliveries retry DESTINATION_ID DELIVERY_ID" },
    { command: "edp deliveries retry DESTINATION_ID --from 2026-03-01T00:00:00Z" }
  ])
)
