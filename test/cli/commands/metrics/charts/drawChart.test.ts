import { drawChart } from "@edp/cli/commands/metrics/charts/drawChart"
import { renderPng } from "@edp/cli/commands/charts/renderPng"
import { describe, expect, test } from "vitest"
import { metricResponse, view } from "../../../metrics/someSeries.ts"

/** The texts of a drawing, in its order. */
const textsIn = (svg: string) =>
  Array.from(svg.matchAll(/<text[^>]*>([^<]*)<\/text>/gu), ([, text]) =>
    text!.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&").replaceAll("&#39;", "'")
  )

interface Shape {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** The corners of a path of straight lines. */
const corners = (path: string) => {
  let [x, y] = [0, 0]
  return Array.from(path.matchAll(/([MLlm])([^MLlmZz]+)/gu), ([, command, text]) => {
    const [first = 0, second = 0] = text!.trim().split(/[ ,]/u).map(Number)
    ;[x, y] = command === "l" || command === "m" ? [x + first, y + second] : [first, second]
    return { x, y }
  })
}

/** The bounds of each filled shape except the legend's, which are moved to their place. */
const filled = (svg: string, color: string): ReadonlyArray<Shape> =>
  Array.from(svg.matchAll(/<path d="([^"]*)"([^>]*)>/gu))
    .filter(([, , rest]) => rest!.includes(`fill="${color}"`) && !rest!.includes("transform"))
    .map(([, path]) => {
      const [xs, ys] = [corners(path!).map(({ x }) => x), corners(path!).map(({ y }) => y)]
      return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) }
    })

const colors = { load: "#1f5f99", imported: "#7b8794", exported: "#2f9e62" }
const months = { from: "2025-01-01T08:00:00.000Z", period: "month" as const }

describe("a chart", () => {
  test("has a title, place, time, unit, legend with sums, and hours of the local clock", () => {
    const texts = textsIn(
      drawChart(view([metricResponse("load", [1200, 2400, 3600]), metricResponse("generation", [0, 0, 500])]))
    )
    expect(texts).toEqual(
      expect.arrayContaining([
        "Load and generation",
        "home  ·  June 21, 2025 at 00:00 to June 21, 2025 at 03:00  ·  kWh per hour  ·  America/Los_Angeles",
        "kWh",
        "load  7.2 kWh",
        "generation  0.5 kWh",
        "00",
        "01",
        "02",
        "Jun 21, 2025"
      ])
    )
  })

  test("accepts a custom title and escapes it", () => {
    const title = `<script>alert("Ada's")</script> & {b|Söhne}`
    const svg = drawChart(view([metricResponse("load", [1])], ["<b>roof</b>"]), title)
    expect(textsIn(svg).map((text) => text.replaceAll("&quot;", '"'))).toContain(title)
    expect(textsIn(svg)).toContain("<b>roof</b>  1 Wh")
    expect(svg).not.toContain("<script>")
    expect(svg).not.toContain("<b>")
  })

  test("draws export below zero, in another colour, to the same scale", () => {
    const svg = drawChart(view([metricResponse("grid", [1000, -500, 250])]))
    const imported = filled(svg, colors.imported)
    const [exported, another] = filled(svg, colors.exported)
    expect([imported.length, another]).toEqual([2, undefined])
    const zero = imported[0]!.bottom
    expect(imported[1]!.bottom).toBeCloseTo(zero)
    expect(exported!.top).toBeCloseTo(zero)
    const height = ({ bottom, top }: Shape) => bottom - top
    expect(height(exported!) / height(imported[0]!)).toBeCloseTo(0.5, 2)
    expect(height(imported[1]!) / height(imported[0]!)).toBeCloseTo(0.25, 2)
    expect(textsIn(svg)).toEqual(
      expect.arrayContaining(["grid: net import", "grid: net export (together 750 Wh)", "−300"])
    )
  })

  test("stacks the devices or sites of one metric", () => {
    const svg = drawChart(view([metricResponse("load", [1000]), metricResponse("load", [500])], ["Home", "Workshop"]))
    const [[below], [above]] = [filled(svg, "#1f5f99"), filled(svg, "#e3a008")]
    expect([above!.left, above!.right]).toEqual([below!.left, below!.right])
    expect(above!.bottom).toBeCloseTo(below!.top)
  })

  test("shows unknown buckets in grey instead of as zero", () => {
    const svg = drawChart(view([metricResponse("load", [10, null, null, 10])]))
    expect(textsIn(svg)).toContain("no readings")
    const bands = Array.from(svg.matchAll(/<polygon points="([^"]*)" fill="#eceff1"/gu), ([, points]) =>
      points!
        .split(" ")
        .map(Number)
        .filter((_, at) => at % 2 === 0)
    )
    const [first, second] = filled(svg, colors.load)
    expect(bands).toHaveLength(1)
    expect(Math.min(...bands[0]!)).toBeGreaterThan(first!.right)
    expect(Math.max(...bands[0]!)).toBeLessThan(second!.left)
    expect(textsIn(drawChart(view([metricResponse("load", [10, 0, 0, 10])])))).not.toContain("no readings")
  })

  test("draws stored energy as a line, and shows the latest value", () => {
    const svg = drawChart(view([metricResponse("storage", [4000, null, 6400])]))
    expect(textsIn(svg)).toContain("storage  6.4 kWh at last")
    expect(svg).toMatch(/<path [^>]*fill="none"[^>]*stroke="#6d4aa3"/u)
  })

  test.each([1, 12, 180, 181, 5000])("draws %d buckets with labels that do not overlap", (buckets) => {
    const values = Array.from({ length: buckets }, (_, n) => 1000 + (n % 24) * 50)
    const svg = drawChart(view([metricResponse("load", values, { from: "2024-12-31T08:00:00.000Z" })]))
    expect(filled(svg, colors.load).length).toBeGreaterThan(0)
    const labels = Array.from(
      svg.matchAll(/text-anchor="middle"[^>]*y="9" transform="translate\(([\d.]+) [^>]*>([^<]*)</gu),
      ([, x, text]) => ({ x: Number(x), width: text!.length * 8 })
    )
    expect(labels.length).toBeGreaterThan(0)
    for (const [at, { width, x }] of labels.slice(1).entries()) {
      expect(x - labels[at]!.x).toBeGreaterThan((width + labels[at]!.width) / 2)
    }
  })

  test("labels the months, and adds the year to the first of each year", () => {
    const from = "2024-11-01T00:00:00.000Z"
    const values = Array.from({ length: 92 }, () => 100_000)
    const svg = drawChart(view([metricResponse("load", values, { from, hours: 24, period: "day", timezone: "UTC" })]))
    const texts = textsIn(svg)
    expect(texts.slice(texts.indexOf("1"), texts.indexOf("1") + 4)).toEqual(["1", "Nov 2024", "6", "11"])
    expect(texts).toContain("Jan 2025")
  })

  test("is identical each time", () => {
    const one = view([metricResponse("grid", [1000, -500], months)])
    expect(drawChart(one)).toBe(drawChart(one))
    const stored = view([metricResponse("storage", [1000, 500])])
    expect(drawChart(stored)).toBe(drawChart(stored))
    expect(drawChart(stored)).not.toMatch(/class=|<style|ecmeta/u)
  })
})

/** The header of a PNG: its width and height. */
const readSize = (png: Uint8Array) => {
  const data = new DataView(png.buffer, png.byteOffset)
  return [data.getUint32(16), data.getUint32(20)]
}

describe("a chart as PNG", () => {
  const svg = drawChart(view([metricResponse("grid", [1000, -500])]))

  test("has twice the size of the drawing, and is identical each time", async () => {
    const png = await renderPng(svg)
    expect(Array.from(png.subarray(0, 4))).toEqual([0x89, 0x50, 0x4e, 0x47])
    expect(readSize(png)).toEqual([2400, 1200])
    expect(Buffer.from(await renderPng(svg)).equals(png)).toBe(true)
  })

  test("has text on a machine without fonts", async () => {
    const without = svg.replaceAll(/<text.*?<\/text>/gsu, "")
    expect(without.length).toBeLessThan(svg.length)
    expect((await renderPng(svg)).length).toBeGreaterThan((await renderPng(without)).length * 1.5)
  })
})
