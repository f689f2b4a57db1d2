import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { checkImports, generalRules } from "./checkImports.ts"
import { readText, root, sourceFiles } from "./repository.ts"
import { rooms, useRules } from "./rules.ts"

const files = sourceFiles()
const violations = checkImports(files, (path) => existsSync(join(root, path)))

const broken = (rule: string) =>
  violations.filter((one) => one.rule === rule).map(({ place, message }) => `${place} ${message}`)

describe("the imports of the repository", () => {
  it("are read from every package and from the tests", () => {
    const tops = new Set(files.map(({ path }) => path.split("/").slice(0, 2).join("/")))
    expect(tops).toContain("packages/domain")
    expect(tops).toContain("test/architecture")
    expect(files.flatMap(({ imports }) => imports).length).toBeGreaterThan(100)
  })

  it.each(Object.values(generalRules))("%s", (rule) => {
    expect(broken(rule)).toEqual([])
  })

  it.each(rooms.map(({ name }) => name))("%s imports only what its row allows", (room) => {
    expect(broken(room)).toEqual([])
  })

  it.each(useRules.map(({ name }) => name))("%s", (rule) => {
    expect(broken(rule)).toEqual([])
  })
})

describe("the command-line tool", () => {
  it("loads what draws charts only when there is one to draw", () => {
    const charts = /\/charts\//
    const others = files.filter(({ path }) => path.startsWith("packages/cli/") && !charts.test(path))
    const loads = others.flatMap(({ imports }) => imports).filter(({ specifier }) => charts.test(specifier))
    expect(loads.map(({ kind }) => kind)).toEqual(["lazy", "lazy", "lazy"])
  })

  const manifest = JSON.parse(readText("packages/cli/package.json"))

  it("does not name the server as a dependency", () => {
    expect(Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })).not.toContain("@edp/server")
  })

  it("cannot resolve the server from any folder above it", () => {
    const above = (folder: string): ReadonlyArray<string> =>
      folder === dirname(folder) ? [folder] : [folder, ...above(dirname(folder))]
    const reachable = above(join(root, "packages/cli/src")).map((folder) => join(folder, "node_modules/@edp/server"))
    expect(reachable.filter((path) => existsSync(path))).toEqual([])
  })
})
