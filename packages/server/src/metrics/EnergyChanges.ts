import { Effect } from "effect"
import { type EnergyReading, findRatedPower } from "../energy/quantities.ts"
import {
  type DeviceSpan,
  type Missing,
  type Reached,
  changedSpan,
  missingAfter,
  missingBefore
} from "../energy/deviceSpans.ts"
import { fieldBit, carriedBy, pairedFields } from "../energy/quantities.ts"
import { EnergyReadings } from "./EnergyReadings.ts"
import type { WantedField } from "./EnergyReadingsRepository.ts"
import type { MeasuredDevice } from "./RollupsRepository.ts"

/** New readings of a device, and the quarters that they can alter. */
export interface EnergyChange {
  readonly change: DeviceSpan
  readonly altered: DeviceSpan
}

interface Neighboured {
  readonly change: DeviceSpan
  readonly before: EnergyReading | undefined
  readonly after: EnergyReading | undefined
}

/** A search for a field that a neighbour lacks, in the change and beyond the neighbour. */
interface Search extends Missing {
  readonly index: number
  readonly change: DeviceSpan
}

const makeSearches = (
  neighboured: ReadonlyArray<Neighboured>,
  missing: (each: Neighboured) => ReadonlyArray<Missing>
): ReadonlyArray<Search> =>
  neighboured.flatMap((each, index) => missing(each).map((one) => ({ ...one, index, change: each.change })))

const wanted = (searches: ReadonlyArray<Search>, toRange: (search: Search) => Pick<WantedField, "edge" | "bound">) =>
  searches.map((search, n): WantedField => ({
    n,
    deviceId: search.change.deviceId,
    field: search.field,
    ...toRange(search)
  }))

const newFields = ({ type, fields }: DeviceSpan) =>
  pairedFields(type)
    .map(({ field }) => field)
    .filter((field) => (fields & fieldBit(field)) === 0)

/** A device at an instant. */
export interface DeviceInstant {
  readonly device: MeasuredDevice
  readonly at: number
}

const emptySpanAt = ({ device: { id: deviceId, type, staticState, fields }, at }: DeviceInstant): DeviceSpan => ({
  deviceId,
  type,
  ratedPower: findRatedPower(type, staticState),
  fields,
  from: at,
  to: at
})

/**
 * The times of the last reading before each instant, and of the last ones with the fields that it lacks: later readings
 * may be paired with them.
 */
export const timesBefore = Effect.fnUntraced(function* (
  readings: EnergyReadings["Service"],
  instants: ReadonlyArray<DeviceInstant>,
  missing: (span: DeviceSpan, last: EnergyReading) => ReadonlyArray<Missing> = (span, last) =>
    missingBefore(span, [last])
) {
  if (instants.length === 0) return []
  const spans = instants.map(emptySpanAt)
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

/** Finds the quarters that new readings alter. */
export const EnergyChanges = Effect.gen(function* () {
  const repository = yield* EnergyReadings

  /** The unrolled spans of each device, with the fields of these readings added to those of the rolled ones. */
  const withFields = Effect.fnUntraced(function* (unrolled: ReadonlyArray<ReadonlyArray<DeviceSpan>>) {
    const searches = unrolled.flatMap((spans, index) =>
      spans.flatMap((span) => newFields(span).map((field) => ({ index, field, span })))
    )
    const found = yield* repository.after(
      searches.map(({ field, span }, n) => ({ n, deviceId: span.deviceId, field, edge: span.from, bound: span.to }))
    )
    const sets = unrolled.map(([first]) => first?.fields ?? 0)
    for (const { n } of found) sets[searches[n]!.index]! |= fieldBit(searches[n]!.field)
    return unrolled.map((spans, index) => spans.map((span) => ({ ...span, fields: sets[index]! })))
  })

  const reachedBefore = Effect.fnUntraced(function* (neighboured: ReadonlyArray<Neighboured>) {
    const searches = makeSearches(neighboured, ({ change, before }) => (before ? missingBefore(change, [before]) : []))
    const within = yield* repository.after(wanted(searches, ({ change }) => ({ edge: change.from, bound: change.to })))
    const beyond = yield* repository.before(wanted(searches, ({ change, bound }) => ({ edge: change.from, bound })))
    return { searches, within, beyond }
  })

  const reachedAfter = Effect.fnUntraced(function* (neighboured: ReadonlyArray<Neighboured>) {
    const searches = makeSearches(neighboured, ({ change, after }) =>
      after ? missingAfter(change, [after], change.fields) : []
    )
    const within = yield* repository.before(wanted(searches, ({ change }) => ({ edge: change.to, bound: change.from })))
    const beyond = yield* repository.after(wanted(searches, ({ change, bound }) => ({ edge: change.to, bound })))
    return { searches, within, beyond }
  })

  /**
   * The part of each change that its first readings cover, at most `limit` of them, with the fields of these added to those of the rolled
   * ones.
   */
  const begun = Effect.fnUntraced(function* (changes: ReadonlyArray<DeviceSpan>, limit: number) {
    if (changes.length === 0) return []
    const found = yield* repository.spans(changes, limit)
    return changes.map((change, index): DeviceSpan => {
      const within = found[index]!.filter(({ at }) => at >= change.from && at < change.to)
      const to = within.length < limit ? change.to : within.at(-1)!.at + 1
      return { ...change, to, fields: change.fields | carriedBy(change.type, within) }
    })
  })

  const altered = Effect.fnUntraced(function* (changes: ReadonlyArray<DeviceSpan>) {
    if (changes.length === 0) return []
    const neighbours = yield* repository.neighbours(changes)
    const neighboured = neighbours.map(({ before, after }, index): Neighboured => ({
      change: changes[index]!,
      before: before ?? undefined,
      after: after ?? undefined
    }))
    const reached: ReadonlyArray<Array<Reached>> = neighboured.map(() => [])
    for (const { searches, within, beyond } of [yield* reachedBefore(neighboured), yield* reachedAfter(neighboured)]) {
      const far = new Map(beyond.map(({ n, at }) => [n, at]))
      for (const { n, at } of within) {
        const { index, isCounter } = searches[n]!
        if (far.has(n)) reached[index]!.push({ isCounter, within: at, beyond: far.get(n)! })
      }
    }
    return neighboured.map(({ change, before, after }, index): EnergyChange => ({
      change,
      altered: { ...change, ...changedSpan({ ...change, before, after }, reached[index]!) }
    }))
  })

  return {
    withFields: Effect.fn("EnergyChanges.withFields")(withFields),
    begun: Effect.fn("EnergyChanges.begun")(begun),
    altered: Effect.fn("EnergyChanges.altered")(altered)
  }
})
