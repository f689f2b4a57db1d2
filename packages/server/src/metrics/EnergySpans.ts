import { Context, Effect } from "effect"
import { deviceIntervals } from "../energy/deviceIntervals.ts"
import { type DeviceSpan, firstQuarterEnd, missingAfter, missingBefore, findReach } from "../energy/deviceSpans.ts"
import type { Intervals, Span } from "../energy/intervals.ts"
import { type EnergyReading, type FieldSet, type Quantity, carriedBy } from "../energy/quantities.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { EnergyReadings } from "./EnergyReadings.ts"
import type { FoundReading, WantedField } from "./EnergyReadingsRepository.ts"
import { rollupLimits } from "./rollupLimits.ts"

/** The limits of what is held in memory at once, and read by one statement. */
export const EnergyLimits = Context.Reference<{
  readonly devices: number
  /** Per device. */
  readonly readings: number
}>("@edp/server/EnergyLimits", {
  defaultValue: () => ({ devices: rollupLimits.devices, readings: rollupLimits.readingsPerDevice })
})

/** A span that is computed at once, with the readings that it depends on. */
interface SpanReadings {
  readonly span: DeviceSpan
  readonly readings: ReadonlyArray<EnergyReading>
}

export interface ComputedSpan {
  readonly deviceId: string
  readonly span: Span
  readonly intervals: ReadonlyMap<Quantity, Intervals>
  /** The fields of the readings that it was computed from. */
  readonly fields: FieldSet
}

const fieldsBefore = ({ span, readings }: SpanReadings, n: number) =>
  missingBefore(span, readings).map(({ field, bound }): WantedField => ({
    n,
    deviceId: span.deviceId,
    field,
    edge: span.from,
    bound
  }))

const fieldsAfter = ({ span, readings }: SpanReadings, n: number) => {
  const earlier = readings.filter(({ at }) => at < span.to)
  return missingAfter(span, readings, carriedBy(span.type, earlier)).map(({ field, bound }): WantedField => ({
    n,
    deviceId: span.deviceId,
    field,
    edge: span.to,
    bound
  }))
}

/** Adds readings that were found beyond the neighbours of the parts. */
const withApart = (parts: ReadonlyArray<SpanReadings>, found: ReadonlyArray<FoundReading>) => {
  if (found.length === 0) return parts
  return parts.map(({ span, readings }, index): SpanReadings => {
    const own = found.filter(({ n }) => n === index).map(({ at, state }) => [at, { at, state, apart: true }] as const)
    const apart = new Map<number, EnergyReading>(own)
    for (const { at } of readings) apart.delete(at)
    return { span, readings: [...apart.values(), ...readings].toSorted((one, other) => one.at - other.at) }
  })
}

/** Computes spans of devices from any number of readings, a bounded number at a time. */
export const EnergySpans = Effect.gen(function* () {
  const repository = yield* EnergyReadings
  const limits = yield* EnergyLimits

  /** The first part of a span. A quarter with more readings than the limit is read alone, in full. */
  const cut = (
    span: DeviceSpan,
    readings: ReadonlyArray<EnergyReading>
  ): Effect.Effect<SpanReadings, DatabaseUnavailable> => {
    const to = findReach(span, readings, limits.readings)
    if (to === span.to) return Effect.succeed({ span, readings })
    // Between those that were read and the one after the whole span there are others.
    if (to !== undefined)
      return Effect.succeed({ span: { ...span, to }, readings: readings.filter(({ at }) => at < span.to) })
    const quarter = { ...span, to: firstQuarterEnd(span) }
    return Effect.map(repository.spans([quarter], Number.MAX_SAFE_INTEGER), ([all]) => ({
      span: quarter,
      readings: all!
    }))
  }

  /** Computes the first part of each span, and returns the rest. */
  const step = Effect.fnUntraced(function* (spans: ReadonlyArray<DeviceSpan>, visit: (computed: ComputedSpan) => void) {
    const read = yield* repository.spans(spans, limits.readings)
    const parts = yield* Effect.forEach(spans, (span, index) => cut(span, read[index]!))
    const begun = withApart(parts, yield* repository.before(parts.flatMap(fieldsBefore)))
    const whole = withApart(begun, yield* repository.after(begun.flatMap(fieldsAfter)))
    return whole.flatMap(({ span, readings }, index): ReadonlyArray<DeviceSpan> => {
      const fields = carriedBy(span.type, readings)
      visit({ deviceId: span.deviceId, span, intervals: deviceIntervals(span, readings, span), fields })
      const { to } = spans[index]!
      return span.to < to ? [{ ...span, from: span.to, to, fields: span.fields | fields }] : []
    })
  })

  /** Visits the computed parts; those of a device come in the order of time. */
  const compute = Effect.fnUntraced(function* (
    spans: ReadonlyArray<DeviceSpan>,
    visit: (computed: ComputedSpan) => void
  ) {
    let left = spans.filter(({ from, to }) => from < to)
    while (left.length > 0)
      left = [...(yield* step(left.slice(0, limits.devices), visit)), ...left.slice(limits.devices)]
  })

  return { compute: Effect.fn("EnergySpans.compute")(compute) }
})
