import { describe, expect, it } from "vitest"
import { filesBelow, readText } from "./repository.ts"

/** Statements whose rows no schema checks, with the reason. */
const exceptions: ReadonlyArray<{ readonly file: string; readonly reason: string }> = [
  {
    file: "packages/server/src/platform/sql/migrations/0041_repair_time_zones.ts",
    reason: "a released migration is never changed, and migrations import nothing of the server"
  },
  {
    file: "packages/server/src/devices/DevicesRepository.ts",
    reason: "devices have too many columns for objects that the driver fills: docs/performance.md has the figures"
  }
]

/** A type that a statement is said to return, and rows by position. */
const unchecked = /\bsql\s*<|\bStatement\.Statement<|`\s*\.values\b/

const findUnchecked = (files: ReadonlyArray<{ readonly path: string; readonly text: string }>) =>
  files.filter(({ text }) => unchecked.test(text)).map(({ path }) => path)

const sources = filesBelow("packages/server/src")
  .filter((path) => path.endsWith(".ts"))
  .map((path) => ({ path, text: readText(path) }))

describe("the rows of statements", () => {
  it("are decoded by schemas, except for those that are listed with a reason", () => {
    expect(findUnchecked(sources).toSorted()).toEqual(exceptions.map(({ file }) => file).toSorted())
  })

  it.each([
    "sql<Row>`SELECT 1`",
    "sql<{ readonly n: number }>`SELECT 1`",
    "sql`SELECT 1`.values",
    "found as Statement.Statement<Row>"
  ])("are found where nothing checks them: %s", (text) => {
    expect(findUnchecked([{ path: "file.ts", text }])).toEqual(["file.ts"])
  })

  it("are decoded by repositories", () => {
    const decoding = sources.filter(
      ({ path, text }) => path.endsWith("Repository.ts") && /\b(?:decode|query)[A-Z]/.test(text)
    )
    expect(decoding.length).toBeGreaterThan(40)
  })
})
