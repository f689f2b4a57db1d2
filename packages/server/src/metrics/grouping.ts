import type { MetricQuery } from "@edp/domain/metrics/MetricQuery"
import type { MetricPoint } from "@edp/domain/metrics/MetricSeries"
import type { Place } from "../energy/places.ts"
import type { Span } from "../energy/quarterCells.ts"
import type { Totals } from "../energy/totals.ts"

export type Grouping = NonNullable<MetricQuery["groupBy"]>

type Group = Pick<MetricPoint, "deviceId" | "siteId">

/** What the points of a place's series are told by; places without a site share one. */
const groupOf = (groupBy: Grouping, { devices, siteId }: Place): Group => {
  if (groupBy === "device") return { deviceId: devices[0]!.id }
  return groupBy === "site" && siteId !== null ? { siteId } : {}
}

interface ReportingPlace extends Place {
  readonly devices: ReadonlyArray<Place["devices"][number] & { readonly reporting: Span | undefined }>
}

/** The series of an answer in the order of their places. Without groups there is always one. */
export const grouped = <P extends ReportingPlace>(groupBy: Grouping, places: ReadonlyArray<P>, make: () => Totals) => {
  const groups = new Map<string | undefined, { readonly group: Group; readonly totals: Totals }>()
  const ofPlace = new Map<P, Totals>()
  const seriesOf = (group: Group) => {
    const id = group.deviceId ?? group.siteId
    const series = groups.get(id) ?? { group, totals: make() }
    groups.set(id, series)
    return series.totals
  }
  if (groupBy === "none") seriesOf({})
  for (const place of places) {
    const totals = seriesOf(groupOf(groupBy, place))
    totals.expect(place.devices.flatMap(({ reporting }) => reporting ?? []))
    ofPlace.set(place, totals)
  }
  return {
    series: groups.size,
    totalsOf: (place: P) => ofPlace.get(place)!,
    points: () => Array.from(groups.values(), ({ group, totals }) => totals.points(group)).flat()
  }
}
