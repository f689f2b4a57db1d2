import { renderProgress } from "@edp/cli/kernel/ProgressBar"
import { CliOutput } from "effect/cli"
import { describe, expect, it } from "vitest"

const progress = { label: "home", done: 8761, total: 17_522, elapsedMs: 4000, columns: 80 }

describe("the progress bar", () => {
  it("shows share, count and time left", () => {
    const line = renderProgress(progress)
    expect(line).toMatch(/^home █{16}▌░{16} 50 %, 8,761 of 17,522 readings, 4 s left$/u)
  })

  it.each([20, 40, 60, 80, 200])("stays on one line of %d columns at any time", (columns) => {
    for (const done of [0, 1, 5000, 17_521, 17_522]) {
      expect(CliOutput.displayWidth(renderProgress({ ...progress, done, columns }))).toBeLessThan(columns)
    }
  })

  it("a finished job is full and shows no time left", () => {
    const line = renderProgress({ ...progress, done: 17_522 })
    expect(line).toContain("100 %")
    expect(line).not.toContain("left")
    expect(line).not.toContain("░")
  })
})
