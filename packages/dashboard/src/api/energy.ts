import type { MissingReason } from "@edp/domain/metrics/MetricSeries"

/**
 * The energies of a site or of a workspace, in Wh, as the page shows them. None is negative but `grid`, the import minus the export.
 * Import and export are known where meters report: only these tell the two directions apart.
 */
export const energyNames = [
  "generation",
  "production",
  "load",
  "charged",
  "discharged",
  "imported",
  "exported",
  "grid"
] as const
export type EnergyName = (typeof energyNames)[number]

/** Why there is no value: a reason of the metrics, or a reason of a comparison or a share. */
export type NoEnergy = MissingReason | "nothing_generated" | "nothing_used" | "not_both" | "not_comparable"

/** A bucket of a series. */
export interface EnergyBucket {
  readonly from: number
  readonly to: number
  /** Null: nothing is known, for the reason. */
  readonly value: number | null
  /** The share of the bucket that was measured, 0 to 1. */
  readonly coverage: number
  readonly reason?: MissingReason
}

export type EnergySeries = ReadonlyArray<EnergyBucket>

/** An energy, a difference or a share with the part of the time that it is known for. */
export interface EnergyFigure {
  readonly value: number | null
  /** Share of the time until now that was measured. */
  readonly coverage: number | null
  /** The end of the last measured time. */
  readonly until: number | null
  readonly reason?: NoEnergy
}

/** The points of a metric as buckets: each ends where the next one begins, the last one at the end of the response. */
export const bucketsFrom = (response: {
  readonly data: ReadonlyArray<{
    readonly timestamp: string
    readonly value: number | null
    readonly coverage: number
    readonly reason?: MissingReason
  }>
  readonly meta: { readonly to: string }
}): EnergySeries => {
  const times = response.data.map(({ timestamp }) => Date.parse(timestamp))
  return response.data.map(({ value, coverage, reason }, index) => ({
    from: times[index]!,
    to: times[index + 1] ?? Date.parse(response.meta.to),
    value,
    coverage,
    ...(reason !== undefined && { reason })
  }))
}

/** Sums of thousandths of a Wh, without the noise of binary fractions. */
const rounded = (value: number) => Math.round(value * 1000) / 1000

/** The energy imported: what the meters exported plus their import minus their export. */
export const importedFrom = (net: EnergySeries, exported: EnergySeries): EnergySeries =>
  net.map((bucket, index) => {
    const other = exported[index]
    if (bucket.value === null) return bucket
    if (other === undefined || other.value === null) {
      return { from: bucket.from, to: bucket.to, value: null, coverage: 0, reason: other?.reason ?? "not_measured" }
    }
    return {
      from: bucket.from,
      to: bucket.to,
      value: rounded(bucket.value + other.value),
      coverage: Math.min(bucket.coverage, other.coverage)
    }
  })

/** The reason that tells most about a time in which nothing is known. */
const reasons: ReadonlyArray<MissingReason> = [
  "not_measured",
  "before_first_reading",
  "disconnected",
  "no_devices",
  "future"
]

const mainReason = (series: EnergySeries): MissingReason =>
  reasons.find((reason) => series.some((bucket) => bucket.reason === reason)) ?? "not_measured"

/** The part of a bucket that has passed, in milliseconds. */
const elapsed = ({ from, to }: EnergyBucket, now: number) => Math.max(0, Math.min(to, now) - from)

const measured = (bucket: EnergyBucket, now: number) =>
  Math.min(elapsed(bucket, now), bucket.coverage * (bucket.to - bucket.from))

const share = (part: number, whole: number) => (whole === 0 ? null : Math.min(1, part / whole))

const sumBy = (series: EnergySeries, value: (bucket: EnergyBucket) => number) =>
  series.reduce((sum, bucket) => sum + value(bucket), 0)

/** The sum of a series. Its coverage is the measured share of the time until now. */
export const totalEnergy = (series: EnergySeries, now: number): EnergyFigure => {
  const known = series.filter(({ value }) => value !== null)
  const last = known.at(-1)
  if (last === undefined) return { value: null, coverage: null, until: null, reason: mainReason(series) }
  return {
    value: rounded(sumBy(known, ({ value }) => value!)),
    coverage: share(
      sumBy(series, (bucket) => measured(bucket, now)),
      sumBy(series, (bucket) => elapsed(bucket, now))
    ),
    until: last.from + measured(last, now)
  }
}

/** The share of `whole` that is not in `rest`, over the buckets in which both are known. */
const remainder = (whole: EnergySeries, rest: EnergySeries, now: number, nothing: NoEnergy): EnergyFigure => {
  const none = (reason: NoEnergy): EnergyFigure => ({ value: null, coverage: null, until: null, reason })
  const pairs = whole.flatMap((bucket, index) => {
    const other = rest[index]
    return bucket.value === null || other === undefined || other.value === null
      ? []
      : [{ ...bucket, coverage: Math.min(bucket.coverage, other.coverage), rest: other.value }]
  })
  const last = pairs.at(-1)
  if (last === undefined) {
    if (whole.every(({ value }) => value === null)) return none(mainReason(whole))
    return none(rest.every(({ value }) => value === null) ? mainReason(rest) : "not_both")
  }
  const all = sumBy(pairs, ({ value }) => value!)
  if (all <= 0) return none(nothing)
  const remaining = 1 - pairs.reduce((sum, pair) => sum + pair.rest, 0) / all
  return {
    value: Math.max(0, Math.min(1, remaining)),
    coverage: share(
      sumBy(pairs, (bucket) => measured(bucket, now)),
      sumBy(whole, (bucket) => elapsed(bucket, now))
    ),
    until: last.from + measured(last, now)
  }
}

/** The share of the generation that was not exported. */
export const selfConsumption = (generation: EnergySeries, exported: EnergySeries, now: number) =>
  remainder(generation, exported, now, "nothing_generated")

/** The share of the load that was not imported. */
export const selfSufficiency = (load: EnergySeries, imported: EnergySeries, now: number) =>
  remainder(load, imported, now, "nothing_used")

/** The least coverage of a bucket that is compared with another. */
const COMPARABLE = 0.9
/** The least part of the begun buckets that a comparison needs. */
const LEAST_COMPARED = 0.5

export interface Comparison {
  /** The energy minus that of the other period, over the buckets that both have measured. */
  readonly difference: number | null
  /** The difference as a share of the other period's energy; null where that is not positive. */
  readonly share: number | null
  /** How many buckets are compared, of those of this period that have begun. */
  readonly compared: number
  readonly begun: number
  readonly reason?: NoEnergy
}

/**
 * Compares a period with another one over the same local times: `key` names the place of a bucket within its period. Buckets count
 * where both periods have measured nearly all of them, so the present month is compared with the same days of the month before.
 * Where fewer than half of the begun ones count, nothing is compared: the difference would say nothing about the period.
 */
export const compareEnergy = (
  series: EnergySeries,
  other: EnergySeries,
  key: (from: number) => string,
  now: number
): Comparison => {
  const former = new Map(other.map((bucket) => [key(bucket.from), bucket]))
  const pairs = series.flatMap((bucket) => {
    const match = former.get(key(bucket.from))
    const isKnown = bucket.value !== null && match !== undefined && match.value !== null
    return isKnown && bucket.coverage >= COMPARABLE && match.coverage >= COMPARABLE
      ? [{ value: bucket.value, former: match.value! }]
      : []
  })
  const begun = series.filter(({ from }) => from < now).length
  if (pairs.length === 0 || pairs.length < begun * LEAST_COMPARED) {
    const empty = [series, other].find((each) => each.every(({ value }) => value === null))
    return {
      difference: null,
      share: null,
      compared: pairs.length,
      begun,
      reason: empty === undefined ? "not_comparable" : mainReason(empty)
    }
  }
  const before = pairs.reduce((sum, pair) => sum + pair.former, 0)
  const difference = rounded(pairs.reduce((sum, pair) => sum + pair.value, 0) - before)
  return { difference, share: before > 0 ? difference / before : null, compared: pairs.length, begun }
}

/** Joins neighbouring buckets of one key, such as the days of a month. */
export const joinBuckets = (series: EnergySeries, key: (from: number) => string, now: number): EnergySeries => {
  const groups = new Map<string, Array<EnergyBucket>>()
  for (const bucket of series) {
    const name = key(bucket.from)
    groups.set(name, [...(groups.get(name) ?? []), bucket])
  }
  return [...groups.values()].map((group) => {
    const { value, coverage, reason } = totalEnergy(group, now)
    return {
      from: group[0]!.from,
      to: group.at(-1)!.to,
      value,
      coverage: coverage ?? 0,
      ...(reason !== undefined && { reason: reason as MissingReason })
    }
  })
}
