import { cell, type Column, minute, renderCsv, renderRecord, renderTable } from "@edp/cli/kernel/table"
import { CliOutput } from "effect/cli"
import { describe, expect, it } from "vitest"

interface Row {
  readonly id: string
  readonly name: string
  readonly count: number
}

const columns: ReadonlyArray<Column<Row>> = [
  { title: "ID", value: ({ id }) => id, whole: true },
  { title: "NAME", value: ({ name }) => name },
  { title: "COUNT", value: ({ count }) => count, right: true }
]
const row = { id: "cmj2k8x4a0q3v7n1r5t9w2y6b", name: "A battery in a garage far away", count: 7 }

describe("tables", () => {
  it("columns are aligned, numbers to the right, without trailing spaces", () => {
    expect(
      renderTable(columns, [
        { id: "a", name: "Battery", count: 12 },
        { id: "bcd", name: "X", count: 3 }
      ])
    ).toBe(["ID   NAME     COUNT", "a    Battery     12", "bcd  X            3"].join("\n"))
  })

  it.each([60, 50, 44])("no line is wider than a terminal of %d columns, and ids stay whole", (room) => {
    const lines = renderTable(columns, [row], room).split("\n")
    expect(Math.max(...lines.map((line) => CliOutput.displayWidth(line)))).toBeLessThanOrEqual(room)
    expect(lines[1]).toContain(row.id)
    expect(lines[1]).toContain("…")
  })

  it("rows become records when shortening is not enough", () => {
    expect(renderTable(columns, [row], 30)).toBe(`ID     ${row.id}\nNAME   ${row.name}\nCOUNT  7`)
  })

  it("show a date-time to the minute, and in full in CSV", () => {
    const time: ReadonlyArray<Column<{ readonly at: string }>> = [
      { title: "LAST USED", value: ({ at }) => at, time: true }
    ]
    const used = { at: "2026-03-01T12:34:56.789Z" }
    expect(renderTable(time, [used])).toBe("LAST USED\n2026-03-01 12:34Z")
    expect(renderCsv(time, [used])).toBe("last_used\n2026-03-01T12:34:56.789Z")
  })

  it("as CSV quote where necessary, and leave missing values empty", () => {
    const values = ['a "b"', "c, d", ["e", "f"], null, [], "", 7, false]
    const every = values.map((_, at) => ({ title: `V${at}`, value: (row: ReadonlyArray<unknown>) => row[at] }))
    expect(renderCsv(every, [values]).split("\n")).toEqual([
      "v0,v1,v2,v3,v4,v5,v6,v7",
      '"a ""b""","c, d","e, f",,,,7,false'
    ])
  })

  it("as CSV have no text that a spreadsheet computes, and numbers as they are", () => {
    const values = ["=1+1", "\u00a0=1+1", "\t@SUM(A1)", "＝1+1", ["-a", "b"], -7.5]
    const every = values.map((_, at) => ({ title: `V${at}`, value: (row: ReadonlyArray<unknown>) => row[at] }))
    expect(renderCsv(every, [values]).split("\n")[1]).toBe(`'=1+1,'\u00a0=1+1,' @SUM(A1),'＝1+1,"'-a, b",-7.5`)
  })

  it("a date-time in a list is shown to the minute", () => {
    expect(minute("2026-03-01T12:34:56.789Z")).toBe("2026-03-01 12:34Z")
    expect(minute(null)).toBe("-")
  })

  it("nothing is shortened without a terminal", () => {
    expect(renderTable(columns, [{ ...row, name: "x".repeat(500) }])).toContain("x".repeat(500))
  })

  it("wide characters count as two columns", () => {
    const [, first, second] = renderTable(columns, [
      { id: "a", name: "太陽", count: 1 },
      { id: "b", name: "sun", count: 2 }
    ]).split("\n")
    expect(CliOutput.displayWidth(first ?? "")).toBe(CliOutput.displayWidth(second ?? ""))
  })

  it("a name cannot send control sequences to the terminal", () => {
    expect(cell("a\u001B[2Jb\nc\u0007")).toBe("a [2Jb c ")
  })

  it.each([
    [null, "-"],
    [undefined, "-"],
    ["", "-"],
    [[], "-"],
    [["a", "b"], "a, b"],
    [{ a: 1 }, '{"a":1}'],
    [false, "false"],
    [0, "0"]
  ])("%j is shown as %s", (value, text) => {
    expect(cell(value)).toBe(text)
  })

  it("a record lists its values below each other", () => {
    expect(
      renderRecord([
        ["id", "x"],
        ["created", null]
      ])
    ).toBe("id       x\ncreated  -")
  })
})
