import { Clock, Effect, Stream } from "effect"
import { CliFailure, usage } from "../../../kernel/CliFailure.ts"
import { Output } from "../../../kernel/Output.ts"
import type { CheckedFile, DeviceSpan } from "../checkFile.ts"
import type { FileReading } from "../csvForms.ts"
import { METER } from "../csvForms.ts"
import type { ElementProblem } from "@edp/adapter-kit/green-button/FeedProblem"
import type { Feed } from "@edp/adapter-kit/green-button/Feed"
import { countShortGaps, findSegments, powerReadings, type Segment } from "@edp/adapter-kit/green-button/powerReadings"
import { usageIntervals } from "@edp/adapter-kit/green-button/usageIntervals"
import { type UsagePoint, findUsagePoints } from "@edp/adapter-kit/green-button/usagePoints"
import { invalidFeed, readFeed } from "./readFeed.ts"

const SHOWN = 20
/** How far ahead of its clock the service accepts readings. */
const AHEAD = 5 * 60_000

const describe = ({ name, series, service, title }: UsagePoint) =>
  `UsagePoint ${name}${title === "" ? "" : ` "${title}"`}: ${service}, ${series.length === 0 ? "without" : "with"} intervals`

const withoutUsage = (path: string, { customers }: Feed) =>
  invalidFeed(path, [
    customers
      ? "has the data of a customer and no usage: takes the download of usage, with UsagePoint and IntervalBlock"
      : "has no intervals: takes a download with UsagePoint, MeterReading, ReadingType and IntervalBlock"
  ])

/** The usage point to import: the named one, or the only one of electricity with intervals. */
const choose = (path: string, all: ReadonlyArray<UsagePoint>, named: string | undefined) => {
  const list = all.map(describe)
  const usable = all.filter(({ isElectricity, series }) => isElectricity && series.length > 0)
  if (named !== undefined) {
    const wanted = named.replace(/^urn:uuid:/iu, "")
    const found = all.find(({ id, name }) => name === wanted || id === wanted.toLowerCase())
    if (found === undefined) return Effect.fail(usage(`${path} has no usage point ${named}`, ...list))
    if (usable.includes(found)) return Effect.succeed(found)
    return Effect.fail(invalidFeed(path, [`line ${found.line}, ${describe(found)}: takes electricity, with intervals`]))
  }
  const [first, another] = usable
  if (first === undefined) {
    return Effect.fail(
      invalidFeed(
        path,
        all.map((one) => `line ${one.line}, ${describe(one)}: takes electricity, with intervals`)
      )
    )
  }
  if (another === undefined) return Effect.succeed(first)
  return Effect.fail(usage(`${path} has several usage points: choose one with --usage-point`, ...usable.map(describe)))
}

interface Notes {
  /** MeterReadings that are left out, and why. */
  readonly series: ReadonlyArray<string>
  readonly leftOut: ReadonlyMap<string, number>
}

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`

const noteLines = (path: string, { leftOut, series }: Notes, shortGaps: number) => [
  ...series.map((text) => `${path}: left out ${text}`),
  ...[...leftOut].map(([reason, count]) => `${path}: left out ${plural(count, "interval")}: ${reason}`),
  ...(shortGaps === 0
    ? []
    : [`${path}: ${plural(shortGaps, "gap")} of less than 90 minutes; metrics connect the power at both ends`])
]

function* meterReadings(segments: Iterable<Segment>): Generator<FileReading> {
  for (const { at, line, power } of powerReadings(segments)) {
    yield { device: METER, timestamp: new Date(at).toISOString(), state: { power }, line }
  }
}

const findSpan = (readings: Iterable<FileReading>): DeviceSpan | undefined => {
  let count = 0
  let ends: { readonly first: FileReading; readonly last: FileReading } | undefined
  for (const reading of readings) {
    count++
    ends = { first: ends?.first ?? reading, last: reading }
  }
  return ends === undefined ? undefined : { count, ...ends }
}

export interface CheckedUsage extends CheckedFile {
  readonly usagePoint: UsagePoint
}

/** Reads a file of Green Button and makes the readings of one usage point of it. */
export const checkGreenButton = Effect.fn("telemetry.checkGreenButton")(function* (
  path: string,
  named: string | undefined
) {
  const feed = yield* readFeed(path)
  const usagePoints = findUsagePoints(feed)
  if ("bad" in usagePoints) {
    const shown = usagePoints.bad.slice(0, SHOWN).map(({ text }) => text)
    return yield* invalidFeed(path, shown, usagePoints.bad.length - shown.length)
  }
  if (usagePoints.length === 0 || feed.readings.length === 0) return yield* withoutUsage(path, feed)
  const usagePoint = yield* choose(path, usagePoints, named)

  const bad: Array<ElementProblem> = []
  const leftOut = new Map<string, number>()
  const { exported, imported, unused } = usageIntervals(usagePoint, {
    readings: feed.readings,
    latest: (yield* Clock.currentTimeMillis) + AHEAD,
    leftOut,
    refuse: (problem) => void bad.push(problem)
  })
  const shown = bad.slice(0, SHOWN).map(({ text }) => text)
  if (bad.length > 0) return yield* invalidFeed(path, shown, bad.length - shown.length)

  const readings = () => meterReadings(findSegments(imported, exported))
  const span = findSpan(readings())
  const lines = noteLines(path, { series: unused, leftOut }, countShortGaps(imported, exported))
  if (span === undefined) {
    return yield* new CliFailure({
      code: "GREEN_BUTTON_INVALID",
      message: `${path} has no measured interval of electricity that can be used`,
      details: lines
    })
  }
  yield* Effect.forEach(lines, (yield* Output).note)
  return {
    path,
    form: "green-button",
    readings: span.count,
    devices: new Map([[METER, span]]),
    read: Stream.suspend(() => Stream.fromIterable(readings())),
    usagePoint
  } satisfies CheckedUsage
})
