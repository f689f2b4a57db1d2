import { describe, expect, it } from "vitest"
import { statusesFor, UNRESOLVED } from "@edp/dashboard/resources/alerts"

describe("the status of listed alerts", () => {
  it("the link of the fleet lists what the fleet counts: open and acknowledged alerts", () => {
    expect(UNRESOLVED).toBe("OPEN,ACKNOWLEDGED")
    expect(statusesFor(UNRESOLVED)).toEqual(["OPEN", "ACKNOWLEDGED"])
  })

  it("one status lists its alerts, and all of them every alert", () => {
    expect(statusesFor("OPEN")).toEqual(["OPEN"])
    expect(statusesFor("all")).toBeUndefined()
  })
})
