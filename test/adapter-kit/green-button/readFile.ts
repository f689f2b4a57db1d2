import { type LeftOut, seriesIntervals } from "@edp/adapter-kit/green-button/meterIntervals"
import { FeedProblem } from "@edp/adapter-kit/green-button/FeedProblem"
import { feedParser } from "@edp/adapter-kit/green-button/feedParser"
import { mergeIntervals } from "@edp/adapter-kit/green-button/mergeIntervals"
import { findSegments, powerReadings } from "@edp/adapter-kit/green-button/powerReadings"
import { findUsagePoints } from "@edp/adapter-kit/green-button/usagePoints"
import { deviceIntervals } from "@edp/server/energy/deviceIntervals"

/** Parses a text in chunks of a size. */
export const parse = (text: string, size = 65_536) => {
  const parser = feedParser()
  for (let at = 0; at < text.length; at += size) parser.write(text.slice(at, at + size))
  return parser.end()
}

export const parseProblem = (text: string) => {
  try {
    parse(text)
    return undefined
  } catch (cause) {
    if (cause instanceof FeedProblem) return cause.problem.text
    throw cause
  }
}

/** The readings of the first usage point of a file, with what was left out and refused. */
export const readFile = (text: string) => {
  const feed = parse(text)
  const found = findUsagePoints(feed)
  if ("bad" in found) throw new Error(found.bad.map((problem) => problem.text).join("\n"))
  const problems: Array<string> = []
  const leftOut: LeftOut = new Map()
  const context = {
    readings: feed.readings,
    latest: Date.parse("2026-01-01T00:00:00Z"),
    leftOut,
    refuse: (problem: { readonly text: string }) => void problems.push(problem.text)
  }
  const all = found[0]!.series.map((series) => seriesIntervals(series, context))
  const imported = mergeIntervals(all, "imported", context.refuse)
  const exported = mergeIntervals(all, "exported", context.refuse)
  return {
    imported,
    exported,
    problems,
    leftOut,
    readings: [...powerReadings(findSegments(imported, exported))].map(({ at, power }) => ({
      timestamp: new Date(at).toISOString(),
      state: { power }
    }))
  }
}

/** The energies that metrics compute from a file's readings, Wh. A time is null where no quarter of it is covered. */
export const energiesOfFile = (text: string) => {
  const { readings } = readFile(text)
  const loaded = readings.map(({ state, timestamp }) => ({ at: Date.parse(timestamp), state }))
  return (from: number, to: number) => {
    const found = deviceIntervals({ type: "meter", ratedPower: undefined }, loaded, {
      from: from * 1000,
      to: to * 1000
    })
    const sum = (quantity: "imported" | "exported") => {
      const { amounts, covered } = found.get(quantity)!
      return covered.every((time) => time === 0) ? null : amounts.reduce((total, amount) => total + amount, 0) / 1e6
    }
    const covered = found.get("imported")!.covered.reduce((total, time) => total + time, 0)
    return {
      imported: sum("imported"),
      exported: sum("exported"),
      coverage: covered / ((to - from) * 1000)
    }
  }
}
