import { Context, Effect, Layer } from "effect"
import type { Span } from "../energy/intervals.ts"
import type { EnergyReading } from "../energy/quantities.ts"
import { ArchiveBorder } from "../readings/archive/ArchiveBorder.ts"
import { ArchivedReadings } from "../readings/archive/ArchivedReadings.ts"
import type { SpanStates, TimedState } from "../readings/archive/archiveRows.ts"
import { ReadingsArchive } from "../readings/archive/ReadingsArchive.ts"
import {
  EnergyReadingsRepository,
  type FoundReading,
  type Wanted,
  type WantedField
} from "./EnergyReadingsRepository.ts"

const toReading = ([at, state]: TimedState): EnergyReading => ({ at, state: JSON.parse(state) })

/** Adds archived readings, of which those with a known time take precedence. `limit` is that of the readings in the span. */
const merge = (
  { from, to }: Span,
  stored: ReadonlyArray<EnergyReading>,
  { before, within, after }: SpanStates,
  limit: number
): ReadonlyArray<EnergyReading> => {
  const archived = [before, ...within, after].flatMap((each) => (each === undefined ? [] : [toReading(each)]))
  const byTime = new Map([...stored, ...archived].map((each) => [each.at, each]))
  const sorted = [...byTime.values()].toSorted((one, other) => one.at - other.at)
  const last = sorted.findLast(({ at }) => at < from)
  const next = sorted.find(({ at }) => at >= to && at >= from)
  const inside = sorted.filter(({ at }) => at >= from && at < to).slice(0, limit)
  return [...(last ? [last] : []), ...inside, ...(next ? [next] : [])]
}

const make = Effect.gen(function* () {
  const repository = yield* EnergyReadingsRepository
  const archive = yield* ReadingsArchive
  const archived = yield* ArchivedReadings
  const border = yield* ArchiveBorder

  /**
   * Those of the requests that need archived readings, with their places. One that begins at the border or later does not: the readings that
   * later ones are paired with are kept.
   */
  const cold = Effect.fnUntraced(function* <W extends { readonly deviceId: string }>(
    wanted: ReadonlyArray<W>,
    begin: (one: W) => number
  ) {
    const archivedUntil = yield* border.current
    const old = wanted.map((one, index) => ({ one, index })).filter(({ one }) => begin(one) < archivedUntil)
    if (old.length === 0) return { archivedUntil, wanted: [] }
    const ids = [...new Set(old.map(({ one }) => one.deviceId))]
    const open = yield* archived.readable(ids)
    const keptFrom = yield* archived.keptFrom(ids)
    return {
      archivedUntil,
      wanted: old.filter(
        ({ one }) => open.has(one.deviceId) && begin(one) < (keptFrom.get(one.deviceId) ?? archivedUntil)
      )
    }
  })

  /** Adds archived readings to those that were found. */
  const withArchived = Effect.fnUntraced(function* (
    wanted: ReadonlyArray<WantedField>,
    stored: ReadonlyArray<FoundReading>,
    which: "first" | "last"
  ) {
    const old = yield* cold(wanted, ({ edge }) => edge)
    if (old.wanted.length === 0) return stored
    const found = yield* archive.nearest(
      old.wanted.map(({ one: { deviceId, field, edge, bound } }) => ({
        deviceId,
        field,
        ...(which === "last" ? { from: bound, to: edge } : { from: edge, to: Math.min(bound, old.archivedUntil) })
      })),
      which
    )
    const byNumber = new Map(stored.map((each) => [each.n, each]))
    for (const [index, { one }] of old.wanted.entries()) {
      const nearestOne = found[index]
      if (nearestOne === undefined) continue
      const known = byNumber.get(one.n)
      const isNearer = known === undefined || (which === "last" ? nearestOne[0] >= known.at : nearestOne[0] <= known.at)
      if (isNearer) byNumber.set(one.n, { n: one.n, ...toReading(nearestOne) })
    }
    return [...byNumber.values()]
  })

  return {
    /** The first readings of each span, and its two neighbours. */
    spans: Effect.fnUntraced(function* (wanted: ReadonlyArray<Wanted>, limit: number) {
      const stored = yield* repository.spans(wanted, limit)
      const old = yield* cold(wanted, ({ from }) => from)
      if (old.wanted.length === 0) return stored
      const found = yield* archive.spans(
        old.wanted.map(({ one }) => one),
        limit,
        old.archivedUntil
      )
      const merged = [...stored]
      for (const [n, { one, index }] of old.wanted.entries())
        merged[index] = merge(one, stored[index]!, found[n]!, limit)
      return merged
    }),
    neighbours: Effect.fnUntraced(function* (wanted: ReadonlyArray<Wanted>) {
      const stored = yield* repository.neighbours(wanted)
      const old = yield* cold(wanted, ({ from }) => from)
      if (old.wanted.length === 0) return stored
      const found = yield* archive.spans(
        old.wanted.map(({ one }) => one),
        0,
        old.archivedUntil
      )
      const merged = [...stored]
      for (const [n, { one, index }] of old.wanted.entries()) {
        const { before, after } = stored[index]!
        const all = merge(
          one,
          [before, after].filter((each) => each !== null),
          found[n]!,
          0
        )
        merged[index] = {
          before: all.find(({ at }) => at < one.from) ?? null,
          after: all.find(({ at }) => at >= one.to && at >= one.from) ?? null
        }
      }
      return merged
    }),
    /** The last matching reading before each instant. */
    before: (wanted: ReadonlyArray<WantedField>) =>
      Effect.flatMap(repository.before(wanted), (stored) => withArchived(wanted, stored, "last")),
    /** The first matching reading from each instant on. */
    after: (wanted: ReadonlyArray<WantedField>) =>
      Effect.flatMap(repository.after(wanted), (stored) => withArchived(wanted, stored, "first"))
  }
})

/** Reads the readings that energies are computed from, in the database and in the archive. */
export class EnergyReadings extends Context.Service<EnergyReadings, Effect.Success<typeof make>>()(
  "@edp/server/EnergyReadings"
) {
  static readonly layer = Layer.effect(EnergyReadings, make)
}
