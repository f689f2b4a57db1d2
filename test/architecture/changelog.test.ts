import { readFileSync } from "node:fs"
import { expect, test } from "vitest"

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")

const sections = [...read("CHANGELOG.md").matchAll(/^## (.+)$/gm)].map(([, title]) => title!)
const releases = sections.slice(1).map((title) => /^\[(\d+)\.(\d+)\.(\d+)\] - (\d{4}-\d{2}-\d{2})$/.exec(title))

test("the changelog has what is not released, and then each version with its date, newest first", () => {
  expect(sections[0]).toBe("[Unreleased]")
  expect(releases.length).toBeGreaterThan(0)
  expect(releases.filter((release) => release === null)).toEqual([])
  const order = releases.map((release) => [...release!.slice(1, 4).map((part) => part.padStart(4, "0")), release![4]])
  expect(order).toEqual(order.toSorted().toReversed())
})

test("its newest version is that of the packages", () => {
  const [, ...parts] = releases[0]!
  const version = parts.slice(0, 3).join(".")
  for (const folder of ["", "packages/domain/", "packages/server/", "packages/cli/"]) {
    expect(JSON.parse(read(`${folder}package.json`)).version, folder).toBe(version)
  }
})

test("changes stand under the headings of Keep a Changelog", () => {
  const kinds = [...read("CHANGELOG.md").matchAll(/^### (.+)$/gm)].map(([, kind]) => kind!)
  const known = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
  expect(kinds.filter((kind) => !known.includes(kind))).toEqual([])
})
