import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const folder = new URL("../../examples/sample-home/", import.meta.url)
const rows = readFileSync(new URL("home.csv", folder), "utf8")
  .trimEnd()
  .split("\n")
  .slice(1)
  .map((line) => {
    const [start, load, solar] = line.split(",")
    return { start: start!, load: Number(load), solar: Number(solar) }
  })
const sum = (values: ReadonlyArray<number>) => values.reduce((total, value) => total + value, 0)

describe("the sample home", () => {
  it("equals the output of its script, byte for byte", () => {
    const run = spawnSync(process.execPath, [fileURLToPath(new URL("generate.ts", folder)), "--check"])
    assert.strictEqual(run.stderr.toString(), "")
    assert.strictEqual(run.status, 0)
  })

  it("has every hour of the year once, in order, in whole Wh", () => {
    assert.strictEqual(rows.length, 8760)
    rows.forEach(({ start, load, solar }, hour) => {
      assert.match(start, /^\d{4}-\d\d-\d\dT\d\d:00:00-08:00$/)
      assert.strictEqual(Date.parse(start), Date.parse("2025-01-01T00:00:00-08:00") + hour * 3_600_000)
      assert.isTrue(Number.isInteger(load) && load > 0)
      assert.isTrue(Number.isInteger(solar) && solar >= 0)
    })
  })

  it("has the sums of its README", () => {
    const readme = readFileSync(new URL("README.md", folder), "utf8")
    const said = /load ([\d,]+) Wh, solar ([\d,]+) Wh/
      .exec(readme)!
      .slice(1)
      .map((text) => Number(text.replaceAll(",", "")))
    assert.deepStrictEqual(said, [sum(rows.map((row) => row.load)), sum(rows.map((row) => row.solar))])
  })

  it("is dark at night, below the inverter's 5 kW by day, and brighter in June than in December", () => {
    const month = (name: string) => rows.filter((row) => row.start.startsWith(`2025-${name}`)).map((row) => row.solar)
    assert.strictEqual(sum(rows.filter((row) => /T(2[1-3]|0[0-3]):/.test(row.start)).map((row) => row.solar)), 0)
    assert.isBelow(Math.max(...rows.map((row) => row.solar)), 5000)
    assert.isAbove(sum(month("06")), 2 * sum(month("12")))
  })
})
