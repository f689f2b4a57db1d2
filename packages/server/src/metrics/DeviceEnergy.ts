import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { InTransaction, inSnapshot } from "../platform/sql/transaction.ts"
import { type Buckets, type Figures, makeBuckets } from "../energy/buckets.ts"
import { EnergyChanges } from "./EnergyChanges.ts"
import { EnergySpans } from "./EnergySpans.ts"
import { quantities, listQuantities, type Quantity, findRatedPower } from "../energy/quantities.ts"
import { QUARTER, type Span } from "../energy/intervals.ts"
import { rawSpans, type RolledRange, rolledSpans } from "./storedDays.ts"
import { RolledDays, type RolledDevice } from "./RolledDays.ts"
import { type MeasuredDevice, RollupsRepository } from "./RollupsRepository.ts"
import { rolledQuarters, unrolledSpans } from "./rollState.ts"
import type { DeviceSpan } from "../energy/deviceSpans.ts"

export interface EnergyQuestion {
  /** Devices of a workspace. Each is held in memory: read many in parts. */
  readonly deviceIds: ReadonlyArray<string>
  /**
   * The beginnings of the buckets and the end of the last one, in milliseconds since 1970. All but the first and the last
   * must be at a quarter of an hour, as every time zone's days and hours are.
   */
  readonly bounds: ReadonlyArray<number>
  /** All by default. */
  readonly quantities?: ReadonlyArray<Quantity>
  /** Whether readings that are not rolled up are left out. Bounds must then begin a quarter, all of them. */
  readonly isRolledOnly?: boolean
}

/** A device's energies in each bucket, in integer µWh. */
export interface DeviceFigures extends Figures {
  readonly deviceId: string
  readonly type: DeviceType
}

/** Figures that questions over one snapshot share, so that the readings of a device are read once. */
export interface Shared {
  /** The quantities of all questions. */
  readonly quantities: ReadonlyArray<Quantity>
  /** By the bounds of a question, and the device; undefined for one without readings. */
  readonly figures: Map<string, Map<string, DeviceFigures | undefined>>
}

export const SharedFigures = Context.Reference<Shared | undefined>("@edp/server/SharedFigures", {
  defaultValue: () => undefined
})

interface RequestedDevice {
  readonly device: MeasuredDevice
  readonly rolled: RolledRange
}

const isWhole = (bounds: ReadonlyArray<number>) => bounds.slice(1, -1).every((at) => at % QUARTER === 0)

const findUnrolled = (device: MeasuredDevice): ReadonlyArray<DeviceSpan> => {
  const { id: deviceId, type, fields } = device
  const ratedPower = findRatedPower(type, device.staticState)
  return unrolledSpans(device, device.newest).map((span) => ({ ...span, deviceId, type, ratedPower, fields }))
}

const toRolled = ({ watermark, sealedUntil, newest }: MeasuredDevice, altered: ReadonlyArray<Span>): RolledRange => ({
  quartersUntil: rolledQuarters(watermark),
  sealedUntil,
  newest,
  altered
})

/** Computes what devices have charged, generated, used, … */
export class DeviceEnergy extends Context.Service<
  DeviceEnergy,
  {
    /** Returns the devices with readings, from one snapshot: the open one inside a transaction. */
    readonly read: (question: EnergyQuestion) => Effect.Effect<ReadonlyArray<DeviceFigures>, DatabaseUnavailable>
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

      /** The quarters of each device that unrolled readings alter, and the fields of all its readings. */
      const findAltered = Effect.fnUntraced(function* (devices: ReadonlyArray<MeasuredDevice>) {
        const unrolled = yield* changes.withFields(devices.map(findUnrolled))
        const altered = new Map<string, Array<Span>>(devices.map(({ id }) => [id, []]))
        for (const each of yield* changes.altered(unrolled.flat())) {
          altered.get(each.change.deviceId)!.push(each.altered)
        }
        return devices.map((device, index): RequestedDevice => ({
          device: { ...device, fields: unrolled[index]![0]?.fields ?? device.fields },
          rolled: toRolled(device, altered.get(device.id)!)
        }))
      })

      const read = Effect.fnUntraced(function* ({
        deviceIds,
        bounds,
        quantities: wanted = quantities,
        isRolledOnly = false
      }: EnergyQuestion) {
        if (!isWhole(bounds)) return yield* Effect.die(new Error("Buckets begin with a quarter of an hour"))
        const span = { from: bounds[0]!, to: bounds.at(-1)! }
        const devices = yield* repository.devices(deviceIds)
        const asked = isRolledOnly
          ? devices.map((device): RequestedDevice => ({ device, rolled: toRolled(device, []) }))
          : yield* findAltered(devices)
        const buckets = new Map<string, Buckets>(asked.map(({ device }) => [device.id, makeBuckets(bounds)]))
        const raw: Array<DeviceSpan> = []
        const rolled = asked.map(
          ({ device: { id: deviceId, type, staticState, fields }, rolled: state }): RolledDevice => {
            const computed = isRolledOnly ? [] : rawSpans(span, state)
            const ratedPower = findRatedPower(type, staticState)
            raw.push(...computed.map((part) => ({ ...part, deviceId, type, ratedPower, fields })))
            const reported = listQuantities(type).filter((quantity) => wanted.includes(quantity))
            return { deviceId, quantities: reported, spans: isRolledOnly ? [span] : rolledSpans(span, state, computed) }
          }
        )
        yield* days.read(rolled, bounds, (deviceId, quantity) => buckets.get(deviceId)!.makeAdder(quantity))
        yield* spans.compute(raw, ({ deviceId, span: part, intervals }) => {
          for (const [quantity, each] of intervals) {
            if (wanted.includes(quantity)) buckets.get(deviceId)!.addIntervals(quantity, each, part)
          }
        })
        return asked.map(({ device: { id, type } }): DeviceFigures => ({
          deviceId: id,
          type,
          ...buckets.get(id)!.figures()
        }))
      })

      const readShared = Effect.fnUntraced(function* (question: EnergyQuestion, { figures, quantities: all }: Shared) {
        const key = question.bounds.join()
        const known = figures.get(key) ?? new Map<string, DeviceFigures | undefined>()
        figures.set(key, known)
        const left = question.deviceIds.filter((id) => !known.has(id))
        if (left.length > 0) {
          for (const id of left) known.set(id, undefined)
          for (const each of yield* read({ ...question, deviceIds: left, quantities: all }))
            known.set(each.deviceId, each)
        }
        return question.deviceIds.flatMap((id) => known.get(id) ?? [])
      })

      return {
        read: Effect.fn("DeviceEnergy.read")(function* (question: EnergyQuestion) {
          const shared = yield* SharedFigures
          if (!(yield* InTransaction)) {
            return yield* Effect.provideService(inSnapshot(read(question)), SqlClient.SqlClient, sql)
          }
          return yield* shared === undefined || question.isRolledOnly === true
            ? read(question)
            : readShared(question, shared)
        })
      }
    })
  )
}
