import { CsvProblem, splitCells } from "@edp/cli/kernel/csv"
import { describe, expect, it } from "vitest"

const texts = (line: string) => {
  const cells = splitCells(line)
  return cells instanceof CsvProblem ? cells : cells.map(({ text }) => text)
}

describe("the cells of a line", () => {
  it.each([
    ["a,b,c", ["a", "b", "c"]],
    ["a, b ,c", ["a", "b", "c"]],
    ["", [""]],
    ["a,,", ["a", "", ""]],
    ['"a,b",c', ["a,b", "c"]],
    ['"say ""hi""",2', ['say "hi"', "2"]],
    ['a,"b"', ["a", "b"]],
    ['a,""', ["a", ""]]
  ])("%j", (line, expected) => {
    expect(texts(line)).toEqual(expected)
  })

  it("a quoted cell is marked as quoted", () => {
    expect(splitCells('1,"1"')).toEqual([
      { text: "1", quoted: false },
      { text: "1", quoted: true }
    ])
  })

  it.each(['a,"b', 'a,"b"c,d'])("%j lacks a closing quote in column 2", (line) => {
    expect(texts(line)).toMatchObject({ column: "2", takes: "a closing quote before the next comma" })
  })
})
