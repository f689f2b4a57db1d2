import type { Alert } from "@edp/domain/alerts/Alert"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import { Ids } from "../platform/Ids.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { type Occurrence, occurrencesOf, type RaisedAlert } from "./raisedAlert.ts"
import { RaisedAlertsRepository, type Settled } from "./RaisedAlertsRepository.ts"

/** What was raised, and whether an alert was made for it; else one that was there is counted up. */
export interface Raised {
  readonly alert: Alert
  readonly made: boolean
}

const distinct = <A>(values: ReadonlyArray<A>) => [...new Set(values)]

/** Alerts that nobody types in: sources tell of the same thing again and again, and it stays one alert. */
export class RaisedAlerts extends Context.Service<
  RaisedAlerts,
  {
    /**
     * Raises alerts, and answers in their order what each became. One with an external id is that of this name in its
     * source system and workspace, which is brought up to date and counted, and keeps its status. One without is that of
     * the same device (else site), source system, type and subtype which is OPEN or ACKNOWLEDGED, which is counted up; a
     * closed one is never opened again, so a new one is made. Joins the caller's transaction.
     */
    readonly raise: (alerts: ReadonlyArray<RaisedAlert>) => Effect.Effect<ReadonlyArray<Raised>>
    /**
     * Resolves the open alerts of the devices that the source system raised of the type; `by` is who says so. What
     * somebody chose to ignore stays ignored. Answers the alerts it resolved. Joins the caller's transaction.
     */
    readonly settle: (settled: ReadonlyArray<Settled>, by: string) => Effect.Effect<ReadonlyArray<Alert>>
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
          const { occurrences, idOf } = occurrencesOf(alerts, () => ids.nextAt(now))
          const outcomes = yield* transaction(write(occurrences, new Date(now)))
          const alertOf = new Map(outcomes.map(({ raised, alert }) => [raised, alert]))
          return alerts.map((raised) => {
            const id = idOf(raised)
            const alert = alertOf.get(id)!
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
        })
      }
    })
  )
}
