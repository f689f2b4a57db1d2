import { Clock, Context, Effect, Layer, Metric, Option, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { makeIsolation } from "../../platform/jobs/isolation.ts"
import { ArchiveBorder } from "../archive/ArchiveBorder.ts"
import { ArchivedReadings } from "../archive/ArchivedReadings.ts"
import { ReadingsArchive } from "../archive/ReadingsArchive.ts"
import { SealingPlanner } from "./SealingPlanner.ts"
import { KeptReadings } from "./KeptReadings.ts"
import { RetentionLimits } from "./RetentionLimits.ts"
import { keptFromOn, type SealingPlan } from "./sealingPlan.ts"
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

/** The last device of a batch, and how many of the batch could not be processed. */
interface SealedBatch {
  readonly last: string
  readonly left: number
}

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
      const { plan } = yield* SealingPlanner
      const kept = yield* KeptReadings
      const archive = yield* ReadingsArchive
      const archived = yield* ArchivedReadings
      const border = yield* ArchiveBorder
      const limits = yield* RetentionLimits
      const sql = yield* SqlClient.SqlClient
      const isolation = yield* makeIsolation("retention of readings")

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

      /** The archived readings that the rollups of devices need. */
      const archivedParts = Effect.fnUntraced(function* (keptFrom: number, plans: ReadonlyArray<SealingPlan>) {
        const archivedUntil = yield* border.current
        const open = yield* archived.readable(plans.map(({ deviceId }) => deviceId))
        if (archivedUntil === 0 || open.size === 0) return { kept: [], firstTimes: new Map<string, number>() }
        const pieces = plans
          .filter(({ deviceId }) => open.has(deviceId))
          .flatMap(({ deviceId, kept: spans }) =>
            spans.map(({ from, to }) => ({ deviceId, from, to: Math.min(to, archivedUntil) }))
          )
          .filter(({ from, to }) => from < to)
        const found = yield* Effect.forEach(pieces, ({ deviceId, ...span }) =>
          Effect.map(archive.page(deviceId, span, "asc", 2_147_483_647, 0), (readings) =>
            readings.map(({ at, state }) => ({ deviceId, at, state }))
          )
        )
        const firstTimes =
          keptFrom < archivedUntil
            ? yield* archive.firstTimes([...open], { from: keptFrom, to: archivedUntil })
            : new Map<string, number>()
        return { kept: found.flat(), firstTimes }
      })

      /** Seals devices, unless another instance is sealing. Returns how many. */
      const seal = (keptFrom: number, ids: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          if (!(yield* repository.alone)) return 0
          const plans = yield* plan(keptFrom, ids)
          const parts = yield* archivedParts(keptFrom, plans)
          const held = yield* repository.hold(keptFrom, plans)
          yield* repository.seal(
            keptFrom,
            plans.filter(({ deviceId }) => held.has(deviceId)),
            { ...parts, kept: parts.kept.filter(({ deviceId }) => held.has(deviceId)) }
          )
          return held.size
        }).pipe(transactionsOn(sql))

      const sealBatch = Effect.fnUntraced(function* (keptFrom: number, after: string) {
        if (!(yield* transactionsOn(sql)(repository.alone))) return "elsewhere"
        const ids = yield* repository.devicesBefore(keptFrom, after, limits.devices)
        if (ids.length === 0) return "done"
        const sealed = yield* isolation.run(
          ids,
          (id) => id,
          (some) => seal(keptFrom, some)
        )
        return { last: ids.at(-1)!, left: ids.length - sealed } satisfies SealedBatch
      })

      /** Makes rollups independent of the readings before an instant. Returns whether that is complete; can be repeated. */
      const sealBefore = Effect.fnUntraced(function* (keptFrom: number) {
        let left = 0
        for (let after = ""; ;) {
          const outcome = yield* sealBatch(keptFrom, after)
          if (outcome === "elsewhere") return false
          if (outcome === "done") break
          after = outcome.last
          left += outcome.left
        }
        if (left === 0) yield* repository.settle(keptFrom)
        return left === 0
      })

      const dropOld = Effect.gen(function* () {
        if (Option.isSome(telemetryRetentionDays)) yield* raise(telemetryRetentionDays.value)
        const { keptFrom, sealed } = yield* repository.floor
        const months = yield* repository.monthsBefore(keptFrom)
        if (months.length === 0 && (sealed || !(yield* repository.isArchived))) return false
        if (!sealed && !(yield* sealBefore(keptFrom))) return true
        if (!(yield* repository.isUnread(limits.lag))) return true
        for (const month of months) if (!(yield* drop(month))) return true
        return false
      })

      return { dropOld: Effect.withSpan(dropOld, "ReadingRetention.dropOld") }
    })
  )
}
