import { isNothing, nothingSelected, select, SELECTION_LIMIT, toCriteria } from "@edp/dashboard/pages/fleet/selection"
import { expect, test } from "vitest"

const ids = (from: number, count: number) => Array.from({ length: count }, (_, n) => `d${from + n}`)

test("a selection takes devices up to its limit, and says when there is no room", () => {
  const first = select(nothingSelected, ids(0, 60), true)
  expect(first.isCut).toBe(false)
  const second = select(first.selection, ids(30, 60), true)
  expect(second).toMatchObject({ isCut: false, selection: { ids: new Set(ids(0, 90)) } })
  const third = select(second.selection, ids(90, 20), true)
  expect(third).toMatchObject({ isCut: true, selection: { ids: new Set(ids(0, SELECTION_LIMIT)) } })
  expect(isNothing(select(third.selection, ids(0, SELECTION_LIMIT), false).selection)).toBe(true)
})

test("filters are criteria of a collection, except those that criteria cannot say", () => {
  expect(toCriteria({})).toEqual({})
  expect(toCriteria({ type: ["battery", "meter"], tag: ["pilot"] })).toEqual({
    all: [
      { attribute: "type", operator: "in", value: ["battery", "meter"] },
      { attribute: "tags", operator: "in", value: ["pilot"] }
    ]
  })
  expect(toCriteria({ q: "Garage" })).toBeUndefined()
  expect(toCriteria({ status: ["disconnected"] })).toBeUndefined()
})
