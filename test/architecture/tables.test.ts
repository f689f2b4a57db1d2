import { expect, describe, it } from "vitest"
import { checkTables, ownerByTable, tableRules } from "./checkTables.ts"
import { filesBelow, readText } from "./repository.ts"
import { sliceOrder } from "./rules.ts"
import { exceptions, owners } from "./tables.ts"

const created = [...readText("packages/server/schema.sql").matchAll(/^CREATE TABLE (\w+)/gm)].map(([, name]) => name!)

const sources = filesBelow("packages/server/src")
  .filter((path) => path.endsWith(".ts"))
  .map((path) => ({ path, text: readText(path) }))
const violations = checkTables(sources, exceptions, new Set(created))

describe("the tables of the database", () => {
  it("have one owner each", () => {
    expect([...ownerByTable.keys()].toSorted()).toEqual(created.toSorted())
    expect(Object.values(owners).flat()).toHaveLength(created.length)
  })

  it("belong to slices, and to concerns of the ground that exist", () => {
    const folders = new Set(sources.map(({ path }) => path.split("/").slice(3, -1).join("/")))
    const slices = sliceOrder.flat()
    const unknown = Object.keys(owners).filter((owner) => !slices.includes(owner) && !folders.has(owner))
    expect(unknown).toEqual([])
  })

  it("have the same owners in docs/database.md", () => {
    const rows = readText("docs/database.md").matchAll(/^\| (`[a-z_`, ]+`) \| `([a-z/-]+)` \| /gm)
    const documented = [...rows].flatMap(([, names, owner]) =>
      [...names!.matchAll(/`([a-z_]+)`/g)].map(([, name]) => [name!, owner!] as const)
    )
    const inTable = [...ownerByTable].filter(([table]) => table !== "migrations")
    expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(inTable))
  })
})

describe("the SQL of the server", () => {
  it.each(Object.values(tableRules))("%s", (rule) => {
    const broken = violations.filter((one) => one.rule === rule)
    expect(broken.map(({ message, place }) => `${place} ${message}`)).toEqual([])
  })

  it("is read from slices and from the ground", () => {
    const naive = checkTables(sources, []).filter(({ rule }) => rule === tableRules.read)
    expect(naive.length).toBeGreaterThan(20)
  })
})
