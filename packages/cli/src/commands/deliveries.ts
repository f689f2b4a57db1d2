import { verb } from "../kernel/verb.ts"
import { type Delivery, type DeliveryAttempt, deliveryStatuses } from "@edp/domain/destinations/Delivery"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { usage } from "../kernel/CliFailure.ts"
import { request } from "../kernel/Connection.ts"
import { Output, showTable } from "../kernel/Output.ts"
import { text, choices, workspaceId } from "../kernel/flags.ts"
import { given, pagingFlags, showList } from "../kernel/paging.ts"
import { type Column, renderCsv, renderRecord, renderTable } from "../kernel/table.ts"
import { id } from "./destinations.ts"

const lastAttempt = ({ attempts }: Delivery) => attempts[0]

const deliveryColumns: ReadonlyArray<Column<Delivery>> = [
  { title: "ID", value: (delivery) => delivery.id, whole: true },
  { title: "TIME", value: (delivery) => delivery.createdAt, time: true, whole: true, wide: true },
  { title: "EVENT", value: (delivery) => delivery.eventType, whole: true },
  { title: "STATUS", value: (delivery) => delivery.status, whole: true },
  { title: "TRIES", value: ({ attempts }) => attempts.length, whole: true, right: true },
  { title: "LAST", value: (delivery) => lastAttempt(delivery)?.error ?? lastAttempt(delivery)?.statusCode },
  { title: "NEXT", value: ({ nextAttemptAt }) => nextAttemptAt, time: true, whole: true, wide: true },
  { title: "EVENT ID", value: (delivery) => delivery.eventId, whole: true, wide: true }
]

const list = verb(
  "deliveries list",
  "List a destination's deliveries, newest first",
  {
    ...pagingFlags,
    id,
    status: choices("status", deliveryStatuses),
    workspaceId
  },
  ({ id, ...flags }) =>
    showList(flags, "deliveries", deliveryColumns, (query) =>
      request("destinations", "deliveries", { params: { id }, query })
    ),
  ["edp deliveries list DESTINATION_ID --status failed --all"]
)

/** Characters of a response in tables; --wide and --json show all that is stored. */
const FIRST = 200

const attemptColumns = (isWide: boolean): ReadonlyArray<Column<DeliveryAttempt>> => [
  { title: "TIME", value: ({ attemptedAt }) => attemptedAt, whole: true },
  { title: "STATUS", value: ({ statusCode }) => statusCode, right: true, whole: true },
  { title: "TOOK", value: ({ durationMs }) => `${durationMs} ms`, right: true, whole: true },
  { title: "ERROR", value: ({ error }) => error },
  { title: "RESPONSE", value: ({ responseBody }) => (isWide ? responseBody : responseBody?.slice(0, FIRST)) }
]

const deliveryFields = (delivery: Delivery) =>
  [
    ["id", delivery.id],
    ["event", `${delivery.eventType} ${delivery.eventId}`],
    ["status", delivery.status],
    ["created", delivery.createdAt],
    ["completed", delivery.completedAt],
    ["next attempt", delivery.nextAttemptAt]
  ] as const

const show = verb(
  "deliveries show",
  "Show a delivery with its attempts, newest first",
  { id, delivery: Argument.String("delivery").pipe(Argument.withDescription("Id of the delivery")), workspaceId },
  Effect.fnUntraced(function* ({ delivery: deliveryId, id, workspaceId }) {
    const output = yield* Output
    const delivery = yield* request("destinations", "delivery", {
      params: { id, deliveryId },
      query: given({ workspaceId })
    })
    const { attempts } = delivery
    const columns = attemptColumns(output.wide)
    const room = output.wide ? Number.POSITIVE_INFINITY : output.columns
    const text = () => [
      renderRecord(deliveryFields(delivery)),
      attempts.length === 0 ? "No attempt yet." : renderTable(columns, attempts, room)
    ]
    yield* output.show(
      delivery,
      () => text().join("\n\n"),
      () => renderCsv(attemptColumns(true), attempts)
    )
  }),
  ["edp deliveries show DESTINATION_ID DELIVERY_ID"]
)

const deliveryIds = Argument.String("delivery").pipe(
  Argument.withDescription("Ids of the deliveries to repeat"),
  Argument.atLeast(0)
)

const again = Effect.fnUntraced(function* (
  id: string,
  ids: ReadonlyArray<string>,
  query: { readonly workspaceId?: string }
) {
  const data = yield* Effect.forEach(ids, (deliveryId) =>
    request("destinations", "redeliver", { params: { id, deliveryId }, query })
  )
  yield* showTable({ data }, deliveryColumns, data)
})

const replay = Effect.fnUntraced(function* (
  id: string,
  payload: { readonly from: string; readonly to?: string; readonly failedOnly: boolean },
  query: { readonly workspaceId?: string }
) {
  const result = yield* request("destinations", "replay", { params: { id }, query, payload })
  yield* (yield* Output).show(result, () => `${result.deliveries} deliveries are queued again.`)
})

const retry = verb(
  "deliveries retry",
  "Repeat deliveries, by id or by time range",
  {
    id,
    deliveries: deliveryIds,
    from: text("from", "Instead of ids: failed deliveries of events at or after this date-time, at most 30 days ago"),
    to: text("to", "With --from: of events before this date-time"),
    everything: Flag.Boolean("everything").pipe(
      Flag.withDescription("With --from: successful deliveries, too"),
      Flag.withDefault(false)
    ),
    workspaceId
  },
  Effect.fnUntraced(function* ({ deliveries, everything, from, id, to, workspaceId }) {
    const query = given({ workspaceId })
    if (Option.isSome(from) && deliveries.length === 0) {
      return yield* replay(id, { from: from.value, ...given({ to }), failedOnly: !everything }, query)
    }
    if (Option.isSome(from) || Option.isSome(to) || everything || deliveries.length === 0) {
      return yield* usage("Pass either ids of deliveries, or --from")
    }
    yield* again(id, deliveries, query)
  }),
  ["edp deliveries retry DESTINATION_ID DELIVERY_ID", "edp deliveries retry DESTINATION_ID --from 2026-03-01T00:00:00Z"]
)

export const deliveries = Command.make("deliveries").pipe(
  Command.withDescription("Deliveries of events to destinations"),
  Command.withSubcommands([list, show, retry])
)
