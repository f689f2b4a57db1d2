import type { Delivery, DeliveryAttempt } from "@edp/domain/destinations/Delivery"
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { Output } from "../../Output.ts"
import { type Column, renderCsv, renderRecord, renderTable } from "../../table.ts"
import { id, ofWorkspace, workspace } from "../destinations/flags.ts"

/** Characters of an answer in a table; --wide and --json show all that is kept of it. */
const FIRST = 200

const attemptColumns = (isWide: boolean): ReadonlyArray<Column<DeliveryAttempt>> => [
  { title: "TIME", value: ({ attemptedAt }) => attemptedAt, whole: true },
  { title: "STATUS", value: ({ statusCode }) => statusCode, right: true, whole: true },
  { title: "TOOK", value: ({ durationMs }) => `${durationMs} ms`, right: true, whole: true },
  { title: "ERROR", value: ({ error }) => error },
  { title: "ANSWER", value: ({ responseBody }) => (isWide ? responseBody : responseBody?.slice(0, FIRST)) }
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

export const show = Command.make(
  "show",
  { id, delivery: Argument.String("delivery").pipe(Argument.withDescription("Id of the delivery")), workspace },
  Effect.fn("deliveries.show")(function* ({ delivery: deliveryId, id, workspace }) {
    const output = yield* Output
    const call = yield* (yield* Connection).endpoint("destinations", "delivery")
    const delivery = yield* call({ params: { id, deliveryId }, query: ofWorkspace(workspace) })
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
  })
).pipe(
  Command.withDescription("Show a delivery with its attempts, newest first"),
  Command.withExamples([{ command: "edp deliveries show DESTINATION_ID DELIVERY_ID" }])
)
