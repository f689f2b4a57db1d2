import { Clock, Context, Effect, Layer, Metric, Option, Schedule } from "effect"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { KeptReadings } from "./KeptReadings.ts"
import { RetentionLimits } from "./RetentionLimits.ts"
import { makeRollupSealing } from "./RollupSealing.ts"
import { keptFromOn } from "./sealingPlan.ts"
import { RetentionRepository } from "./RetentionRepository.ts"

const dropped = Metric.counter("edp_readings_months_dropped_total", {
  description: "Months of readings that this instance dropped because they are older than EDP_TELEMETRY_RETENTION",
  incremental: true
})
const waiting = Metric.gauge("edp_readings_unrolled_devices", {
  description: "Devices whose old readings are kept until their energies are rolled up"
})

/** Retries for a month that is in use. */
const AGAIN = { times: 4, schedule: Schedule.spaced("500 millis") }

const day = (at: number) => new Date(at).toISOString().slice(0, 10)

/**
 * Drops readings older than the retention, by whole months. A crash after any of the steps leaves a valid state:
 *
 *  1. Once the rollups cover a time, its readings are declared dropped. From then on they are neither shown nor accepted.
 *  2. The few readings that rollups still need are moved to another table, and older rollups are sealed.
 *  3. When no transaction that began before is left, the months' tables are dropped.
 */
export class ReadingRetention extends Context.Service<
  ReadingRetention,
  {
    /** Does what can be done now, and returns whether more can be done soon. */
    readonly dropOld: Effect.Effect<boolean, DatabaseUnavailable>
  }
>()("@edp/server/ReadingRetention") {
  static readonly layer = Layer.effect(
    ReadingRetention,
    Effect.gen(function* () {
      const { telemetryRetentionDays } = yield* ServerConfig
      const repository = yield* RetentionRepository
      const kept = yield* KeptReadings
      const limits = yield* RetentionLimits
      const sealBefore = yield* makeRollupSealing

      /** Declares readings older than the retention dropped once the rollups cover them. */
      const raise = Effect.fnUntraced(function* (days: number) {
        const keptFrom = keptFromOn(yield* Clock.currentTimeMillis, days)
        if (keptFrom <= (yield* repository.floor).keptFrom) return
        if ((yield* repository.monthsBefore(keptFrom)).length === 0 && !(yield* repository.isArchived)) return
        const { devices, example } = yield* repository.unrolledBefore(keptFrom)
        yield* Metric.update(waiting, devices)
        if (devices === 0) {
          yield* repository.raise(keptFrom)
          yield* kept.refresh
          return yield* Effect.logInfo(`Readings before ${day(keptFrom)} are no longer kept`)
        }
        yield* Effect.logWarning(
          `Readings before ${day(keptFrom)} stay until the energies of ${devices} devices are rolled up, such as ${example}`
        )
      })

      const drop = Effect.fnUntraced(function* (month: string) {
        const done = yield* repository.drop(month).pipe(Effect.repeat({ ...AGAIN, until: (isDropped) => isDropped }))
        if (!done) return false
        yield* Metric.update(dropped, 1)
        yield* Effect.logInfo(`The readings of ${month.slice(0, 7)} are dropped`)
        return true
      })

      const dropOld = Effect.gen(function* () {
        if (Option.isSome(telemetryRetentionDays)) yield* raise(telemetryRetentionDays.value)
        const { keptFrom, sealed } = yield* repository.floor
        const months = yield* repository.monthsBefore(keptFrom)
        if (months.length === 0 && (sealed || !(yield* repository.isArchived))) return false
        if (!sealed) {
          if (!(yield* sealBefore(keptFrom))) return true
          yield* repository.settle(keptFrom)
        }
        if (!(yield* repository.isUnread(limits.lag))) return true
        for (const month of months) if (!(yield* drop(month))) return true
        return false
      })

      return { dropOld: Effect.withSpan(dropOld, "ReadingRetention.dropOld") }
    })
  )
}
