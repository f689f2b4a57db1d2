import { csvTable } from "@edp/domain/shared/csv"
import { expect, test } from "vitest"

const row = (...cells: ReadonlyArray<string | number | null | undefined>) =>
  csvTable(["a"], [cells]).split("\r\n", 2)[1]

test("a table has a header, and ends each line as in RFC 4180", () => {
  expect(csvTable(["a", "b"], [[1, "x"]])).toBe("a,b\r\n1,x\r\n")
})

test("values with commas, quotes or line breaks are quoted, and quotes are doubled", () => {
  expect(row("a,b", 'say "x"', "plain")).toBe('"a,b","say ""x""",plain')
  expect(csvTable(["a"], [["two\nlines"]])).toBe('a\r\n"two\nlines"\r\n')
})

test("a missing value is an empty cell, and a number is unchanged, also a negative one", () => {
  expect(row(null, undefined, -1.5, 0)).toBe(",,-1.5,0")
})

test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "=cmd|' /C calc'!A0"])(
  "the text %j is not a formula for a spreadsheet",
  (text) => {
    expect(row(text)).toBe(`'${text}`)
  }
)

test.each([
  ...[" ", "\t ", "\u00a0", "\ufeff", "\u200b", "\u3000", "\u0000", "\u001b", "\u2028", " \u00a0\u00ad"].map(
    (space) => `${space}=1+1`
  ),
  ...["＝", "＋", "－", "＠", "﹦", "﹢", "﹣", "﹫"].map((sign) => `${sign}SUM(A1)`),
  "\u00a0＝1+1",
  "  @SUM(A1)"
])("the text %j, which some spreadsheets compute, gets a leading apostrophe", (text) => {
  expect(row(text)).toBe(`'${text}`)
})

test.each(["", " ", "a=1", " a", "1 - 2", "'=1", "Ünit＝1", "12"])(
  "the text %j, which is no formula, is unchanged",
  (text) => {
    expect(row(text)).toBe(text)
  }
)

test("a formula with quotes gets a leading apostrophe inside them", () => {
  expect(row('=HYPERLINK("x","y")')).toBe('"\'=HYPERLINK(""x"",""y"")"')
})
