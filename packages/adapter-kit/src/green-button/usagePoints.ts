import { takes, type ElementProblem } from "./FeedProblem.ts"
import type { Block, EntryLinks, Feed, ReadingTypeFields } from "./Feed.ts"
import { ELECTRICITY, serviceName } from "./espiCodes.ts"

/** The blocks of a MeterReading, whose values are all of one type. */
export interface MeterSeries {
  /** Last segments of its address, such as `MeterReading/01`. */
  readonly name: string
  readonly line: number
  readonly type: ReadingTypeFields
  readonly blocks: ReadonlyArray<Block>
}

export interface UsagePoint {
  /** Chosen by it: the last segment of its address, or its id where several have the same segment. */
  readonly name: string
  /** The same in each download of a utility. */
  readonly id: string
  readonly title: string
  readonly line: number
  readonly service: string
  readonly isElectricity: boolean
  readonly series: ReadonlyArray<MeterSeries>
}

/** An address without its server, query and trailing slash: feeds mix absolute and relative ones. */
const toPath = (href: string) =>
  href
    .replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/iu, "")
    .replace(/[?#].*$/u, "")
    .replace(/^\/+|\/+$/gu, "")

/** The address of the resource of a kind that an address lies in, such as the UsagePoint of a MeterReading. */
const resourceIn = (href: string, kind: string): string | undefined => {
  const segments = toPath(href).split("/")
  const at = segments.lastIndexOf(kind)
  return at < 0 || at + 1 >= segments.length ? undefined : segments.slice(0, at + 2).join("/")
}

const lastSegments = (href: string, count: number) => toPath(href).split("/").slice(-count).join("/")

/** Finds the entry that another one refers to; a feed that has a single one needs no links. */
const makeFinder = <A extends { readonly entry: EntryLinks }>(kind: string, all: ReadonlyArray<A>) => {
  const bySelf = new Map(all.map((one) => [toPath(one.entry.self), one]))
  const byRelated = new Map(all.flatMap((one) => one.entry.related.map((href) => [toPath(href), one] as const)))
  return ({ related, self, up }: EntryLinks): A | undefined => {
    for (const href of [self, up, ...related]) {
      const address = resourceIn(href, kind)
      const found = address === undefined ? undefined : bySelf.get(address)
      if (found !== undefined) return found
    }
    const back = byRelated.get(toPath(self)) ?? byRelated.get(toPath(up))
    return back ?? (all.length === 1 ? all[0] : undefined)
  }
}

const uuid = (id: string) => id.replace(/^urn:uuid:/iu, "").toLowerCase()

const name = ({ entry }: { readonly entry: EntryLinks }) => lastSegments(entry.self, 1) || uuid(entry.id)

const push = <K, V>(lists: Map<K, Array<V>>, key: K, value: V) => {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

/** The usage points of a feed with their series, or the links that lead nowhere. */
export const findUsagePoints = (
  feed: Feed
): ReadonlyArray<UsagePoint> | { readonly bad: ReadonlyArray<ElementProblem> } => {
  const bad: Array<ElementProblem> = []
  const findMeterReading = makeFinder("MeterReading", feed.meterReadings)
  const findType = makeFinder("ReadingType", feed.readingTypes)
  const findUsagePoint = makeFinder("UsagePoint", feed.usagePoints)

  const blocks = new Map<Feed["meterReadings"][number], Array<Block>>()
  for (const block of feed.blocks) {
    const meterReading = findMeterReading(block.entry)
    if (meterReading === undefined) {
      bad.push(takes(block.line, 'IntervalBlock, link rel="up"', "the address of a MeterReading of the file"))
    } else push(blocks, meterReading, block)
  }

  const series = new Map<Feed["usagePoints"][number], Array<MeterSeries>>()
  for (const [meterReading, own] of blocks) {
    const { entry } = meterReading
    const type = meterReading.type ?? findType(entry)?.fields
    const usagePoint = findUsagePoint(entry)
    if (type === undefined) {
      bad.push(takes(entry.line, 'MeterReading, link rel="related"', "the address of a ReadingType of the file"))
    } else if (usagePoint === undefined) {
      bad.push(takes(entry.line, 'MeterReading, link rel="up"', "the address of a UsagePoint of the file"))
    } else {
      const found = { name: lastSegments(entry.self, 2) || "MeterReading", line: entry.line, type, blocks: own }
      push(series, usagePoint, found)
    }
  }
  if (bad.length > 0) return { bad }

  const names = feed.usagePoints.map(name)
  return feed.usagePoints.map((usagePoint, at): UsagePoint => {
    const { entry, service } = usagePoint
    const isUnique = names.indexOf(names[at]!) === names.lastIndexOf(names[at]!)
    return {
      name: isUnique ? names[at]! : uuid(entry.id),
      id: uuid(entry.id) || lastSegments(entry.self, 2),
      title: entry.title,
      line: entry.line,
      service: serviceName(service),
      isElectricity: service === ELECTRICITY,
      series: series.get(usagePoint) ?? []
    }
  })
}
