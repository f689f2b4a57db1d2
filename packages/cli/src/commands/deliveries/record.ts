import type { Delivery } from "@edp/domain/destinations/Delivery"
import type { Column } from "../../table.ts"

const lastOf = ({ attempts }: Delivery) => attempts[0]

export const deliveryColumns: ReadonlyArray<Column<Delivery>> = [
  { title: "ID", value: (delivery) => delivery.id, whole: true },
  { title: "TIME", value: (delivery) => delivery.createdAt, time: true, whole: true, wide: true },
  { title: "EVENT", value: (delivery) => delivery.eventType, whole: true },
  { title: "STATUS", value: (delivery) => delivery.status, whole: true },
  { title: "TRIES", value: ({ attempts }) => attempts.length, whole: true, right: true },
  { title: "LAST", value: (delivery) => lastOf(delivery)?.error ?? lastOf(delivery)?.statusCode },
  { title: "NEXT", value: ({ nextAttemptAt }) => nextAttemptAt, time: true, whole: true, wide: true },
  { title: "EVENT ID", value: (delivery) => delivery.eventId, whole: true, wide: true }
]
