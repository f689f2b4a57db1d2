import type { Interval } from "./meterIntervals.ts"

const HOUR = 3_600_000
const QUARTER = 900_000
/** Metrics connect readings that are at most as far apart, ms. */
export const LONGEST_GAP = 90 * 60_000

/** A time in which the mean powers of both directions are constant. */
export interface Segment {
  /** Milliseconds since 1970; `to` is exclusive. */
  readonly from: number
  readonly to: number
  /** W; undefined where the direction has no interval. */
  readonly imported: number | undefined
  readonly exported: number | undefined
  readonly line: number
}

/** The times in which the mean powers of both directions are constant. Times with a value that was not measured are left out. */
export function* findSegments(imports: ReadonlyArray<Interval>, exports: ReadonlyArray<Interval>): Generator<Segment> {
  let [importAt, exportAt, now] = [0, 0, Number.NEGATIVE_INFINITY]
  for (;;) {
    const [one, other] = [imports[importAt], exports[exportAt]]
    if (one === undefined && other === undefined) return
    const from = Math.max(now, Math.min(one?.from ?? Infinity, other?.from ?? Infinity))
    const imported = one !== undefined && one.from <= from ? one : undefined
    const exported = other !== undefined && other.from <= from ? other : undefined
    now = Math.min(imported?.to ?? one?.from ?? Infinity, exported?.to ?? other?.from ?? Infinity)
    if (!Number.isNaN(imported?.watts) && !Number.isNaN(exported?.watts)) {
      const line = (imported ?? exported)!.line
      yield { from, to: now, imported: imported?.watts, exported: exported?.watts, line }
    }
    if (one !== undefined && one.to <= now) importAt++
    if (other !== undefined && other.to <= now) exportAt++
  }
}

/** A whole power, W, positive is import, from a time until another. */
interface Phase {
  readonly from: number
  readonly to: number
  readonly power: number
}

/** Powers of meters are whole: one of two neighbouring powers holds until the energy is that of the mean. */
function* phasesOfOne(from: number, to: number, watts: number): Generator<Phase> {
  const sign = watts < 0 ? -1 : 1
  const low = Math.floor(Math.abs(watts))
  const change = from + Math.round((Math.abs(watts) - low) * (to - from))
  if (change > from) yield { from, to: change, power: sign * (low + 1) }
  if (change < to) yield { from: change, to, power: low === 0 ? 0 : sign * low }
}

/**
 * Both directions moved energy within the time: in each quarter of an hour, the finest that metrics show, first the import and
 * then the export, with the same power. The quarter of a millisecond makes up for the
 * changes of power, which metrics draw as lines of 1 ms.
 */
function* phasesOfBoth(from: number, to: number, imported: number, exported: number): Generator<Phase> {
  for (let begin = from; begin < to;) {
    const end = Math.min(to, (Math.floor(begin / QUARTER) + 1) * QUARTER)
    const length = end - begin
    const power = Math.ceil(((imported + exported) * length) / (length - 4))
    const lasts = (watts: number) => Math.max(2, Math.round((watts * length) / power + 0.25))
    const change = Math.min(begin + lasts(imported), end - 2)
    const stop = Math.min(change + lasts(exported), end)
    yield { from: begin, to: change, power }
    yield { from: change, to: stop, power: -power }
    if (stop < end) yield { from: stop, to: end, power: 0 }
    begin = end
  }
}

const phasesIn = ({ exported = 0, from, imported = 0, to }: Segment) =>
  imported > 0 && exported > 0 ? phasesOfBoth(from, to, imported, exported) : phasesOfOne(from, to, imported - exported)

/** A reading of a meter. */
export interface PowerReading {
  /** Milliseconds since 1970. */
  readonly at: number
  /** Whole W, positive is import. */
  readonly power: number
  readonly line: number
}

/**
 * Readings of power from which metrics compute the energy of each interval: at its start, at its last millisecond, and at least
 * every hour between. They depend on their interval alone, so feeds that overlap give the same ones.
 */
export function* powerReadings(segments: Iterable<Segment>): Generator<PowerReading> {
  for (const segment of segments) {
    const { line } = segment
    for (const { from, power, to } of phasesIn(segment)) {
      for (let at = from; at < to - 1; at += HOUR) yield { at, power, line }
      yield { at: to - 1, power, line }
    }
  }
}

/** How many holes metrics bridge, because they are short. */
export const countShortGaps = (imports: ReadonlyArray<Interval>, exports: ReadonlyArray<Interval>) => {
  let gaps = 0
  let end: number | undefined
  for (const { from, to } of findSegments(imports, exports)) {
    if (end !== undefined && from > end && from - end < LONGEST_GAP) gaps++
    end = to
  }
  return gaps
}
