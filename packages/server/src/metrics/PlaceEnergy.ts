import { Context, Effect, Layer } from "effect"
import { DeviceEnergy } from "./DeviceEnergy.ts"
import { finerCells } from "../energy/finerCells.ts"
import type { Way } from "../energy/metricRules.ts"
import type { SelectedDevice } from "./MetricsRepository.ts"
import { type MeasuringDevice, placeFigures } from "../energy/placeFigures.ts"
import { chunked, type Place } from "../energy/places.ts"
import type { Quantity } from "../energy/quantities.ts"

export interface RuledPlace extends Place<SelectedDevice> {
  readonly ways: ReadonlyArray<Way>
}

/** Tells what is known of a part of a cell, each part once. Amounts are in µWh, times in milliseconds. */
export type Tell = (cell: number, amount: bigint | null, covered: number) => void

/** Who is told of a place. */
type TellerOf = (place: RuledPlace) => Tell

/** Devices whose figures are held at once, and about how many figures of each quantity these are. */
const DEVICES = 100
const FIGURES = 100_000

/** Stretches of cells that are short enough to be held for so many devices. */
const windows = (cells: number, devices: number) => {
  const size = Math.max(1, Math.floor(FIGURES / Math.max(1, devices)))
  return Array.from({ length: Math.ceil(cells / size) }, (_, at) => ({
    first: at * size,
    last: Math.min(cells, (at + 1) * size)
  }))
}

/** What the ways of the places are told by. */
const quantitiesOf = (places: ReadonlyArray<RuledPlace>): ReadonlyArray<Quantity> => [
  ...new Set(
    places.flatMap(({ ways }) => ways.flatMap(({ sum, when }) => [...when, ...sum].map(({ quantity }) => quantity)))
  )
]

/** What places did, however many these are and however long it was: a bounded part is held at a time. */
export class PlaceEnergy extends Context.Service<
  PlaceEnergy,
  {
    readonly compute: (
      places: ReadonlyArray<RuledPlace>,
      bounds: ReadonlyArray<number>,
      tellerOf: TellerOf
    ) => Effect.Effect<void>
  }
>()("@edp/server/PlaceEnergy") {
  static readonly layer = Layer.effect(
    PlaceEnergy,
    Effect.gen(function* () {
      const energy = yield* DeviceEnergy

      const measured = Effect.fnUntraced(function* (places: ReadonlyArray<RuledPlace>, bounds: ReadonlyArray<number>) {
        const deviceIds = places.flatMap(({ devices }) => devices.map(({ id }) => id))
        const figures = yield* energy.read({ deviceIds, bounds, quantities: quantitiesOf(places) })
        const known = new Map(figures.map((each) => [each.deviceId, each]))
        return (place: RuledPlace) =>
          place.devices.map(({ id, reporting, type }): MeasuringDevice => ({ ...known.get(id), type, reporting }))
      })

      /** Tells of the cells that can be decided whole, and answers the others of each place. */
      const decide = Effect.fnUntraced(function* (
        places: ReadonlyArray<RuledPlace>,
        bounds: ReadonlyArray<number>,
        tellerOf: TellerOf
      ) {
        const figuresOf = yield* measured(places, bounds)
        const undecided = new Map<RuledPlace, ReadonlySet<number>>()
        for (const place of places) {
          const { amounts, covered, mixed } = placeFigures(place.ways, figuresOf(place), bounds)
          const apart = new Set(mixed)
          if (apart.size > 0) undecided.set(place, apart)
          const tell = tellerOf(place)
          for (let cell = 0; cell < amounts.length; cell++) {
            if (!apart.has(cell)) tell(cell, amounts[cell]!, covered[cell]!)
          }
        }
        return undecided
      })

      const compute = (
        places: ReadonlyArray<RuledPlace>,
        bounds: ReadonlyArray<number>,
        tellerOf: TellerOf
      ): Effect.Effect<void> =>
        Effect.gen(function* () {
          for (const chunk of chunked(places, DEVICES)) {
            const devices = chunk.reduce((sum, place) => sum + place.devices.length, 0)
            for (const { first, last } of windows(bounds.length - 1, devices)) {
              const within = bounds.slice(first, last + 1)
              const shifted: TellerOf = (place) => {
                const tell = tellerOf(place)
                return (cell, amount, covered) => tell(first + cell, amount, covered)
              }
              const undecided = yield* decide(chunk, within, shifted)
              const cells = new Set(Array.from(undecided.values(), (each) => [...each]).flat())
              for (const { bounds: finer, parents } of finerCells(within, [...cells])) {
                yield* compute([...undecided.keys()], finer, (place) => {
                  const tell = shifted(place)
                  const own = undecided.get(place)!
                  return (cell, amount, covered) => {
                    const parent = parents[cell]!
                    if (own.has(parent)) tell(parent, amount, covered)
                  }
                })
              }
            }
          }
        })

      return { compute: Effect.fn("PlaceEnergy.compute")(compute) }
    })
  )
}
