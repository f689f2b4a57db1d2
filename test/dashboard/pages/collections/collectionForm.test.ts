import { criteriaFromForm, formFromCriteria, invalidField } from "@edp/dashboard/pages/collections/collectionForm"
import type { Criteria } from "@edp/domain/collections/criteria"
import { expect, test } from "vitest"

const stored: Criteria = {
  any: [
    { attribute: "type", operator: "in", value: ["battery", "vehicle"] },
    { attribute: "state.chargePercentage", operator: "gte", value: 20 },
    { attribute: "staticState.takesTargetPower", operator: "eq", value: true },
    { attribute: "tags", operator: "exists", value: false },
    { attribute: "name", operator: "startsWith", value: "12" }
  ]
}

test("criteria of one level come back from the form as they were, with the type of each value", () => {
  expect(criteriaFromForm("DEVICE", formFromCriteria(stored)!)).toEqual(stored)
  expect(criteriaFromForm("SITE", formFromCriteria({})!)).toEqual({})
  const rule = { attribute: "deviceCount", operator: "gt", value: 2 } as const
  expect(criteriaFromForm("SITE", formFromCriteria(rule)!)).toEqual({ all: [rule] })
})

test("nested criteria are left to the API", () => {
  expect(formFromCriteria({ not: { attribute: "type", operator: "eq", value: "battery" } })).toBeUndefined()
  expect(formFromCriteria({ all: [stored] })).toBeUndefined()
})

test("the field of a rule that the service would refuse is named", () => {
  const problem = (attribute: string, operator: string, value: unknown) =>
    invalidField("DEVICE", {
      all: [
        { attribute: "type", operator: "eq", value: "battery" },
        { attribute, operator, value }
      ]
    } as Criteria)
  expect(problem("colour", "eq", "red")).toEqual({ rule: 1, field: "attribute" })
  expect(problem("name", "gt", "a")).toEqual({ rule: 1, field: "operator" })
  expect(problem("type", "eq", "windmill")).toEqual({ rule: 1, field: "value" })
  expect(problem("name", "in", [])).toEqual({ rule: 1, field: "value" })
  expect(problem("name", "eq", "Garage")).toBeUndefined()
})
