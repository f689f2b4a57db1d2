import { Effect, Layer } from "effect"
import { EnergyReadingsRepository, type WantedField } from "./EnergyReadingsRepository.ts"
import { frozenUntil, keptSpans, openFields } from "./frozenSpan.ts"
import { ratedPowerOf } from "../energy/quantities.ts"
import { FrozenEnergy } from "../readings/retention/FrozenEnergy.ts"
import type { Freezing } from "../readings/retention/freezing.ts"
import { type MeasuredDevice, RollupsRepository } from "./RollupsRepository.ts"
import { type DeviceSpan, type Missing, missingBefore } from "../energy/spanParts.ts"
import type { EnergyReading } from "../energy/timeline.ts"

interface At {
  readonly device: MeasuredDevice
  readonly at: number
}

const spanAt = ({ device: { id: deviceId, type, staticState, fields }, at }: At): DeviceSpan => ({
  deviceId,
  type,
  ratedPower: ratedPowerOf(type, staticState),
  fields,
  from: at,
  to: at
})

export const FrozenEnergyLive = Layer.effect(
  FrozenEnergy,
  Effect.gen(function* () {
    const rollups = yield* RollupsRepository
    const readings = yield* EnergyReadingsRepository

    /** The reading before each instant, and the times of those that have fields which it lacks. */
    const before = Effect.fnUntraced(function* (
      places: ReadonlyArray<At>,
      missing: (span: DeviceSpan, last: EnergyReading) => ReadonlyArray<Missing>
    ) {
      if (places.length === 0) return []
      const spans = places.map(spanAt)
      const lasts = (yield* readings.neighbours(spans)).map(({ before: last }) => last)
      const wanted = spans.flatMap((span, n) =>
        lasts[n] === null
          ? []
          : missing(span, lasts[n]!).map(({ field, bound }): WantedField => ({
              n,
              deviceId: span.deviceId,
              field,
              edge: span.from,
              bound
            }))
      )
      const times: ReadonlyArray<Array<number>> = lasts.map((last) => (last === null ? [] : [last.at]))
      for (const { n, at } of yield* readings.before(wanted)) times[n]!.push(at)
      return times
    })

    const plan = Effect.fnUntraced(function* (keptFrom: number, devices: ReadonlyArray<MeasuredDevice>) {
      const open = yield* before(
        devices.map((device) => ({ device, at: keptFrom })),
        openFields
      )
      // Rollups that are behind have pairs of their own that are not decided yet, with readings before the instant.
      const behind = devices.flatMap((device) =>
        device.rolledUntil !== null && device.rolledUntil < keptFrom - 1 ? [{ device, at: device.rolledUntil + 1 }] : []
      )
      const undecided = yield* before(behind, (span, last) => missingBefore(span, [last]))
      const openOf = new Map(behind.map(({ device }, n) => [device, undecided[n]!]))
      const frozen = devices.map((device, n) =>
        frozenUntil(device, keptFrom, [...open[n]!, ...(openOf.get(device) ?? [])])
      )
      const neighbours = yield* before(
        devices.map((device, n) => ({ device, at: frozen[n] ?? 0 })),
        (span, last) => missingBefore(span, [last])
      )
      return devices.map((device, n): Freezing => ({
        deviceId: device.id,
        newest: device.newest,
        frozenBefore: device.frozenUntil,
        frozenUntil: frozen[n]!,
        kept: keptSpans(frozen[n]!, keptFrom, neighbours[n]!)
      }))
    })

    return {
      plan: Effect.fn("FrozenEnergy.plan")(function* (keptFrom, deviceIds) {
        return yield* plan(keptFrom, yield* rollups.anyDevices(deviceIds))
      })
    }
  })
)
