import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { makeIsolation } from "../../platform/jobs/isolation.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { ArchiveBorder } from "../archive/ArchiveBorder.ts"
import { ArchivedReadings } from "../archive/ArchivedReadings.ts"
import { ReadingsArchive } from "../archive/ReadingsArchive.ts"
import type { DeviceScope } from "./deviceScope.ts"
import { RetentionLimits } from "./RetentionLimits.ts"
import { RetentionRepository } from "./RetentionRepository.ts"
import { SealingPlanner } from "./SealingPlanner.ts"
import type { SealingPlan } from "./sealingPlan.ts"

/** The last device of a batch, and how many of the batch could not be processed. */
interface SealedBatch {
  readonly last: string
  readonly left: number
}

/** Makes rollups independent of readings that are to go. */
export const makeRollupSealing = Effect.gen(function* () {
  const repository = yield* RetentionRepository
  const { plan } = yield* SealingPlanner
  const archive = yield* ReadingsArchive
  const archived = yield* ArchivedReadings
  const border = yield* ArchiveBorder
  const limits = yield* RetentionLimits
  const sql = yield* SqlClient.SqlClient
  const isolation = yield* makeIsolation("retention of readings")

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

  const sealBatch = Effect.fnUntraced(function* (keptFrom: number, after: string, scope: DeviceScope | undefined) {
    if (!(yield* transactionsOn(sql)(repository.alone))) return "elsewhere"
    const ids = yield* repository.devicesBefore(keptFrom, after, limits.devices, scope)
    if (ids.length === 0) return "done"
    const sealed = yield* isolation.run(
      ids,
      (id) => id,
      (some) => seal(keptFrom, some)
    )
    return { last: ids.at(-1)!, left: ids.length - sealed } satisfies SealedBatch
  })

  /**
   * Makes rollups independent of the readings before an instant, of all devices or those of a scope. Returns whether that is complete;
   * can be repeated.
   */
  return Effect.fn("RollupSealing.sealBefore")(function* (keptFrom: number, scope?: DeviceScope) {
    let left = 0
    for (let after = ""; ;) {
      const outcome = yield* sealBatch(keptFrom, after, scope)
      if (outcome === "elsewhere") return false
      if (outcome === "done") break
      after = outcome.last
      left += outcome.left
    }
    return left === 0
  })
})
