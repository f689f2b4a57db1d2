import {
  type ConditionForm,
  type ConditionRow,
  isRowValid,
  readCriteria,
  toCriteria,
  toForm
} from "@edp/dashboard/pages/programs/condition"
import { Criteria } from "@edp/domain/collections/criteria"
import { Schema } from "effect"
import { expect, test } from "vitest"

const form: ConditionForm = {
  match: "all",
  rows: [
    { attribute: "type", value: "battery" },
    { attribute: "capacity", value: "10000" },
    { attribute: "postalCode", value: " 94 " }
  ]
}

test("rows become criteria that the contract accepts, and criteria become the same rows", () => {
  const criteria = toCriteria(form)
  expect(criteria).toEqual({
    all: [
      { attribute: "type", operator: "eq", value: "battery" },
      { attribute: "staticState.capacity", operator: "gte", value: 10_000 },
      { attribute: "site.postalCode", operator: "startsWith", value: "94" }
    ]
  })
  expect(Schema.is(Criteria)(criteria)).toBe(true)
  expect(toCriteria(toForm(criteria)!)).toEqual(criteria)
  expect(toCriteria({ ...form, match: "any" })).toHaveProperty("any")
  expect(toCriteria({ match: "any", rows: form.rows.slice(0, 1) })).toEqual({
    attribute: "type",
    operator: "eq",
    value: "battery"
  })
  expect(toCriteria({ match: "all", rows: [] })).toBeNull()
})

test("groups are one level more, and an empty one is left out", () => {
  const nested: ConditionForm = {
    match: "all",
    rows: [form.rows[0]!, { match: "any", rows: [form.rows[1] as ConditionRow, { attribute: "tag", value: "pilot" }] }]
  }
  const criteria = toCriteria(nested)
  expect(criteria).toEqual({
    all: [
      { attribute: "type", operator: "eq", value: "battery" },
      {
        any: [
          { attribute: "staticState.capacity", operator: "gte", value: 10_000 },
          { attribute: "tags", operator: "contains", value: "pilot" }
        ]
      }
    ]
  })
  expect(toForm(criteria)).toMatchObject({
    rows: [{ value: "battery" }, { match: "any", rows: [{ value: "10000" }, { value: "pilot" }] }]
  })
  expect(toCriteria({ match: "any", rows: [form.rows[0]!, { match: "all", rows: [] }] })).not.toHaveProperty("any")
  expect(toForm({ any: [criteria, criteria] })).toBeUndefined()
})

test("criteria are read from JSON only if the service would take them", () => {
  const text = JSON.stringify({ not: { attribute: "type", operator: "eq", value: "battery" } })
  expect(readCriteria(text)).toEqual(JSON.parse(text))
  expect(readCriteria("{")).toBeUndefined()
  expect(readCriteria('{"attribute": "colour", "operator": "eq", "value": "red"}')).toBeUndefined()
})

test("criteria that the fields can't make are told from those without a rule", () => {
  expect(toForm({})).toEqual({ rows: [], match: "all" })
  expect(toForm(null)).toEqual({ rows: [], match: "all" })
  expect(toForm({ not: { attribute: "type", operator: "eq", value: "battery" } })).toBeUndefined()
  expect(toForm({ attribute: "type", operator: "ne", value: "battery" })).toBeUndefined()
})

test("a row needs a value, and a number above 0 for a figure", () => {
  expect(isRowValid({ attribute: "tag", value: " " })).toBe(false)
  expect(isRowValid({ attribute: "capacity", value: "much" })).toBe(false)
  expect(isRowValid({ attribute: "capacity", value: "5000" })).toBe(true)
})
