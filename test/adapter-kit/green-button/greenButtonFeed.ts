/** Files of Green Button for tests, in the order of elements that `espi.xsd` 4.0 prescribes. */
export interface FeedReading {
  /** Seconds since 1970. */
  readonly start?: number
  readonly duration?: number
  readonly value?: number
  readonly quality?: number
}

export interface FeedSeries {
  /** Elements of the ReadingType that differ from delivered Wh of an hour. */
  readonly type?: Readonly<Record<string, number>>
  readonly blocks: ReadonlyArray<ReadonlyArray<FeedReading>>
}

export interface FeedUsagePoint {
  readonly name: string
  readonly title?: string
  readonly kind?: number
  readonly series: ReadonlyArray<FeedSeries>
}

const uuid = (text: string) => {
  const digits = [...text].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) % 0xff_ff_ff_ff, 7)
  return `urn:uuid:00000000-0000-4000-8000-${digits.toString(16).padStart(12, "0")}`
}

/** The id by which the import finds the meter of a usage point again. */
export const meterId = (usagePoint: string) => uuid(`/resource/UsagePoint/${usagePoint}`).slice("urn:uuid:".length)

const updated = "2025-07-01T00:00:00Z"

const entry = (self: string, title: string, related: ReadonlyArray<string>, content: string) =>
  [
    "  <entry>",
    `    <id>${uuid(self)}</id>`,
    `    <link rel="self" href="${self}"/>`,
    `    <link rel="up" href="${self.replace(/\/[^/]*$/u, "")}"/>`,
    ...related.map((href) => `    <link rel="related" href="${href}"/>`),
    `    <title>${title}</title>`,
    `    <content type="xml">`,
    content,
    "    </content>",
    `    <published>${updated}</published>`,
    `    <updated>${updated}</updated>`,
    "  </entry>"
  ].join("\n")

const HOURLY = {
  accumulationBehaviour: 4,
  commodity: 1,
  consumptionTier: undefined,
  currency: 840,
  dataQualifier: 12,
  defaultQuality: undefined,
  flowDirection: 1,
  intervalLength: 3600,
  kind: 12,
  phase: 769,
  powerOfTenMultiplier: 0,
  timeAttribute: 0,
  tou: undefined,
  uom: 72
}

const element = (name: string, value: number | undefined, indent: string) =>
  value === undefined ? [] : [`${indent}<${name}>${value}</${name}>`]

const readingType = (type: FeedSeries["type"]) =>
  [
    `      <ReadingType xmlns="http://naesb.org/espi">`,
    ...Object.entries({ ...HOURLY, ...type }).flatMap(([name, value]) => element(name, value, " ".repeat(8))),
    "      </ReadingType>"
  ].join("\n")

const intervalReading = ({ duration, quality, start, value }: FeedReading) => [
  "        <IntervalReading>",
  ...(quality === undefined ? [] : [`          <ReadingQuality><quality>${quality}</quality></ReadingQuality>`]),
  ...(start === undefined
    ? []
    : [`          <timePeriod><duration>${duration ?? 3600}</duration><start>${start}</start></timePeriod>`]),
  ...element("value", value, " ".repeat(10)),
  "        </IntervalReading>"
]

const block = (readings: ReadonlyArray<FeedReading>, start: number, duration: number) =>
  [
    `      <IntervalBlock xmlns="http://naesb.org/espi">`,
    `        <interval><duration>${duration}</duration><start>${start}</start></interval>`,
    ...readings.flatMap(intervalReading),
    "      </IntervalBlock>"
  ].join("\n")

const usagePointEntries = ({ kind = 0, name, series, title = "Electric meter" }: FeedUsagePoint) => {
  const self = `/resource/UsagePoint/${name}`
  const point = [
    `      <UsagePoint xmlns="http://naesb.org/espi">`,
    `        <ServiceCategory><kind>${kind}</kind></ServiceCategory>`,
    "      </UsagePoint>"
  ].join("\n")
  return [
    entry(self, title, [`${self}/MeterReading`], point),
    ...series.flatMap(({ blocks, type }, at) => {
      const meterReading = `${self}/MeterReading/${at + 1}`
      const typeAddress = `/resource/ReadingType/${name}-${at + 1}`
      return [
        entry(meterReading, "", [typeAddress], `      <MeterReading xmlns="http://naesb.org/espi"/>`),
        entry(typeAddress, "", [], readingType(type)),
        ...blocks.map((readings, number) => {
          const from = readings[0]?.start ?? 0
          const last = readings.at(-1)
          const duration = (last?.start ?? from) + (last?.duration ?? 3600) - from
          return entry(`${meterReading}/IntervalBlock/${number + 1}`, "", [], block(readings, from, duration))
        })
      ]
    })
  ]
}

/** The text of a file. */
export const greenButtonFeed = (...usagePoints: ReadonlyArray<FeedUsagePoint>) =>
  [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<feed xmlns="http://www.w3.org/2005/Atom">`,
    `  <id>${uuid("feed")}</id>`,
    "  <title>Usage of a made-up home</title>",
    `  <updated>${updated}</updated>`,
    ...usagePoints.flatMap(usagePointEntries),
    "</feed>",
    ""
  ].join("\n")

export const seconds = (text: string) => Date.parse(text) / 1000

/** Readings that follow each other. */
export const run = (start: number, duration: number, values: ReadonlyArray<number>): ReadonlyArray<FeedReading> =>
  values.map((value, at) => ({ start: start + at * duration, duration, value }))

export const RECEIVED = { flowDirection: 19 }
