import {
  accentStyles,
  backgrounds,
  contrast,
  formatColor,
  makePalette,
  parseColor,
  ratios,
  readableOn
} from "@edp/server/platform/pages/colors"
import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"

const steps = [0, 36, 73, 109, 146, 182, 219, 255]
const everyColor = steps.flatMap((red) => steps.flatMap((green) => steps.map((blue) => [red, green, blue] as const)))

test.each([
  ["#000000", "#ffffff", 21],
  ["#ffffff", "#ffffff", 1],
  // Figures of WebAIM's contrast checker.
  ["#777777", "#ffffff", 4.48],
  ["#767676", "#ffffff", 4.54],
  ["#0000ff", "#ffffff", 8.59]
])("the contrast of %s and %s is %d", (one, other, ratio) => {
  expect(contrast(parseColor(one), parseColor(other))).toBeCloseTo(ratio, 2)
  expect(contrast(parseColor(other), parseColor(one))).toBeCloseTo(ratio, 2)
})

test("a colour survives parsing and formatting", () => {
  for (const color of everyColor) expect(parseColor(formatColor(color))).toEqual(color)
})

describe.each(["light", "dark"] as const)("with any accent colour, in %s", (scheme) => {
  const palettes = everyColor.map((color) => makePalette(color, scheme))

  test("a button's text is readable, also under the pointer", () => {
    for (const { accent, accentHover, onAccent } of palettes) {
      expect(contrast(onAccent, accent)).toBeGreaterThanOrEqual(ratios.text)
      expect(contrast(onAccent, accentHover)).toBeGreaterThanOrEqual(ratios.text)
    }
  })

  test("links are readable, and edges stand out, on every background", () => {
    for (const { accentEdge, link } of palettes) {
      for (const background of backgrounds[scheme]) {
        expect(contrast(link, background)).toBeGreaterThanOrEqual(ratios.text)
        expect(contrast(accentEdge, background)).toBeGreaterThanOrEqual(ratios.outline)
      }
    }
  })
})

test("an accent that suffices is left as it is", () => {
  expect(formatColor(makePalette(parseColor("#0b6b57"), "light").link)).toBe("#0b6b57")
  expect(readableOn(parseColor("#ffb400"))).toEqual([0, 0, 0])
})

test("the style sheet has the backgrounds that the contrast is computed with", () => {
  const path = new URL("../../../../packages/dashboard/src/app/tokens.css", import.meta.url)
  const css = readFileSync(path, "utf8")
  const declared = ["card", "page", "marked"].map((name) =>
    new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(css)!
  )
  expect(declared.map(([, light]) => light)).toEqual(backgrounds.light.map(formatColor))
  expect(declared.map(([, , dark]) => dark).toSorted()).toEqual(backgrounds.dark.map(formatColor).toSorted())
})

test("the style sheet of an accent holds nothing but colours", () => {
  expect(accentStyles("#ffb400")).toMatch(/^[\w\s:#;{}()@"=.\][-]+$/)
})
