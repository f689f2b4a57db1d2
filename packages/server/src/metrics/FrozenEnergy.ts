import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { EnergyReadingsRepository, type WantedField } from "./EnergyReadingsRepository.ts"
import { frozenUntil, keptSpans, openFields } from "./frozenSpan.ts"
import { ratedPowerOf } from "../energy/quantities.ts"
import { RetentionLimits } from "../readings/retention/RetentionLimits.ts"
import { type Freezing, RetentionRepository } from "../readings/retention/RetentionRepository.ts"
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

/** The last of some devices, and how many of them were left as they are. */
interface Some {
  readonly last: string
  readonly left: number
}

/** Makes rollups independent of the readings before an instant: those that they still need are taken aside. */
export class FrozenEnergy extends Context.Service<
  FrozenEnergy,
  {
    /** Does it for all devices, and answers whether it is done. Doing it again changes nothing. */
    readonly freezeBefore: (keptFrom: number) => Effect.Effect<boolean>
  }
>()("@edp/server/FrozenEnergy") {
  static readonly layer = Layer.effect(
    FrozenEnergy,
    Effect.gen(function* () {
      const repository = yield* RetentionRepository
      const rollups = yield* RollupsRepository
      const readings = yield* EnergyReadingsRepository
      const limits = yield* RetentionLimits
      const sql = yield* SqlClient.SqlClient

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
          device.rolledUntil !== null && device.rolledUntil < keptFrom - 1
            ? [{ device, at: device.rolledUntil + 1 }]
            : []
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

      const freezeSome = (keptFrom: number, after: string) =>
        Effect.gen(function* () {
          if (!(yield* repository.alone)) return "elsewhere"
          const ids = yield* repository.devicesBefore(keptFrom, after, limits.devices)
          if (ids.length === 0) return "done"
          const freezing = yield* plan(keptFrom, yield* rollups.anyDevices(ids))
          const held = yield* repository.hold(keptFrom, freezing)
          yield* repository.freeze(
            keptFrom,
            freezing.filter(({ deviceId }) => held.has(deviceId))
          )
          return { last: ids.at(-1)!, left: ids.length - held.size } satisfies Some
        }).pipe(transactionsOn(sql))

      const freezeBefore = Effect.fnUntraced(function* (keptFrom: number) {
        let left = 0
        for (let after = ""; ;) {
          const outcome = yield* freezeSome(keptFrom, after)
          if (outcome === "elsewhere") return false
          if (outcome === "done") break
          after = outcome.last
          left += outcome.left
        }
        if (left === 0) yield* repository.settle(keptFrom)
        return left === 0
      })

      return { freezeBefore: Effect.fn("FrozenEnergy.freezeBefore")(freezeBefore) }
    })
  )
}
