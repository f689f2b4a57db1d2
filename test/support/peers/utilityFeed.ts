/** Feeds of a utility in the shape of the published samples of OpenESPI: entries with absolute links, elements with the prefix `espi`. */
export interface UsageInterval {
  /** Seconds since 1970. */
  readonly start: number
  readonly duration: number
  readonly value: number
  readonly quality?: number
}

export interface UsageSeries {
  /** Elements of the ReadingType that differ from delivered Wh. */
  readonly type?: Readonly<Record<string, number>>
  readonly intervals: ReadonlyArray<UsageInterval>
}

export interface UtilityMeter {
  readonly id: string
  readonly title: string
  /** The service: 0 is electricity, 1 gas. */
  readonly kind: number
  series: ReadonlyArray<UsageSeries>
}

const DAY = 86_400

const entry = (self: string, id: string, title: string, related: ReadonlyArray<string>, content: string) =>
  `<entry><id>urn:uuid:${id}</id><link rel="self" href="${self}" type="espi-entry/${self.split("/").at(-2)}"/>` +
  `<link rel="up" href="${self.slice(0, self.lastIndexOf("/"))}" type="espi-feed"/>` +
  related.map((href) => `<link rel="related" href="${href}"/>`).join("") +
  `<title>${title}</title><content>${content}</content>` +
  `<published>2026-11-01T00:00:00Z</published><updated>2026-11-01T00:00:00Z</updated></entry>\n`

const typeFields = {
  accumulationBehaviour: 4,
  commodity: 1,
  dataQualifier: 12,
  flowDirection: 1,
  kind: 12,
  phase: 769,
  powerOfTenMultiplier: 0,
  timeAttribute: 0,
  uom: 72
}

const readingType = (type: UsageSeries["type"]) =>
  `<espi:ReadingType>${Object.entries({ ...typeFields, ...type })
    .map(([name, value]) => `<espi:${name}>${value}</espi:${name}>`)
    .join("")}</espi:ReadingType>`

const intervalReading = ({ duration, quality, start, value }: UsageInterval) =>
  "<espi:IntervalReading>" +
  (quality === undefined ? "" : `<espi:ReadingQuality><espi:quality>${quality}</espi:quality></espi:ReadingQuality>`) +
  `<espi:timePeriod><espi:duration>${duration}</espi:duration><espi:start>${start}</espi:start></espi:timePeriod>` +
  `<espi:value>${value}</espi:value></espi:IntervalReading>`

const intervalBlock = (day: number, readings: ReadonlyArray<UsageInterval>) =>
  `<espi:IntervalBlock><espi:interval><espi:duration>${DAY}</espi:duration><espi:start>${day}</espi:start></espi:interval>` +
  `${readings.map(intervalReading).join("\n")}</espi:IntervalBlock>`

const numbered = (at: number) => String(at + 1).padStart(2, "0")

/** The entries of a usage point under the address of its subscription, with the blocks of the days in [from, to), seconds. */
const meterEntries = (base: string, { id, kind, series, title }: UtilityMeter, from: number, to: number) => {
  const self = `${base}/UsagePoint/${id}`
  const point = `<espi:UsagePoint><espi:ServiceCategory><espi:kind>${kind}</espi:kind></espi:ServiceCategory></espi:UsagePoint>`
  const entries = [
    entry(self, id, title, [`${self}/MeterReading`, `${base}/LocalTimeParameters/1`], point),
    entry(
      `${base}/LocalTimeParameters/1`,
      `${id.slice(0, -2)}ff`,
      "DST For North America",
      [],
      "<espi:LocalTimeParameters><espi:dstEndRule>B40E2000</espi:dstEndRule><espi:dstOffset>3600</espi:dstOffset>" +
        "<espi:dstStartRule>360E2000</espi:dstStartRule><espi:tzOffset>-28800</espi:tzOffset></espi:LocalTimeParameters>"
    )
  ]
  for (const [at, { intervals, type }] of series.entries()) {
    const reading = `${self}/MeterReading/${numbered(at)}`
    const typeAddress = `${base.replace(/\/Subscription\/.*$/u, "")}/ReadingType/${id}-${numbered(at)}`
    entries.push(
      entry(reading, `${id.slice(0, -2)}a${at}`, "", [`${reading}/IntervalBlock`, typeAddress], "<espi:MeterReading/>"),
      entry(typeAddress, `${id.slice(0, -2)}b${at}`, "", [], readingType(type))
    )
    const days = Map.groupBy(
      intervals.filter(({ duration, start }) => start + duration > from && start < to),
      ({ start }) => Math.floor(start / DAY) * DAY
    )
    for (const [day, readings] of days) {
      entries.push(
        entry(`${reading}/IntervalBlock/${day}`, `${id.slice(0, -2)}c${at}`, "", [], intervalBlock(day, readings))
      )
    }
  }
  return entries
}

export const usageFeed = (base: string, meters: ReadonlyArray<UtilityMeter>, from: number, to: number) =>
  '<?xml version="1.0" encoding="UTF-8"?>\n' +
  '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:espi="http://naesb.org/espi" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">' +
  "<id>urn:uuid:0071C5A7-91CF-434E-8BCE-C38AC8AF215D</id><title>Green Button Usage Feed</title>" +
  `<updated>2026-11-01T00:00:00Z</updated><link rel="self" href="${base}"/>\n` +
  meters.flatMap((meter) => meterEntries(base, meter, from, to)).join("") +
  "</feed>\n"

/** The list of usage points alone. */
export const usagePointFeed = (base: string, meters: ReadonlyArray<UtilityMeter>) =>
  usageFeed(
    base,
    meters.map((meter) => ({ ...meter, series: [] })),
    0,
    0
  )
