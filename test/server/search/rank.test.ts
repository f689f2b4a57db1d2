import { type FoundRecord, mergeSimilar, rankResults } from "@edp/server/search/rank"
import { expect, test } from "vitest"

const record = (id: string, ...fields: FoundRecord["fields"]): FoundRecord => ({ id, name: id, detail: "", fields })
const ids = (results: ReadonlyArray<{ readonly id: string }>) => results.map(({ id }) => id)

test("equal fields come before beginnings, these before words that begin with the words, and these before parts", () => {
  const site = [
    record("part", ["name", "Woodalder"]),
    record("words", ["name", "Old"], ["address", "15 Alder Street"]),
    record("begins", ["name", "Alder Street"]),
    record("equal", ["name", "Other"], ["referenceId", "ALDER"])
  ]
  const results = rankResults([{ type: "site", records: site }], "Alder", ["Alder"])
  expect(results.map(({ field, id }) => [id, field])).toEqual([
    ["equal", "referenceId"],
    ["begins", "name"],
    ["words", "address"],
    ["part", "name"]
  ])
})

test("equally good results keep the order of the types and of their tables", () => {
  const named = (...names: ReadonlyArray<string>) => names.map((id) => record(id, ["name", "Alder"]))
  const found = [
    { type: "device", records: named("d2", "d1") },
    { type: "customer", records: named("c1") }
  ] as const
  expect(ids(rankResults(found, "alder", ["alder"]))).toEqual(["d2", "d1", "c1"])
})

test("similar records of all types take turns, the most similar ones first", () => {
  const named = (...names: ReadonlyArray<string>) => names.map((id) => record(id, ["name", id]))
  const found = [
    { type: "device", records: named("d1", "d2", "d3") },
    { type: "site", records: [] },
    { type: "customer", records: [record("c1", ["name", "Old"], ["email", "alder@example.org"])] }
  ] as const
  const results = mergeSimilar(found, "Aldr")
  expect(ids(results)).toEqual(["d1", "c1", "d2", "d3"])
  expect(results[1]!.field).toBe("email")
})
