import { Effect, Layer } from "effect"
import type { EnergyReading } from "../energy/quantities.ts"
import { LONGEST_GAP } from "../energy/deviceIntervals.ts"
import { type DeviceSpan, type Missing, missingBefore } from "../energy/deviceSpans.ts"
import { QUARTER, type Span, quarterIndex } from "../energy/intervals.ts"
import { SealingPlanner } from "../readings/retention/SealingPlanner.ts"
import type { SealingPlan } from "../readings/retention/sealingPlan.ts"
import { timesBefore } from "./EnergyChanges.ts"
import { EnergyReadings } from "./EnergyReadings.ts"
import { type MeasuredDevice, RollupsRepository } from "./RollupsRepository.ts"
import type { RollState } from "./rollState.ts"
import { RollupsOfDevice } from "../readings/retention/RollupsOfDevice.ts"

/** When a month is dropped, a counter counts as ended if it was missing for this long while its device reported. */
const COUNTER_PAUSE = 86_400_000

/**
 * The fields that the last reading before a month's end lacks, and that later readings may be paired with
 * earlier ones by.
 */
const openFields = (end: DeviceSpan, last: EnergyReading): ReadonlyArray<Missing> =>
  missingBefore(end, [last]).map((missing) => ({
    ...missing,
    bound: missing.isCounter ? last.at - COUNTER_PAUSE : end.from - LONGEST_GAP
  }))

/**
 * The instant from which a device's quarters are still computed from readings when those before `keptFrom` are dropped. `open` are
 * earlier readings that later ones may be paired with, so that the time between is undecided. Null
 * without rollups.
 */
const sealedUntil = (
  { watermark, sealedUntil: before }: Pick<RollState, "watermark" | "sealedUntil">,
  keptFrom: number,
  open: ReadonlyArray<number>
): number | null => {
  if (watermark === null) return before
  const until = quarterIndex(Math.min(keptFrom, watermark, ...open)) * QUARTER
  return Math.max(until, before ?? until)
}

/** The times of the readings to keep: those that computations still need, and their neighbours. */
const keptSpans = (sealed: number | null, keptFrom: number, neighbours: ReadonlyArray<number>): ReadonlyArray<Span> => [
  { from: sealed ?? 0, to: keptFrom },
  ...neighbours.map((at): Span => ({ from: at, to: at + 1 }))
]

export const EnergySealingLive = Layer.effect(
  SealingPlanner,
  Effect.gen(function* () {
    const rollups = yield* RollupsRepository
    const readings = yield* EnergyReadings

    const plan = Effect.fnUntraced(function* (keptFrom: number, devices: ReadonlyArray<MeasuredDevice>) {
      const open = yield* timesBefore(
        readings,
        devices.map((device) => ({ device, at: keptFrom })),
        openFields
      )
      // Rollups that are behind have undecided pairs of their own with earlier readings.
      const behind = devices.flatMap((device) =>
        device.watermark !== null && device.watermark < keptFrom - 1 ? [{ device, at: device.watermark + 1 }] : []
      )
      const undecided = yield* timesBefore(readings, behind, (span, last) => missingBefore(span, [last]))
      const openByDevice = new Map(behind.map(({ device }, n) => [device, undecided[n]!]))
      const sealed = devices.map((device, n) =>
        sealedUntil(device, keptFrom, [...open[n]!, ...(openByDevice.get(device) ?? [])])
      )
      const neighbours = yield* timesBefore(
        readings,
        devices.map((device, n) => ({ device, at: sealed[n] ?? 0 })),
        (span, last) => missingBefore(span, [last])
      )
      return devices.map((device, n): SealingPlan => ({
        deviceId: device.id,
        newest: device.newest,
        sealedBefore: device.sealedUntil,
        sealedUntil: sealed[n]!,
        kept: keptSpans(sealed[n]!, keptFrom, neighbours[n]!)
      }))
    })

    return {
      plan: Effect.fn("SealingPlanner.plan")(function* (keptFrom, deviceIds) {
        return yield* plan(keptFrom, yield* rollups.anyDevices(deviceIds))
      })
    }
  })
)

/** Implements the port through which histories of removed devices are deleted. */
export const RollupDeletionLive = Layer.effect(
  RollupsOfDevice,
  Effect.map(RollupsRepository, ({ remove }) => ({ delete: Effect.fn("RollupsOfDevice.delete")(remove) }))
)
