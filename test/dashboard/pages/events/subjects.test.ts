import { eventSubjects } from "@edp/dashboard/pages/events/subjects"
import { describe, expect, test } from "vitest"

const found = (data: Record<string, unknown>) => eventSubjects({ data }).map(({ kind, id, name }) => [kind, id, name])

describe("the records that an event concerns", () => {
  test("are those of its data, with their names, and those that they name by id", () => {
    expect(
      found({
        device: { id: "d1", name: "Battery", siteId: "s1", customerId: null },
        customer: { id: "c1", firstName: "Ada", lastName: "Okafor" },
        site: null
      })
    ).toEqual([
      ["device", "d1", "Battery"],
      ["customer", "c1", "Ada Okafor"],
      ["site", "s1", null]
    ])
    expect(found({ command: { id: "k1", type: "battery:charge" }, deviceId: "d1" })).toEqual([
      ["command", "k1", "battery:charge"],
      ["device", "d1", null]
    ])
  })

  test("begin with the record that the event is about", () => {
    expect(found({ alert: { id: "a1", title: "Silent", deviceId: "d1", siteId: "s1" } })[0]).toEqual([
      "alert",
      "a1",
      "Silent"
    ])
    expect(found({ session: null, account: { id: "x1", referenceId: "user-1" }, error: {} })).toEqual([
      ["account", "x1", "user-1"]
    ])
  })

  test("are found in events of any form without a failure", () => {
    expect(found({})).toEqual([])
    expect(found({ device: "d1", site: ["s1"], customer: { id: 7 }, command: { id: "" } })).toEqual([])
    expect(found({ customer: { id: "c1", email: "ada@example.com" } })).toEqual([["customer", "c1", "ada@example.com"]])
  })
})
