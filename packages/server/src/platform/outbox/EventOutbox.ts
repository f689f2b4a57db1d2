import type { EventData } from "@edp/domain/events/Event"
import type { EventType } from "@edp/domain/events/EventType"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { beginningOfIds } from "../Ids.ts"
import type { DatabaseUnavailable } from "../sql/DatabaseUnavailable.ts"
import { InTransaction, query } from "../sql/transaction.ts"
import { EventPartitions } from "./EventPartitions.ts"

/** An event for the transaction that causes it. */
type NewEvent = {
  readonly [Type in EventType]: {
    readonly type: Type
    readonly workspaceId: string
    readonly data: EventData[Type]
  }
}[EventType]

/** The subject of an event and the ids by which events are found. */
interface EventSubject {
  /** The device, site, customer or alert whose events are delivered in order; for a command its device. */
  readonly subject: string
  readonly deviceId: string | null
  readonly siteId: string | null
}

/** The digits of an id that count the events of a transaction. */
const COUNT_DIGITS = 4

const nowhere = { deviceId: null, siteId: null }

export const eventSubject = ({ data }: Pick<NewEvent, "data">): EventSubject => {
  if ("device" in data) {
    return { subject: data.device.id, deviceId: data.device.id, siteId: data.device.siteId }
  }
  if ("alert" in data) {
    const { id, deviceId, siteId } = data.alert
    return { subject: id, deviceId, siteId }
  }
  if ("site" in data) return { subject: data.site.id, deviceId: null, siteId: data.site.id }
  if ("command" in data) return { ...nowhere, subject: data.deviceId, deviceId: data.deviceId }
  if ("enrollment" in data) {
    const { customerId, siteId } = data.enrollment
    return { ...nowhere, subject: customerId, siteId }
  }
  if ("customer" in data) return { ...nowhere, subject: data.customer.id }
  return { ...nowhere, subject: (data.session ?? data.account)!.id, siteId: data.session?.siteId ?? null }
}

const toRow = ({ data, id, type, workspaceId }: NewEvent & { readonly id: string }) => {
  const { subject, deviceId, siteId } = eventSubject({ data })
  return { id, workspaceId, type, subject, deviceId, siteId, payload: data }
}

const outboxStatements = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const partitions = yield* EventPartitions
  return {
    /** For a transaction. Takes the lock before the first sequence. */
    insert: (events: ReadonlyArray<NewEvent & { readonly id: string }>, now: Date) =>
      Effect.andThen(
        partitions.ensure(now.getTime()),
        query(sql`WITH held AS MATERIALIZED (SELECT hold_event_sequence())
          INSERT INTO events (id, sequence, workspace_id, type, subject, device_id, site_id, created_at, payload)
          SELECT id, nextval('event_sequence'), "workspaceId", type, subject, "deviceId", "siteId", ${now}, payload
          FROM held CROSS JOIN jsonb_to_recordset(${JSON.stringify(events.map(toRow))}::jsonb)
            AS given (id text, "workspaceId" text, type text, subject text, "deviceId" text, "siteId" text, payload jsonb)`)
      )
  }
})

/** Publishes events. */
export class EventOutbox extends Context.Service<
  EventOutbox,
  {
    /**
     * For the transaction of the change: neither exists without the other. Events keep the given order. Call it after the
     * subjects were written or locked, so that their events are in the order of their changes.
     */
    readonly publish: (events: ReadonlyArray<NewEvent>) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/EventOutbox") {
  static readonly layer = Layer.effect(
    EventOutbox,
    Effect.gen(function* () {
      const repository = yield* outboxStatements

      const insert = (events: ReadonlyArray<NewEvent>) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          // Events are found by the time in their ids, so it must be theirs, also after the clock was set back.
          const begin = beginningOfIds(now, COUNT_DIGITS)
          const id = (n: number) => begin + n.toString(36).padStart(COUNT_DIGITS, "0")
          return repository.insert(
            events.map((event, n) => ({ ...event, id: id(n) })),
            new Date(now)
          )
        })

      return {
        publish: (events) =>
          Effect.flatMap(InTransaction, (inside) => {
            if (!inside) return Effect.die(new Error("Events are published in the transaction of their cause"))
            return events.length === 0 ? Effect.void : insert(events)
          })
      }
    })
  ).pipe(Layer.provide(EventPartitions.layer))
}
