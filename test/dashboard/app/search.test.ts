import { searches } from "@edp/dashboard/app/search"
import { describe, expect, test } from "vitest"

const read = (page: keyof typeof searches, parameters: Readonly<Record<string, unknown>>) => searches[page](parameters)

describe("the parameters of an address", () => {
  test("have the types of their page", () => {
    expect(read("alerts", { page: "3", status: "OPEN,ACKNOWLEDGED", site: "s" })).toEqual({
      page: 3,
      status: "OPEN,ACKNOWLEDGED",
      site: "s"
    })
    expect(read("device", { tab: "energy", unit: "week", day: "2026-03-01" })).toEqual({
      tab: "energy",
      unit: "week",
      day: "2026-03-01"
    })
    expect(read("fleet", { sort: "name", view: "map" })).toEqual({ sort: "name", view: "map" })
  })

  test("a page number may also be a number, as a change of the page sets it", () => {
    expect(read("sites", { page: 2 })).toEqual({ page: 2 })
  })

  test.each(["0", "-1", "1.5", "two", "", "1e99"])("%o is no page number, and reads as if it were absent", (page) => {
    expect(read("keys", { page })).toEqual({ page: undefined })
  })

  test("a value that its page does not know reads as if it were absent, and the others stay", () => {
    expect(read("alerts", { status: "CLOSED", severity: "HIGH", type: "FIRE", device: "d" })).toEqual({
      status: undefined,
      severity: undefined,
      type: undefined,
      device: "d"
    })
    expect(read("fleet", { sort: "size", q: "SN-1" })).toEqual({ sort: undefined, q: "SN-1" })
    expect(read("energy", { unit: "decade" })).toEqual({ unit: undefined })
  })

  test("an address without parameters has none, on every page", () => {
    for (const page of Object.keys(searches)) expect(read(page as keyof typeof searches, {})).toEqual({})
  })
})
