import { selectList } from "@edp/server/platform/sql/selectList"
import { Schema } from "effect"
import { expect, test } from "vitest"

const Row = Schema.Struct({ id: Schema.String, streetOne: Schema.String, deviceCount: Schema.Finite })

test("a field is read from the column of its name in snake case", () => {
  expect(selectList(Row)).toBe('id AS "id", street_one AS "streetOne", device_count AS "deviceCount"')
})

test("a given table qualifies the columns, and a given expression replaces one", () => {
  expect(selectList(Row, { deviceCount: "count(*)::int" }, "s")).toBe(
    's.id AS "id", s.street_one AS "streetOne", count(*)::int AS "deviceCount"'
  )
})
