import { Context, Effect, Layer } from "effect"
import { changedSpan, type Reached } from "../energy/changedSpan.ts"
import { bitOf, carriedBy, pairedFieldsOf } from "../energy/energyFields.ts"
import { EnergyReadingsRepository, type WantedField } from "./EnergyReadingsRepository.ts"
import { type DeviceSpan, type Missing, missingAfter, missingBefore } from "../energy/spanParts.ts"
import type { EnergyReading } from "../energy/timeline.ts"

/** New readings of a device, and the quarters whose figures they can alter. */
export interface EnergyChange {
  readonly change: DeviceSpan
  readonly altered: DeviceSpan
}

interface Neighboured {
  readonly change: DeviceSpan
  readonly before: EnergyReading | undefined
  readonly after: EnergyReading | undefined
}

/** A field that a neighbour lacks: looked for in the change, and beyond the neighbour. */
interface Search extends Missing {
  readonly place: number
  readonly change: DeviceSpan
}

const searchesOf = (
  places: ReadonlyArray<Neighboured>,
  missing: (each: Neighboured) => ReadonlyArray<Missing>
): ReadonlyArray<Search> =>
  places.flatMap((each, place) => missing(each).map((one) => ({ ...one, place, change: each.change })))

const wanted = (searches: ReadonlyArray<Search>, rangeOf: (search: Search) => Pick<WantedField, "edge" | "bound">) =>
  searches.map((search, n): WantedField => ({
    n,
    deviceId: search.change.deviceId,
    field: search.field,
    ...rangeOf(search)
  }))

const newFields = ({ type, fields }: DeviceSpan) =>
  pairedFieldsOf(type)
    .map(({ field }) => field)
    .filter((field) => (fields & bitOf(field)) === 0)

/** Which quarters new readings alter. */
export class EnergyChanges extends Context.Service<
  EnergyChanges,
  {
    /** The unrolled spans of each device, with the fields that these readings have besides those of the rolled ones. */
    readonly withFields: (
      unrolled: ReadonlyArray<ReadonlyArray<DeviceSpan>>
    ) => Effect.Effect<ReadonlyArray<ReadonlyArray<DeviceSpan>>>
    /**
     * Each change as far as its first readings reach, at most `limit` of them, with the fields that these have besides
     * those of the rolled ones.
     */
    readonly begun: (changes: ReadonlyArray<DeviceSpan>, limit: number) => Effect.Effect<ReadonlyArray<DeviceSpan>>
    readonly altered: (changes: ReadonlyArray<DeviceSpan>) => Effect.Effect<ReadonlyArray<EnergyChange>>
  }
>()("@edp/server/EnergyChanges") {
  static readonly layer = Layer.effect(
    EnergyChanges,
    Effect.gen(function* () {
      const repository = yield* EnergyReadingsRepository

      const withFields = Effect.fnUntraced(function* (unrolled: ReadonlyArray<ReadonlyArray<DeviceSpan>>) {
        const searches = unrolled.flatMap((spans, place) =>
          spans.flatMap((span) => newFields(span).map((field) => ({ place, field, span })))
        )
        const found = yield* repository.after(
          searches.map(({ field, span }, n) => ({ n, deviceId: span.deviceId, field, edge: span.from, bound: span.to }))
        )
        const sets = unrolled.map(([first]) => first?.fields ?? 0)
        for (const { n } of found) sets[searches[n]!.place]! |= bitOf(searches[n]!.field)
        return unrolled.map((spans, place) => spans.map((span) => ({ ...span, fields: sets[place]! })))
      })

      const reachedBefore = Effect.fnUntraced(function* (places: ReadonlyArray<Neighboured>) {
        const searches = searchesOf(places, ({ change, before }) => (before ? missingBefore(change, [before]) : []))
        const within = yield* repository.after(
          wanted(searches, ({ change }) => ({ edge: change.from, bound: change.to }))
        )
        const beyond = yield* repository.before(wanted(searches, ({ change, bound }) => ({ edge: change.from, bound })))
        return { searches, within, beyond }
      })

      const reachedAfter = Effect.fnUntraced(function* (places: ReadonlyArray<Neighboured>) {
        const searches = searchesOf(places, ({ change, after }) =>
          after ? missingAfter(change, [after], change.fields) : []
        )
        const within = yield* repository.before(
          wanted(searches, ({ change }) => ({ edge: change.to, bound: change.from }))
        )
        const beyond = yield* repository.after(wanted(searches, ({ change, bound }) => ({ edge: change.to, bound })))
        return { searches, within, beyond }
      })

      const begun = Effect.fnUntraced(function* (changes: ReadonlyArray<DeviceSpan>, limit: number) {
        if (changes.length === 0) return []
        const found = yield* repository.spans(changes, limit)
        return changes.map((change, place): DeviceSpan => {
          const within = found[place]!.filter(({ at }) => at >= change.from && at < change.to)
          const to = within.length < limit ? change.to : within.at(-1)!.at + 1
          return { ...change, to, fields: change.fields | carriedBy(change.type, within) }
        })
      })

      const altered = Effect.fnUntraced(function* (changes: ReadonlyArray<DeviceSpan>) {
        if (changes.length === 0) return []
        const neighbours = yield* repository.neighbours(changes)
        const places = neighbours.map(({ before, after }, place): Neighboured => ({
          change: changes[place]!,
          before: before ?? undefined,
          after: after ?? undefined
        }))
        const reached: ReadonlyArray<Array<Reached>> = places.map(() => [])
        for (const { searches, within, beyond } of [yield* reachedBefore(places), yield* reachedAfter(places)]) {
          const far = new Map(beyond.map(({ n, at }) => [n, at]))
          for (const { n, at } of within) {
            const { place, isCounter } = searches[n]!
            if (far.has(n)) reached[place]!.push({ isCounter, within: at, beyond: far.get(n)! })
          }
        }
        return places.map(({ change, before, after }, place): EnergyChange => ({
          change,
          altered: { ...change, ...changedSpan({ ...change, before, after }, reached[place]!) }
        }))
      })

      return {
        withFields: Effect.fn("EnergyChanges.withFields")(withFields),
        begun: Effect.fn("EnergyChanges.begun")(begun),
        altered: Effect.fn("EnergyChanges.altered")(altered)
      }
    })
  )
}
