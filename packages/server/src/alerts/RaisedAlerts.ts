import type { Alert } from "@edp/domain/alerts/Alert"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import { Ids } from "../platform/Ids.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { type Occurrence, groupOccurrences, type RaisedAlert } from "./alertOccurrences.ts"
import { type NamedAlerts, RaisedAlertsRepository, type Settled } from "./RaisedAlertsRepository.ts"

/** The alert, and whether it is new; otherwise the occurrence count of an existing one was increased. */
export interface Raised {
  readonly alert: Alert
  readonly made: boolean
}

const distinct = <A>(values: ReadonlyArray<A>) => [...new Set(values)]

/** Alerts of adapters and of the platform. Repeated reports of the same problem stay one alert. */
export class RaisedAlerts extends Context.Service<
  RaisedAlerts,
  {
    /**
     * Raises alerts; the results are in the order of the input. An alert with an external id updates and counts the one of
     * that id in its source system and workspace, and keeps its status. One without counts the OPEN or ACKNOWLEDGED alert
     * of the same device (else site), source system, type and subtype; a closed alert is never reopened, so a new one is
     * created. Joins the caller's transaction.
     */
    readonly raise: (alerts: ReadonlyArray<RaisedAlert>) => Effect.Effect<ReadonlyArray<Raised>, DatabaseUnavailable>
    /**
     * Resolves the open alerts of the given devices, source systems and types on behalf of `by`, and returns them. Ignored
     * alerts stay ignored. Joins the caller's transaction.
     */
    readonly settle: (
      settled: ReadonlyArray<Settled>,
      by: string
    ) => Effect.Effect<ReadonlyArray<Alert>, DatabaseUnavailable>
    /** The alerts of a source system with these external ids. */
    readonly named: (source: NamedAlerts) => Effect.Effect<ReadonlyArray<Alert>, DatabaseUnavailable>
    /**
     * Resolves the open ones of a source system's alerts on behalf of `by`. Their external ids become free, so that the same problem
     * raises a new alert when it comes back. Joins the caller's transaction.
     */
    readonly settleNamed: (source: NamedAlerts, by: string) => Effect.Effect<ReadonlyArray<Alert>, DatabaseUnavailable>
  }
>()("@edp/server/RaisedAlerts") {
  static readonly layer = Layer.effect(
    RaisedAlerts,
    Effect.gen(function* () {
      const repository = yield* RaisedAlertsRepository
      const outbox = yield* EventOutbox
      const ids = yield* Ids
      const sql = yield* SqlClient.SqlClient
      const transaction = transactionsOn(sql)

      const raiseUnnamed = (occurrences: ReadonlyArray<Occurrence>, now: Date) =>
        Effect.andThen(
          repository.lock(distinct(occurrences.map(({ raised }) => raised.workspaceId))),
          repository.raise(occurrences, now)
        )

      const write = Effect.fnUntraced(function* (occurrences: ReadonlyArray<Occurrence>, now: Date) {
        const named = occurrences.filter(({ raised }) => raised.externalId !== undefined)
        const others = occurrences.filter(({ raised }) => raised.externalId === undefined)
        const outcomes = [
          ...(named.length === 0 ? [] : yield* repository.raiseNamed(named, now)),
          ...(others.length === 0 ? [] : yield* raiseUnnamed(others, now))
        ]
        yield* outbox.publish(
          outcomes.map(({ raised, alert }) => ({
            type: alert.id === raised ? "ALERT_CREATED" : "ALERT_UPDATED",
            workspaceId: alert.workspaceId,
            data: { alert }
          }))
        )
        return outcomes
      })

      return {
        raise: Effect.fn("RaisedAlerts.raise")(function* (alerts) {
          if (alerts.length === 0) return []
          const now = yield* Clock.currentTimeMillis
          const { occurrences, findId } = groupOccurrences(alerts, () => ids.nextAt(now))
          const outcomes = yield* transaction(write(occurrences, new Date(now)))
          const alertById = new Map(outcomes.map(({ raised, alert }) => [raised, alert]))
          return alerts.map((raised) => {
            const id = findId(raised)
            const alert = alertById.get(id)!
            return { alert, made: alert.id === id }
          })
        }),
        settle: Effect.fn("RaisedAlerts.settle")(function* (settled, by) {
          if (settled.length === 0) return []
          return yield* Effect.gen(function* () {
            const alerts = yield* repository.settle(settled, by, new Date(yield* Clock.currentTimeMillis))
            yield* outbox.publish(
              alerts.map((alert) => ({ type: "ALERT_UPDATED", workspaceId: alert.workspaceId, data: { alert } }))
            )
            return alerts
          }).pipe(transaction)
        }),
        named: (source) => (source.externalIds.length === 0 ? Effect.succeed([]) : repository.named(source)),
        settleNamed: Effect.fn("RaisedAlerts.settleNamed")(function* (source, by) {
          if (source.externalIds.length === 0) return []
          return yield* Effect.gen(function* () {
            const alerts = yield* repository.settleNamed(source, by, new Date(yield* Clock.currentTimeMillis))
            yield* outbox.publish(
              alerts.map((alert) => ({ type: "ALERT_UPDATED", workspaceId: alert.workspaceId, data: { alert } }))
            )
            return alerts
          }).pipe(transaction)
        })
      }
    })
  )
}
