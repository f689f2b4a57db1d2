import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { inSnapshot } from "../platform/sql/transaction.ts"
import { type Buckets, type Figures, makeBuckets } from "../energy/buckets.ts"
import { EnergyChanges } from "./EnergyChanges.ts"
import { EnergySpans } from "./EnergySpans.ts"
import { quantities, quantitiesOf, type Quantity, ratedPowerOf } from "../energy/quantities.ts"
import { QUARTER, type Span } from "../energy/quarterCells.ts"
import { rawSpans, type Rolled, rolledSpans } from "./readPlan.ts"
import { RolledDays, type RolledDevice } from "./RolledDays.ts"
import { type MeasuredDevice, RollupsRepository } from "./RollupsRepository.ts"
import { rolledQuarters, unrolledSpans } from "./rollState.ts"
import type { DeviceSpan } from "../energy/spanParts.ts"

export interface EnergyQuestion {
  /** Devices of a workspace. Each is held in memory: ask page by page where they are many. */
  readonly deviceIds: ReadonlyArray<string>
  /**
   * Where the buckets begin, and the last ends, in milliseconds since 1970, ascending. All but the first and the last
   * begin a quarter of an hour, as every time zone's days and hours do.
   */
  readonly bounds: ReadonlyArray<number>
  /** All by default. */
  readonly quantities?: ReadonlyArray<Quantity>
}

/** What a device did in each bucket, all in µWh: integers, which sum without error. */
export interface DeviceFigures extends Figures {
  readonly deviceId: string
  readonly type: DeviceType
}

interface Asked {
  readonly device: MeasuredDevice
  readonly rolled: Rolled
}

const isWhole = (bounds: ReadonlyArray<number>) => bounds.slice(1, -1).every((at) => at % QUARTER === 0)

const unrolledOf = (device: MeasuredDevice): ReadonlyArray<DeviceSpan> => {
  const { id: deviceId, type, fields } = device
  const ratedPower = ratedPowerOf(type, device.staticState)
  return unrolledSpans(device, device.newest).map((span) => ({ ...span, deviceId, type, ratedPower, fields }))
}

const rolledOf = ({ rolledUntil, frozenUntil, newest }: MeasuredDevice, altered: ReadonlyArray<Span>): Rolled => ({
  quartersUntil: rolledQuarters(rolledUntil),
  frozenUntil,
  newest,
  altered
})

/** What devices have charged, generated, used, ... as their readings tell. */
export class DeviceEnergy extends Context.Service<
  DeviceEnergy,
  {
    /** Answers the devices that have readings, all as they are at one instant. Not for use in a transaction. */
    readonly read: (question: EnergyQuestion) => Effect.Effect<ReadonlyArray<DeviceFigures>>
  }
>()("@edp/server/DeviceEnergy") {
  static readonly layer = Layer.effect(
    DeviceEnergy,
    Effect.gen(function* () {
      const repository = yield* RollupsRepository
      const changes = yield* EnergyChanges
      const spans = yield* EnergySpans
      const days = yield* RolledDays
      const sql = yield* SqlClient.SqlClient

      /** The quarters of each device that its rollups do not tell, and the fields of all its readings. */
      const alteredOf = Effect.fnUntraced(function* (devices: ReadonlyArray<MeasuredDevice>) {
        const unrolled = yield* changes.withFields(devices.map(unrolledOf))
        const altered = new Map<string, Array<Span>>(devices.map(({ id }) => [id, []]))
        for (const each of yield* changes.altered(unrolled.flat())) {
          altered.get(each.change.deviceId)!.push(each.altered)
        }
        return devices.map((device, place): Asked => ({
          device: { ...device, fields: unrolled[place]![0]?.fields ?? device.fields },
          rolled: rolledOf(device, altered.get(device.id)!)
        }))
      })

      const read = Effect.fnUntraced(function* ({
        deviceIds,
        bounds,
        quantities: wanted = quantities
      }: EnergyQuestion) {
        if (!isWhole(bounds)) return yield* Effect.die(new Error("Buckets begin with a quarter of an hour"))
        const span = { from: bounds[0]!, to: bounds.at(-1)! }
        const asked = yield* alteredOf(yield* repository.devices(deviceIds))
        const buckets = new Map<string, Buckets>(asked.map(({ device }) => [device.id, makeBuckets(bounds)]))
        const raw: Array<DeviceSpan> = []
        const rolled = asked.map(
          ({ device: { id: deviceId, type, staticState, fields }, rolled: state }): RolledDevice => {
            const computed = rawSpans(span, state)
            const ratedPower = ratedPowerOf(type, staticState)
            raw.push(...computed.map((part) => ({ ...part, deviceId, type, ratedPower, fields })))
            const told = quantitiesOf(type).filter((quantity) => wanted.includes(quantity))
            return { deviceId, quantities: told, spans: rolledSpans(span, state, computed) }
          }
        )
        yield* days.read(rolled, bounds, (deviceId, quantity) => buckets.get(deviceId)!.adderOf(quantity))
        yield* spans.compute(raw, ({ deviceId, span: part, cells }) => {
          for (const [quantity, each] of cells) {
            if (wanted.includes(quantity)) buckets.get(deviceId)!.addCells(quantity, each, part)
          }
        })
        return asked.map(({ device: { id, type } }): DeviceFigures => ({
          deviceId: id,
          type,
          ...buckets.get(id)!.figures()
        }))
      })

      return {
        read: Effect.fn("DeviceEnergy.read")((question) =>
          read(question).pipe(inSnapshot, Effect.provideService(SqlClient.SqlClient, sql))
        )
      }
    })
  )
}
