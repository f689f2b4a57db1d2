import { describe, expect, it } from "vitest"
import { readStatus, statusesFor, UNRESOLVED } from "@edp/dashboard/pages/alerts/alertStatuses"

describe("the status of listed alerts", () => {
  it("the link of the fleet lists what the fleet counts: open and acknowledged alerts", () => {
    expect(readStatus("OPEN,ACKNOWLEDGED")).toBe(UNRESOLVED)
    expect(statusesFor(UNRESOLVED)).toEqual(["OPEN", "ACKNOWLEDGED"])
  })

  it("an address without a status, or with an unknown one, lists open alerts", () => {
    expect(statusesFor(readStatus(undefined))).toEqual(["OPEN"])
    expect(statusesFor(readStatus("CLOSED"))).toEqual(["OPEN"])
    expect(statusesFor(readStatus("all"))).toBeUndefined()
  })
})
