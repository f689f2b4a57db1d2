import { fromQuery, readFilters, toggled, toQuery, withoutFilters } from "@edp/dashboard/pages/fleet/filters"
import { describe, expect, test } from "vitest"

describe("the filters of the fleet in an address", () => {
  test("hold several values each; what the service would refuse is left out", () => {
    expect(readFilters({ type: "battery,meter,rocket", onlineStatus: "gone", tag: "pilot", q: "SN-1" })).toEqual({
      type: ["battery", "meter"],
      tag: ["pilot"],
      q: "SN-1"
    })
    expect(readFilters({ q: "", type: "", view: "map" })).toEqual({})
  })

  test("a value is added, and removed when it is chosen again", () => {
    expect(toggled({}, "type", "battery")).toEqual({ type: "battery" })
    expect(toggled({ type: "battery" }, "type", "meter")).toEqual({ type: "battery,meter" })
    expect(toggled({ type: "battery,meter" }, "type", "battery")).toEqual({ type: "meter" })
    expect(toggled({ type: "battery" }, "type", "battery")).toEqual({ type: undefined })
  })

  test("a saved filter leads back to the same address, and removes the filters that it lacks", () => {
    const address = { type: "battery,meter", q: "a b&c", sort: "name", view: "map", workspace: "w" } as const
    const saved = fromQuery(toQuery(address))
    expect(saved).toMatchObject({ type: "battery,meter", q: "a b&c", sort: "name", tag: undefined })
    expect(saved).not.toHaveProperty("view")
    expect(Object.keys(saved)).toEqual(expect.arrayContaining(Object.keys(withoutFilters)))
  })
})
