import {
  JsonColumn,
  TimestampColumn,
  countedRow,
  queryCount,
  queryIds,
  decodeRows
} from "@edp/server/platform/sql/rows"
import { Effect, Exit, Schema } from "effect"
import { expect, test } from "vitest"

const rows = decodeRows(Schema.Struct({ name: Schema.String, createdAt: TimestampColumn }))

test("a row has the fields of its schema, and its dates are the API's text", async () => {
  const found = [{ name: "Home", createdAt: new Date("2026-03-01T12:00:00Z"), other: 1 }]
  expect(await Effect.runPromise(rows(Effect.succeed(found)))).toEqual([
    { name: "Home", createdAt: "2026-03-01T12:00:00.000Z" }
  ])
})

test.each([{ name: null, createdAt: new Date() }, { createdAt: new Date() }, { name: "Home", createdAt: "2026" }])(
  "a row that does not fit is a defect, not a failure: %j",
  async (row) => {
    const exit = await Effect.runPromiseExit(rows(Effect.succeed([row])))
    expect(Exit.isFailure(exit) && exit.cause.reasons.map(({ _tag }) => _tag)).toEqual(["Die"])
  }
)

const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect)

test("the rules of the API's fields are not checked again, only the types of the columns", async () => {
  const Row = Schema.Struct({ name: Schema.String.check(Schema.isMinLength(3)) })
  expect(await run(decodeRows(Row)(Effect.succeed([{ name: "A" }])))).toEqual([{ name: "A" }])
})

test("a count and ids are read from rows that have them, and nothing else passes", async () => {
  expect(await run(queryCount(Effect.succeed([{ n: 3 }])))).toBe(3)
  expect(await run(queryIds(Effect.succeed([{ id: "a" }, { id: "b" }])))).toEqual(["a", "b"])
  expect(Exit.hasDies(await Effect.runPromiseExit(queryCount(Effect.succeed([{ n: 3n }]))))).toBe(true)
  expect(Exit.hasDies(await Effect.runPromiseExit(queryIds(Effect.succeed([{ id: null }]))))).toBe(true)
})

test("a column of JSON takes every JSON value in the form in which it was written, except null", async () => {
  const Row = Schema.Struct({ state: JsonColumn<object>() })
  const found = [{ state: { power: 1, older: true } }, { state: [] }]
  expect(await run(decodeRows(Row)(Effect.succeed(found)))).toEqual(found)
  for (const state of [null, undefined, 1n, new Date()]) {
    expect(Exit.hasDies(await Effect.runPromiseExit(decodeRows(Row)(Effect.succeed([{ state }]))))).toBe(true)
  }
})

test("a row of a list carries its total", async () => {
  const Row = countedRow(Schema.Struct({ id: Schema.String }))
  expect(await run(decodeRows(Row)(Effect.succeed([{ id: "a", total: 7 }])))).toEqual([{ id: "a", total: 7 }])
})
