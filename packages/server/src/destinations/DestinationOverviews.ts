import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { Delivery } from "@edp/domain/destinations/Delivery"
import {
  COUNTED_DELIVERIES,
  type DestinationOverview,
  type OverviewFilters
} from "@edp/domain/destinations/DestinationOverview"
import { NotFound } from "@edp/domain/errors/ApiErrors"
import type { PageOf } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { Events } from "../events/Events.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { paginate } from "../platform/sql/lists.ts"
import { iso, isoOrNull } from "../platform/sql/records.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { DestinationSecrets } from "./DestinationSecrets.ts"
import { DestinationsRepository } from "./DestinationsRepository.ts"
import { DeliveriesRepository } from "./delivery/DeliveriesRepository.ts"
import { OutcomesRepository } from "./delivery/DeliveryRecorder.ts"
import { BY_OPERATOR } from "./destinationRules.ts"
import { type DestinationRow, auditedDestination, publicUrl } from "./destinationRow.ts"
import { queryRows } from "../platform/sql/rows.ts"

/** How the deliveries of a destination go. */
export const HealthRow = Schema.Struct({
  id: Schema.String,
  pending: Schema.Finite,
  oldestPendingAt: Schema.NullOr(Schema.Date),
  failed: Schema.Finite,
  failingSince: Schema.NullOr(Schema.Date),
  failures: Schema.Finite,
  pausedUntil: Schema.NullOr(Schema.Date)
})
export type HealthRow = typeof HealthRow.Type

const statements = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    /** The health of destinations. Of each at most `most` deliveries are counted. Planned for the number of ids. */
    read: (ids: ReadonlyArray<string>, most: number) =>
      queryRows(HealthRow)(
        sql`SELECT d.id, waiting.pending, waiting."oldestPendingAt", lost.failed,
            d.failing_since AS "failingSince", coalesce(q.failures, 0) AS failures,
            CASE WHEN isfinite(q.not_before) AND q.not_before > now() THEN q.not_before END AS "pausedUntil"
          FROM destinations d LEFT JOIN delivery_queues q ON q.destination_id = d.id
          CROSS JOIN LATERAL (
            SELECT count(*)::int AS pending, min(created_at) AS "oldestPendingAt" FROM (
              SELECT created_at FROM deliveries WHERE destination_id = d.id AND status = 'pending' LIMIT ${most}) AS counted
          ) AS waiting
          CROSS JOIN LATERAL (
            SELECT count(*)::int AS failed FROM (
              SELECT FROM deliveries WHERE destination_id = d.id AND status = 'failed' LIMIT ${most}) AS counted
          ) AS lost
          WHERE d.id = ANY(${ids}::text[])`.unprepared
      ).pipe(Effect.map((rows) => new Map(rows.map((row) => [row.id, row]))))
  }
})

type Caller = CurrentKey["Service"]
type Query = Schema.Struct.Type<typeof OverviewFilters>

const toHealth = (row: HealthRow | undefined): DestinationOverview["health"] => ({
  pending: row?.pending ?? 0,
  oldestPendingAt: isoOrNull(row?.oldestPendingAt ?? null),
  failed: row?.failed ?? 0,
  failingSince: isoOrNull(row?.failingSince ?? null),
  failures: row?.failures ?? 0,
  pausedUntil: isoOrNull(row?.pausedUntil ?? null)
})

/** Destinations for operators: without secrets, and with how their deliveries go. */
export class DestinationOverviews extends Context.Service<
  DestinationOverviews,
  {
    readonly list: (caller: Caller, query: Query) => Effect.Effect<PageOf<DestinationOverview>, DatabaseUnavailable>
    readonly get: (caller: Caller, id: string) => Effect.Effect<DestinationOverview, NotFound | DatabaseUnavailable>
    readonly deactivate: (
      caller: Caller,
      id: string
    ) => Effect.Effect<DestinationOverview, NotFound | DatabaseUnavailable>
    /** The deliveries of an event to the destinations that the workspace has now. */
    readonly eventDeliveries: (
      caller: Caller,
      eventId: string
    ) => Effect.Effect<ReadonlyArray<Delivery>, NotFound | DatabaseUnavailable>
  }
>()("@edp/server/DestinationOverviews") {
  static readonly layer = Layer.effect(
    DestinationOverviews,
    Effect.gen(function* () {
      const repository = yield* DestinationsRepository
      const deliveries = yield* DeliveriesRepository
      const healths = yield* statements
      const outcomes = yield* OutcomesRepository
      const events = yield* Events
      const secrets = yield* DestinationSecrets
      const trail = yield* AuditTrail
      const sql = yield* SqlClient.SqlClient
      const transaction = transactionsOn(sql)

      const overview = Effect.fnUntraced(function* (row: DestinationRow, health: HealthRow | undefined) {
        const now = yield* Clock.currentTimeMillis
        const isOverlapping = (row.previousSecretUntil?.getTime() ?? 0) > now
        return {
          id: row.id,
          workspaceId: row.workspaceId,
          label: row.label,
          destinationType: row.destinationType,
          deviceType: row.deviceType,
          eventTypes: row.eventTypes,
          url: publicUrl(row),
          email: row.email,
          phoneNumber: row.phoneNumber,
          manufacturer: row.manufacturer,
          kafkaConfig: row.kafkaConfig,
          includeWeather: row.includeWeather === true,
          headerNames: Object.keys((yield* secrets.openHeaders(row)) ?? {}),
          isSigned: row.sealedSecret !== null,
          previousSecretUntil: isOverlapping ? isoOrNull(row.previousSecretUntil) : null,
          deactivated: row.deactivatedAt !== null,
          deactivatedAt: isoOrNull(row.deactivatedAt),
          deactivatedReason: row.deactivatedReason,
          createdAt: iso(row.createdAt),
          updatedAt: iso(row.updatedAt),
          health: toHealth(health)
        } satisfies DestinationOverview
      })

      const get = Effect.fnUntraced(function* ({ workspaceId }: Caller, id: string) {
        const [row] = yield* repository.get(workspaceId, id)
        if (row === undefined) return yield* new NotFound({})
        const found = yield* healths.read([id], COUNTED_DELIVERIES)
        return yield* overview(row, found.get(id))
      })

      return {
        list: Effect.fn("DestinationOverviews.list")(function* ({ workspaceId }, { destinationType, ...paging }) {
          const list = (limit: number, offset: number) => repository.list(workspaceId, destinationType, limit, offset)
          const { data, ...rest } = yield* paginate(paging, 10, list, repository.count(workspaceId, destinationType))
          const found = yield* healths.read(
            data.map(({ id }) => id),
            COUNTED_DELIVERIES
          )
          return { ...rest, data: yield* Effect.forEach(data, (row) => overview(row, found.get(row.id))) }
        }),
        get: Effect.fn("DestinationOverviews.get")(get),
        deactivate: Effect.fn("DestinationOverviews.deactivate")(function* (caller, id) {
          yield* Effect.gen(function* () {
            const [before] = yield* repository.lock(caller.workspaceId, id)
            if (before === undefined) return yield* new NotFound({})
            if (before.deactivatedAt !== null) return
            const now = new Date(yield* Clock.currentTimeMillis)
            yield* outcomes.deactivate([id], BY_OPERATOR, now)
            const after = { ...before, deactivatedAt: now, deactivatedReason: BY_OPERATOR, updatedAt: now }
            yield* trail.record({
              action: "destination.deactivate",
              resourceId: id,
              workspaceId: before.workspaceId,
              before: auditedDestination(before),
              after: auditedDestination(after)
            })
          }).pipe(transaction)
          return yield* get(caller, id)
        }),
        eventDeliveries: Effect.fn("DestinationOverviews.eventDeliveries")(function* (caller, eventId) {
          yield* events.get(caller, eventId)
          return yield* deliveries.ofEvent(caller.workspaceId, eventId)
        })
      }
    })
  )
}
