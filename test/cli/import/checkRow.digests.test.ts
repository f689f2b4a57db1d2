import { hashText, DigestTable } from "@edp/cli/import/checkRow"
import { describe, expect, it } from "vitest"

describe("the table of digests", () => {
  it("finds the first row of each of 100,000 digests, however often it has grown", () => {
    const table = new DigestTable()
    const rows = Array.from({ length: 100_000 }, (_, at) => at + 1)
    for (const row of rows) table.claim(hashText(`row ${row}`), row)
    expect(rows.filter((row) => table.owner(hashText(`row ${row}`)) !== row)).toEqual([])
    expect(table.owner(hashText("row 0"))).toBeUndefined()
  })

  it("keeps the first row of a repeated digest", () => {
    const table = new DigestTable()
    table.claim(hashText("a"), 1)
    table.claim(hashText("a"), 2)
    expect(table.owner(hashText("a"))).toBe(1)
  })
})
