import { amount, percent, unitFor, bucketLabel, spanText } from "@edp/cli/commands/metrics/view"
import { bar } from "@edp/cli/commands/metrics/table"
import { barScale, metricTable } from "@edp/cli/commands/metrics/table"
import { axisTicks } from "@edp/cli/commands/metrics/ticks"
import { describe, expect, test } from "vitest"
import { metricResponse, view } from "../../metrics/someSeries.ts"

const at = Date.parse
const california = "America/Los_Angeles"

describe("an energy", () => {
  test.each([
    [0, "0 Wh"],
    [1999, "1,999 Wh"],
    [1.5, "1.500 Wh"],
    [2000, "2.000 kWh"],
    [-8_183_499, "-8,183.499 kWh"],
    [99_999_999, "99,999.999 kWh"],
    [100_000_000, "100.000 MWh"]
  ])("a value of %d Wh is printed as %s", (energy, text) => {
    const unit = unitFor([energy])
    expect(`${amount(energy, unit)} ${unit.symbol}`).toBe(text)
  })
})

test("a share below one is never rounded to 100 %", () => {
  expect([1, 0.9999, 0.583, 0].map(percent)).toEqual(["100 %", "99.9 %", "58.3 %", "0 %"])
})

describe("a bar", () => {
  test("extends right above zero and left below, to one scale", () => {
    const scale = barScale([-10, 30], 40)
    expect([30, 15, 0, -5, -10].map((value) => bar(value, scale))).toEqual([
      `${" ".repeat(10)}${"█".repeat(30)}`,
      `${" ".repeat(10)}${"█".repeat(15)}`,
      " ".repeat(10),
      `${" ".repeat(5)}${"█".repeat(5)}`,
      "█".repeat(10)
    ])
  })

  test.each([[[0, 0]], [[5]], [[-5, -1]], [[0.001, 1e9]]])("for %j stays within its width", (values) => {
    const scale = barScale(values, 20)
    for (const value of values) expect(bar(value, scale).length).toBeLessThanOrEqual(20)
  })
})

describe("a bucket's label", () => {
  test("distinguishes the two hours of a repeated clock time", () => {
    const names = ["2025-11-02T08:00:00Z", "2025-11-02T09:00:00Z"].map((time) =>
      bucketLabel(at(time), "hour", california)
    )
    expect(names).toEqual(["2025-11-02 01:00-07:00", "2025-11-02 01:00-08:00"])
  })

  test.each([
    ["15m", "2025-06-21 12:15Z"],
    ["day", "2025-06-21"],
    ["week", "2025-06-21"],
    ["month", "2025-06"],
    ["year", "2025"]
  ] as const)("for a %s is %s", (period, name) => {
    expect(bucketLabel(at("2025-06-21T12:15:00Z"), period, "UTC")).toBe(name)
  })
})

describe("a span", () => {
  test.each([
    ["2025-01-01T08:00:00Z", "2026-01-01T08:00:00Z", "2025"],
    ["2025-06-01T07:00:00Z", "2025-07-01T07:00:00Z", "June 2025"],
    ["2025-03-09T08:00:00Z", "2025-03-10T07:00:00Z", "March 9, 2025"],
    ["2025-06-21T07:00:00Z", "2025-06-23T07:00:00Z", "June 21, 2025 to June 22, 2025"],
    ["2025-06-21T07:00:00Z", "2025-06-21T19:30:00Z", "June 21, 2025 at 00:00 to June 21, 2025 at 12:30"]
  ])("from %s to %s is %s", (from, to, text) => {
    expect(spanText(at(from), at(to), california)).toBe(text)
  })
})

describe("the labels of the time axis", () => {
  const hours = (count: number, from = "2025-06-21T07:00:00.000Z") =>
    view([
      metricResponse(
        "load",
        Array.from({ length: count }, () => 1),
        { from }
      )
    ])
  const texts = (of: ReturnType<typeof hours>, room = 140) => axisTicks(of, room, 2).map(({ text }) => text)

  test("are as detailed as the width allows", () => {
    expect(texts(hours(24))).toHaveLength(24)
    expect(texts(hours(24), 60)).toEqual(["00", "03", "06", "09", "12", "15", "18", "21"])
    expect(texts(hours(24 * 7))).toEqual(Array.from({ length: 7 }, () => ["00", "06", "12", "18"]).flat())
    expect(texts(hours(24 * 30), 100)).toEqual(["21", "26", "1", "6", "11", "16"])
    expect(texts(hours(5000), 60)).toEqual(["Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Jan"])
  })

  test("repeat a repeated hour, and omit a skipped one", () => {
    expect(texts(hours(25, "2025-11-02T07:00:00.000Z")).slice(0, 4)).toEqual(["00", "01", "01", "02"])
    expect(texts(hours(23, "2025-03-09T08:00:00.000Z")).slice(0, 4)).toEqual(["00", "01", "03", "04"])
  })
})

describe("a table", () => {
  const texts = Array.from({ length: 7 }, (_, n) => `Site ${n}`)
  const seven = view(
    texts.map((_, n) => metricResponse("load", [n * 1000, null])),
    texts
  )

  test("lists series below each other when they do not fit side by side", () => {
    const lines = metricTable(seven, Number.POSITIVE_INFINITY).split("\n")
    expect(lines[2]).toMatch(/^SERIES +HOUR +kWh +COVERAGE$/u)
    expect(lines.slice(3, 17).filter((line) => line.startsWith("Site 6"))).toHaveLength(2)
    expect(lines.at(-1)).toBe("Site 6  6.000 kWh, coverage 50 %")
  })

  test("omits the coverage when all is covered, and the bars when there is no room", () => {
    const lines = metricTable(view([metricResponse("load", [500, 1000])]), 38).split("\n")
    expect(lines.slice(2, 5)).toEqual([
      "HOUR                    load Wh",
      "2025-06-21 00:00-07:00      500",
      "2025-06-21 01:00-07:00    1,000"
    ])
  })
})
