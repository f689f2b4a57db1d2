import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeIsolation } from "../../platform/jobs/isolation.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { KeptReadings } from "./KeptReadings.ts"
import { RetentionLimits } from "./RetentionLimits.ts"
import { RetentionRepository } from "./RetentionRepository.ts"
import { makeRollupSealing } from "./RollupSealing.ts"
import { keptDayOn } from "./sealingPlan.ts"
import { type Floor, WorkspaceFloorsRepository } from "./WorkspaceFloorsRepository.ts"

/** Devices whose removal is recorded at once. */
const DEVICES = 200

const day = (at: number) => new Date(at).toISOString().slice(0, 10)

/**
 * Removes readings that workspaces no longer keep, by days. The steps are those of `ReadingRetention`, for the devices of a type in a
 * workspace; the last one deletes the readings of device after device. Any instance continues after a stop.
 */
export class WorkspaceRemoval extends Context.Service<
  WorkspaceRemoval,
  {
    /** Does what can be done now. */
    readonly removeOld: Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/WorkspaceRemoval") {
  static readonly layer = Layer.effect(
    WorkspaceRemoval,
    Effect.gen(function* () {
      const repository = yield* RetentionRepository
      const floors = yield* WorkspaceFloorsRepository
      const kept = yield* KeptReadings
      const { lag } = yield* RetentionLimits
      const sealBefore = yield* makeRollupSealing
      const transaction = transactionsOn(yield* SqlClient.SqlClient)
      const isolation = yield* makeIsolation("removal of workspaces' readings")
      /** The boundaries that were last found to wait for rollups, which are logged once, and those without older readings. */
      const waiting = new Map<string, number>()
      const passed = new Map<string, number>()

      const describeFloor = ({ deviceType, workspaceId }: Floor) => `type ${deviceType} in the workspace ${workspaceId}`

      /** Returns the new boundary once the rollups cover all before it. */
      const raise = Effect.fnUntraced(function* (floor: Floor, now: number) {
        const keptFrom = floor.days === null ? 0 : keptDayOn(now, floor.days)
        const name = describeFloor(floor)
        if (keptFrom <= Math.max(floor.keptFrom, passed.get(name) ?? 0)) return undefined
        if ((yield* repository.devicesBefore(keptFrom, "", 1, floor)).length === 0) {
          passed.set(name, keptFrom)
          return undefined
        }
        const { devices, example } = yield* repository.unrolledBefore(keptFrom, floor)
        if (devices > 0) {
          if (waiting.get(name) !== keptFrom)
            yield* Effect.logWarning(
              `Readings of the ${name} before ${day(keptFrom)} stay until the energies of ${devices} devices are rolled up, such as ${example}`
            )
          waiting.set(name, keptFrom)
          return undefined
        }
        waiting.delete(name)
        yield* floors.raise(floor, keptFrom)
        yield* kept.refresh
        return { ...floor, keptFrom, isSealed: false, isRemoved: false, removedDevice: "" }
      })

      const removeOne = (deviceId: string, before: number): Effect.Effect<void, DatabaseUnavailable> =>
        Effect.flatMap(transaction(floors.deleteOldest(deviceId, before)), (more) =>
          more ? removeOne(deviceId, before) : Effect.void
        )

      /** A device that fails is tried again in the next run; the others go on. */
      const remove = Effect.fnUntraced(function* (floor: Floor) {
        let left = 0
        for (let after = floor.removedDevice; ;) {
          const ids = yield* floors.devicesAfter(floor, after, DEVICES)
          if (ids.length === 0) break
          for (const id of yield* floors.withReadings(ids, floor.keptFrom))
            left += 1 - (yield* isolation.runIds([id], () => Effect.as(removeOne(id, floor.keptFrom), 1)))
          after = ids.at(-1)!
          if (left === 0) yield* floors.recordRemoved(floor, floor.keptFrom, after)
        }
        if (left > 0) return
        yield* floors.finish(floor, floor.keptFrom)
        yield* Effect.logInfo(`Readings of the ${describeFloor(floor)} before ${day(floor.keptFrom)} are removed`)
      })

      const process = Effect.fnUntraced(function* (known: Floor, now: number) {
        const floor = known.isRemoved ? yield* raise(known, now) : known
        if (floor === undefined) return
        if (!floor.isSealed) {
          if (!(yield* sealBefore(floor.keptFrom, floor))) return
          yield* floors.settle(floor, floor.keptFrom)
        }
        if (yield* repository.isUnread(lag, floors.frozenAt(floor))) yield* remove(floor)
      })

      const removeOld = Effect.gen(function* () {
        // The earlier of two clocks: one that is ahead must not remove the present.
        const now = Math.min(yield* Clock.currentTimeMillis, yield* floors.now)
        for (const floor of yield* floors.floors(lag)) {
          yield* isolation.runIds([describeFloor(floor)], () => Effect.as(process(floor, now), 1))
        }
      })

      return { removeOld: Effect.withSpan(removeOld, "WorkspaceRemoval.removeOld") }
    })
  )
}
