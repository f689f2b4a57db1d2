import { CsvProblem, splitCells } from "@edp/cli/kernel/csv"
import { generalHeader, generalReader, parseCell } from "@edp/cli/commands/telemetry/csvForms"
import { stateProblem } from "@edp/cli/commands/telemetry/targets"
import { describe, expect, it } from "vitest"

const cells = (line: string) => {
  const split = splitCells(line)
  if (split instanceof CsvProblem) throw new Error(split.takes)
  return split
}

const latest = Date.parse("2026-01-01T00:00:00Z")

describe("the general form", () => {
  it.each([
    ["12", 12],
    ["-1.5e3", -1500],
    [".5", 0.5],
    ["true", true],
    ["false", false],
    ["null", null],
    ["", undefined],
    ["idle", "idle"],
    ["0x10", "0x10"],
    ["Infinity", "Infinity"],
    ['"12"', "12"],
    ['""', ""]
  ])("the cell %s is %j", (text, value) => {
    expect(parseCell(cells(text)[0] ?? { text: "", quoted: false })).toEqual(value)
  })

  it("a line is a reading of its device with its non-empty cells", () => {
    const read = generalReader(["power", "voltage", "note"], latest)
    expect(read(cells('INV-1,2025-06-21T12:00:00Z,3200,,"a, b"'), 7)).toEqual([
      { device: "INV-1", timestamp: "2025-06-21T12:00:00Z", line: 7, state: { power: 3200, note: "a, b" } }
    ])
  })

  it("a column named __proto__ is an ordinary column", () => {
    const [reading] = generalReader(["__proto__"], latest)(cells("X,2025-06-21T12:00:00Z,1"), 2) as ReadonlyArray<{
      readonly state: object
    }>
    expect(Object.keys(reading?.state ?? {})).toEqual(["__proto__"])
  })

  it.each([
    ["INV-1,noon,1", "timestamp"],
    ["INV-1,1999-06-21T12:00:00Z,1", "timestamp"],
    ["INV-1,2026-06-21T12:00:00Z,1", "timestamp"],
    [",2025-06-21T12:00:00Z,1", "device"],
    ["INV-1,2025-06-21T12:00:00Z", "every column"],
    ["INV-1,2025-06-21T12:00:00Z,1,2", "every column"]
  ])("%s is refused for its %s", (line, column) => {
    expect(generalReader(["power"], latest)(cells(line), 2)).toMatchObject({ column })
  })

  it.each(["device,timestamp", "time,device,power", "device,timestamp,power,power", "device,timestamp,", "a"])(
    "%s is not a valid header",
    (line) => {
      expect(generalHeader(cells(line))).toBeInstanceOf(CsvProblem)
    }
  )

  it("the state is checked against the type of the device, every column at once", () => {
    const reading = { device: "M", timestamp: "2025-06-21T12:00:00Z", line: 9 }
    expect(stateProblem("meter", { ...reading, state: { power: 12, importedEnergy: 3 } })).toBeUndefined()
    const problem = stateProblem("meter", { ...reading, state: { power: 1.5, colour: "red" } })
    expect(problem?.line).toBe(9)
    expect(problem?.text).toContain("line 9, ")
    expect(problem?.text).toContain("column power of a device of type meter: Must be an integer")
    expect(problem?.text).toContain("column colour of a device of type meter: takes one of power, importedEnergy")
    expect(stateProblem("meter", { ...reading, state: {} })?.text).toContain(
      "column power of a device of type meter: is missing"
    )
  })
})
