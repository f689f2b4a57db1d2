import { TimestampColumn, decodeRows } from "@edp/server/platform/sql/rows"
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
