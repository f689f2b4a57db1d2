import { type ElementProblem, FeedProblem } from "@edp/adapter-kit/green-button/FeedProblem"
import type { Feed } from "@edp/adapter-kit/green-button/Feed"
import { findSegments, powerReadings, type Segment } from "@edp/adapter-kit/green-button/powerReadings"
import { usageIntervals } from "@edp/adapter-kit/green-button/usageIntervals"
import { findUsagePoints, type UsagePoint } from "@edp/adapter-kit/green-button/usagePoints"
import type { DiscoveredDevice, PastReading } from "@edp/adapter-kit/Account"
import { Result } from "effect"
import { type MeterMemory, newMeter, type Range } from "./memory.ts"
import { addRanges, isFree } from "./ranges.ts"

/** Problems of a feed that are told, each a sentence. */
const MOST_PROBLEMS = 5
/** How far ahead of this clock an interval may end. */
const AHEAD = 60_000
/** How long the energy of one direction waits for that of the other one. */
const WAIT = 3 * 86_400_000

const unreadable = (text: string) => Result.fail(`The utility's feed is not understood: ${text}`)

/** Runs a step of the parser. */
export const parsing = <A>(step: () => A): Result.Result<A, string> => {
  try {
    return Result.succeed(step())
  } catch (cause) {
    if (cause instanceof FeedProblem) return unreadable(cause.problem.text)
    throw cause
  }
}

/** The usage points of a feed, or why it is not understood. */
export const listUsagePoints = (feed: Feed): Result.Result<ReadonlyArray<UsagePoint>, string> => {
  const found = findUsagePoints(feed)
  return "bad" in found ? unreadable(found.bad[0]!.text) : Result.succeed(found)
}

/** A usage point as a meter. */
export const discovered = ({ id, isElectricity, name, service, title }: UsagePoint): DiscoveredDevice => ({
  manufacturerDeviceId: id.slice(0, 255),
  type: "meter",
  name: (title.trim() || `Meter ${name}`).slice(0, 255),
  model: "Utility meter",
  serialNumber: null,
  rawType: "UsagePoint",
  rawModel: null,
  modelYear: null,
  staticState: null,
  commands: [],
  incompatible: isElectricity ? null : `A usage point of ${service}. The platform reads those of electricity.`
})

export interface MeterUsage {
  readonly history: ReadonlyArray<PastReading>
  readonly memory: MeterMemory
  readonly problems: ReadonlyArray<string>
}

const sentences = (bad: ReadonlyArray<ElementProblem>, unused: ReadonlyArray<string>, hasUsable: boolean) => [
  ...bad.slice(0, MOST_PROBLEMS).map(({ text }) => text),
  ...(bad.length > MOST_PROBLEMS ? [`and ${bad.length - MOST_PROBLEMS} more values that are not understood`] : []),
  ...(hasUsable ? [] : unused.slice(0, MOST_PROBLEMS).map((text) => `no interval is used: ${text}`))
]

/**
 * The readings of a usage point that are new. An interval is reported once: readings of two versions of it would be mixed, since the
 * platform keeps the first reading of each time.
 */
export const meterUsage = (
  feed: Feed,
  usagePoint: UsagePoint,
  before: MeterMemory | undefined,
  now: number
): MeterUsage => {
  const { covered, link } = before ?? newMeter
  const bad: Array<ElementProblem> = []
  const { completeUntil, exported, imported, unused } = usageIntervals(usagePoint, {
    readings: feed.readings,
    latest: now + AHEAD,
    leftOut: new Map(),
    refuse: (problem) => void bad.push(problem)
  })
  const isNew = ({ from, to }: Segment) =>
    to <= now && (to <= completeUntil || to <= now - WAIT) && isFree(covered, from, to)
  const segments = [...findSegments(imported, exported)].filter(isNew)
  return {
    history: Array.from(powerReadings(segments), ({ at, power }) => ({
      manufacturerDeviceId: usagePoint.id,
      at,
      state: { power }
    })),
    memory: {
      covered: addRanges(
        covered,
        segments.map(({ from, to }): Range => [from, to])
      ),
      link
    },
    problems: sentences(bad, unused, imported.length + exported.length > 0 || usagePoint.series.length === 0)
  }
}
