import { Context, Effect, Layer } from "effect"
import type { Portion } from "../energy/buckets.ts"
import { DAY, dayOf, type WantedDays } from "./storedDays.ts"
import { type Quantity, quantities } from "../energy/quantities.ts"
import { QUARTER, type Span } from "../energy/quarterCells.ts"
import { cutsOf } from "./readPlan.ts"
import { addCutDays, addRow, type Days, eachPortion } from "./rolledPortions.ts"
import { RollupDaysRepository } from "./RollupDaysRepository.ts"

/** What a device's rollups tell: ascending spans, within the bounds of the buckets. */
export interface RolledDevice {
  readonly deviceId: string
  readonly quantities: ReadonlyArray<Quantity>
  readonly spans: ReadonlyArray<Span>
}

type Cuts = ReadonlyMap<number, number>
type Visit = (bucket: number, portion: Portion) => void

const wantedOf = ({ deviceId, quantities: told }: RolledDevice, first: number, last: number) =>
  told.map((name): WantedDays => ({ deviceId, quantity: quantities.indexOf(name), first, last }))

const wantedSpans = (device: RolledDevice) => {
  const [first, last] = [device.spans[0], device.spans.at(-1)]
  return first === undefined || last === undefined ? [] : wantedOf(device, dayOf(first.from), dayOf(last.to - 1))
}

/** The days of which other places than the cuts are needed: where a span begins or ends, which buckets need not. */
const oddDays = ({ spans }: RolledDevice, cuts: Cuts) =>
  new Set(
    spans
      .flatMap(({ from, to }) => [from, to])
      .filter((at) => at % DAY !== 0 && (at % DAY) / QUARTER !== cuts.get(dayOf(at)))
      .map(dayOf)
  )

const wantedOddDays = (device: RolledDevice, cuts: Cuts) =>
  Array.from(oddDays(device, cuts)).flatMap((day) => wantedOf(device, day, day))

/** Reads from the rollups what they tell of spans of buckets. */
export class RolledDays extends Context.Service<
  RolledDays,
  {
    readonly read: (
      devices: ReadonlyArray<RolledDevice>,
      bounds: ReadonlyArray<number>,
      visitorOf: (deviceId: string, quantity: Quantity) => Visit
    ) => Effect.Effect<void>
  }
>()("@edp/server/RolledDays") {
  static readonly layer = Layer.effect(
    RolledDays,
    Effect.gen(function* () {
      const repository = yield* RollupDaysRepository

      /** All days of the devices, in as much detail as the buckets need. */
      const readDays = Effect.fnUntraced(function* (devices: ReadonlyArray<RolledDevice>, cuts: Cuts | undefined) {
        const found = new Map<string, Days>()
        const daysOf = (deviceId: string, quantity: number) => {
          const key = `${deviceId} ${quantity}`
          const days = found.get(key) ?? new Map()
          found.set(key, days)
          return days
        }
        const whole = devices.flatMap((device) =>
          cuts === undefined ? wantedSpans(device) : wantedOddDays(device, cuts)
        )
        for (const row of whole.length === 0 ? [] : yield* repository.whole(whole)) {
          addRow(daysOf(row.deviceId, row.quantity), row)
        }
        if (cuts === undefined) return daysOf
        const wanted = devices.flatMap(wantedSpans)
        const places = Array.from(cuts, ([day, quarters]) => ({ day, quarters }))
        for (const days of wanted.length === 0 ? [] : yield* repository.cut(wanted, places)) {
          addCutDays(daysOf(days.deviceId, days.quantity), days, cuts)
        }
        return daysOf
      })

      const read = Effect.fnUntraced(function* (
        devices: ReadonlyArray<RolledDevice>,
        bounds: ReadonlyArray<number>,
        visitorOf: (deviceId: string, quantity: Quantity) => Visit
      ) {
        const daysOf = yield* readDays(devices, cutsOf(bounds))
        for (const { deviceId, quantities: told, spans } of devices) {
          for (const quantity of told) {
            const days = daysOf(deviceId, quantities.indexOf(quantity))
            if (days.size > 0) {
              eachPortion(spans, bounds, days, quantity === "charge", visitorOf(deviceId, quantity))
            }
          }
        }
      })

      return { read: Effect.fn("RolledDays.read")(read) }
    })
  )
}
