import { basename, dirname } from "node:path"
import { expect, test } from "vitest"
import { filesBelow } from "./repository.ts"

/** A name without what a reader overlooks: capitals and the plural. */
const likeness = (path: string) =>
  `${dirname(path)}/${basename(path)
    .replace(/\.tsx?$/, "")
    .toLowerCase()
    .replace(/s$/, "")}`

test("no two files of a folder of the server or an adapter differ by capitals or the plural alone", () => {
  const files = ["packages/server/src", "packages/adapter-kit/src", "packages/adapters"]
    .flatMap(filesBelow)
    .filter((path) => /\.tsx?$/.test(path))
  const alike = [...Map.groupBy(files, likeness).values()].filter(({ length }) => length > 1)
  expect(files.length).toBeGreaterThan(500)
  expect(alike).toEqual([])
})
