import { Alert } from "@edp/domain/alerts/Alert"
import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { Command } from "@edp/domain/commands/Command"
import { ConnectSession } from "@edp/domain/connections/ConnectSession"
import { Customer } from "@edp/domain/customers/Customer"
import type { Delivery, DeliveryFilters, ReplayDeliveries, TestResult } from "@edp/domain/destinations/Delivery"
import { Enrollment } from "@edp/domain/enrollments/Enrollment"
import {
  InvalidState,
  NotFound,
  type ValidationError,
  type WorkspaceNotFound,
  invalid
} from "@edp/domain/errors/ApiErrors"
import type { Event } from "@edp/domain/events/Event"
import type { EventType } from "@edp/domain/events/EventType"
import { exampleEvent } from "@edp/domain/openapi/examples"
import { exampleIds } from "@edp/domain/shared/Cuid"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import { Site } from "@edp/domain/sites/Site"
import { Clock, Context, Effect, Layer, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AuditTrail } from "../../audit/AuditTrail.ts"
import { Ids, beginningOfIds } from "../../platform/Ids.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { outsideRequest } from "../../platform/sql/RequestTransaction.ts"
import { type CursorList, paginateById, refusePageWithCursor } from "../../platform/sql/lists.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { Workspaces } from "../../workspaces/Workspaces.ts"
import { DestinationsRepository } from "../DestinationsRepository.ts"
import { EventWeather } from "./EventWeather.ts"
import { HourlyCaps } from "./HourlyCaps.ts"
import { COUNT_DIGITS, FanOutRepository } from "./FanOut.ts"
import { DestinationSecrets } from "../DestinationSecrets.ts"
import type { DestinationRow } from "../destinationRow.ts"
import { Senders } from "../senders/Senders.ts"
import { makeIsolation } from "../../platform/jobs/isolation.ts"
import { DeliveriesRepository, OLD_DELIVERIES, ORPHANS } from "./DeliveriesRepository.ts"

const schemas = { Alert, Command, ConnectSession, Customer, Enrollment, Site }

const findExample = (name: string) => {
  const { ast } = schemas[name as keyof typeof schemas]
  const [example] = (ast.annotations as { readonly examples?: ReadonlyArray<object> }).examples ?? []
  if (example === undefined) throw new Error(`${name} has no example`)
  return example
}

/** Lower than any real sequence, so receivers that keep the last sequence per subject are not misled. */
const FIRST = 1

/** The example of the reference for an event type, to test a receiver with. COMMAND_SCHEDULED for destinations without event types. */
const sampleEvent = (type: EventType = "COMMAND_SCHEDULED", id: string, workspaceId: string, now: number) => {
  const example = JSON.stringify(exampleEvent(type, findExample)).replaceAll(exampleIds.workspace, workspaceId)
  return { ...JSON.parse(example), id, sequence: FIRST, timestamp: new Date(now).toISOString() } as Event
}

type Caller = CurrentKey["Service"]
type OfWorkspace = { readonly workspaceId?: string }
type Query = Schema.Struct.Type<typeof DeliveryFilters> & OfWorkspace
type Absent = NotFound | WorkspaceNotFound

/** Deliveries are kept as long as events, in milliseconds. */
const KEPT = 30 * 24 * 60 * 60 * 1000
/** Rows that one statement of a replay or of the retention handles. */
const BATCH = 2000
/** Deleted destinations of one statement. */
const DESTINATIONS = 100

/** The deliveries of a destination: lists, tests, redelivery, replay and retention. */
export class Deliveries extends Context.Service<
  Deliveries,
  {
    readonly list: (
      caller: Caller,
      id: string,
      query: Query
    ) => Effect.Effect<CursorList<Delivery>, ValidationError | Absent | DatabaseUnavailable>
    readonly get: (
      caller: Caller,
      id: string,
      deliveryId: string,
      of: OfWorkspace
    ) => Effect.Effect<Delivery, Absent | DatabaseUnavailable>
    /** Sends a sample event of this type, by default of the first type that the destination subscribes to. */
    readonly test: (
      caller: Caller,
      id: string,
      of: OfWorkspace,
      type?: EventType
    ) => Effect.Effect<TestResult, Absent | DatabaseUnavailable>
    readonly redeliver: (
      caller: Caller,
      id: string,
      deliveryId: string,
      of: OfWorkspace
    ) => Effect.Effect<Delivery, InvalidState | Absent | DatabaseUnavailable>
    readonly replay: (
      caller: Caller,
      id: string,
      of: OfWorkspace,
      input: ReplayDeliveries
    ) => Effect.Effect<{ readonly deliveries: number }, ValidationError | InvalidState | Absent | DatabaseUnavailable>
    /** Deletes deliveries that are too old, and those of deleted destinations. */
    readonly clear: Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/Deliveries") {
  static readonly layer = Layer.effect(
    Deliveries,
    Effect.gen(function* () {
      const repository = yield* DeliveriesRepository
      const destinations = yield* DestinationsRepository
      const fanOut = yield* FanOutRepository
      const workspaces = yield* Workspaces
      const senders = yield* Senders
      const secrets = yield* DestinationSecrets
      const caps = yield* HourlyCaps
      const weather = yield* EventWeather
      const trail = yield* AuditTrail
      const ids = yield* Ids
      const sql = yield* SqlClient.SqlClient
      const transaction = transactionsOn(sql)
      const oldIsolation = yield* makeIsolation(OLD_DELIVERIES)
      const orphanIsolation = yield* makeIsolation(ORPHANS)

      const find = Effect.fnUntraced(function* (caller: Caller, id: string, of: OfWorkspace) {
        const workspaceId = yield* workspaces.chosenBy(caller, of.workspaceId)
        const [row] = yield* destinations.get(workspaceId, id)
        return row ?? (yield* new NotFound({}))
      })

      const findRepeatable = Effect.fnUntraced(function* (caller: Caller, id: string, of: OfWorkspace) {
        const row = yield* find(caller, id, of)
        if (row.deactivatedAt !== null) {
          return yield* new InvalidState({ message: "The destination is deactivated: activate it first" })
        }
        // A command may be late: whoever wants it again issues a new one.
        if (row.destinationType === "MANUFACTURER_COMMAND") {
          return yield* new InvalidState({ message: "Commands are not delivered again: issue a new one" })
        }
        return row
      })

      /** Replays all events of the span in batches. Returns the number of deliveries. */
      const everything = (destination: DestinationRow, from: Date, to: Date) => {
        const part = (after: number, so: number): Effect.Effect<number, DatabaseUnavailable> =>
          Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            const span = { after, from, to, limit: BATCH }
            const given = yield* fanOut.storeAgain(destination, span, beginningOfIds(now, COUNT_DIGITS), new Date(now))
            const begun = so + given.stored
            return given.selected < BATCH ? begun : yield* part(given.last!, begun)
          })
        return part(0, 0)
      }

      const failed = (id: string, from: number, to: number) => {
        const part = (so: number): Effect.Effect<number, DatabaseUnavailable> =>
          Effect.flatMap(repository.failedAgain(id, from, to, BATCH), (begun) =>
            begun < BATCH ? Effect.succeed(so + begun) : part(so + begun)
          )
        return part(0)
      }

      const clearOrphans = Effect.fnUntraced(function* (destinationIds: ReadonlyArray<string>) {
        for (const id of destinationIds) {
          yield* Effect.repeat(repository.clearOrphans(id, BATCH), { while: (more) => more })
        }
        return destinationIds.length
      })

      return {
        list: Effect.fn("Deliveries.list")(function* (caller, id, query) {
          // Before the destination is looked up.
          yield* refusePageWithCursor(query)
          yield* find(caller, id, query)
          return yield* paginateById(
            query,
            ({ before, limit, offset }) => repository.list(id, query.status, before, limit, offset),
            repository.count(id, query.status)
          )
        }),
        get: Effect.fn("Deliveries.get")(function* (caller, id, deliveryId, of) {
          yield* find(caller, id, of)
          const [delivery] = yield* repository.get(id, deliveryId)
          return delivery ?? (yield* new NotFound({}))
        }),
        // A sent message cannot be rolled back, and a transaction must not wait for a receiver.
        test: Effect.fn("Deliveries.test")(function* (caller, id, of, type) {
          const row = yield* find(caller, id, of)
          const target = yield* secrets.target(row)
          const until = yield* caps.take(target)
          if (until !== null) {
            const limit = caps.limitFor(target.destinationType)
            const error = `Not sent: the recipient has got the ${limit} messages of this hour; the next can be sent at ${until.toISOString()}`
            return { succeeded: false, statusCode: null, durationMs: 0, error, responseBody: null }
          }
          const now = yield* Clock.currentTimeMillis
          const sample = sampleEvent(type ?? row.eventTypes[0], ids.nextAt(now), row.workspaceId, now)
          const event = target.includeWeather ? yield* weather.withWeather(sample) : sample
          const begun = yield* Clock.currentTimeMillis
          const { response, error, statusCode, succeeded } = yield* senders.send(target, event)
          const ended = yield* Clock.currentTimeMillis
          return { succeeded, statusCode, durationMs: ended - begun, error, responseBody: response }
        }, outsideRequest),
        redeliver: Effect.fn("Deliveries.redeliver")(function* (caller, id, deliveryId, of) {
          const { workspaceId } = yield* findRepeatable(caller, id, of)
          return yield* Effect.gen(function* () {
            yield* repository.again(id, deliveryId)
            const [delivery] = yield* repository.get(id, deliveryId)
            if (delivery === undefined) return yield* new NotFound({})
            yield* trail.record({
              action: "destination.redeliver",
              resourceId: id,
              workspaceId,
              after: { deliveryId }
            })
            return delivery
          }).pipe(transaction)
        }),
        replay: Effect.fn("Deliveries.replay")(function* (caller, id, of, input) {
          const destination = yield* findRepeatable(caller, id, of)
          const now = yield* Clock.currentTimeMillis
          const from = parseTimestamp(input.from)!
          const to = input.to === undefined ? now : parseTimestamp(input.to)!
          if (from < now - KEPT) return yield* invalid({ from: "Must be at most 30 days ago" })
          if (to < from) return yield* invalid({ to: "Must not be before from" })
          // Recorded before the first batch, so that a replay which fails half-way is known.
          const span = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
          yield* trail
            .record({
              action: "destination.replay",
              resourceId: id,
              workspaceId: destination.workspaceId,
              after: { ...span, failedOnly: input.failedOnly === true }
            })
            .pipe(transaction)
          const deliveries = yield* input.failedOnly === true
            ? failed(id, from, to)
            : everything(destination, new Date(from), new Date(to))
          return { deliveries }
        }),
        clear: Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          for (let cleared = BATCH; cleared > 0;) {
            const old = yield* repository.old(now - KEPT, BATCH)
            cleared = yield* oldIsolation.runIds(old, (ids) => Effect.as(repository.clear(ids), ids.length))
          }
          for (let cleared = 1; cleared > 0;) {
            const orphaned = yield* repository.orphaned(DESTINATIONS)
            cleared = yield* orphanIsolation.runIds(orphaned, clearOrphans)
          }
          yield* caps.clear
        }).pipe(Effect.withSpan("Deliveries.clear"))
      }
    })
  )
}
