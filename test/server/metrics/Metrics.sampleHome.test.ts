import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { device, everyOther, read, send, useEmbeddedInstance } from "./measuring.ts"

const instance = useEmbeddedInstance()
const HOUR = 3_600_000

const rows = readFileSync(new URL("../../../examples/sample-home/home.csv", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => line.split(","))
  .map(([start, load, solar]) => ({ start: Date.parse(start!), load: Number(load), solar: Number(solar) }))

/** A counter's readings: one at the start of the first hour, then one at the end of each. */
const counted = (toState: (row: (typeof rows)[number] | undefined) => object) => [
  { at: rows[0]!.start, state: toState(undefined) },
  ...rows.map((row) => ({ at: row.start + HOUR, state: toState(row) }))
]

describe("a year of a home by the hour", () => {
  test("has the energy of the table in each hour, to the Wh", async () => {
    let generated = 0
    let imported = 0
    let exported = 0
    const inverter = await device(instance(), "inverter", { power: 5000 })
    const meter = await device(instance(), "meter")
    const produced = counted((row) => ({
      power: row?.solar ?? 0,
      lifetimeEnergyGenerated: (generated += row?.solar ?? 0)
    }))
    const metered = counted((row) => {
      const net = row === undefined ? 0 : row.load - row.solar
      imported += Math.max(0, net)
      exported += Math.max(0, -net)
      return { power: net, importedEnergy: imported, exportedEnergy: exported }
    })
    for (let at = 0; at < produced.length; at += 1000) {
      await send(instance(), inverter, "inverter", produced.slice(at, at + 1000))
      await send(instance(), meter, "meter", metered.slice(at, at + 1000))
    }
    const bounds = everyOther(rows[0]!.start, HOUR, rows.length)
    const made = (await read(instance(), inverter, bounds))!.energy.get("generated")!
    const used = (await read(instance(), meter, bounds))!.energy
    expect(made.amounts.map((each) => Number(each) / 1e6)).toEqual(rows.map(({ solar }) => solar))
    expect(new Set(made.covered)).toEqual(new Set([HOUR]))
    const net = used
      .get("imported")!
      .amounts.map((each, hour) => Number(each - used.get("exported")!.amounts[hour]!) / 1e6)
    expect(net).toEqual(rows.map(({ load, solar }) => load - solar))
  })
})
