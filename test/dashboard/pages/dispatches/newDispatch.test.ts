import { fromLocalText } from "@edp/dashboard/i18n/period"
import {
  type DispatchForm,
  formProblems,
  startFrom,
  toCreateDispatch
} from "@edp/dashboard/pages/dispatches/newDispatch"
import { CreateDispatch } from "@edp/domain/dispatches/Dispatch"
import { Schema } from "effect"
import { describe, expect, test } from "vitest"

const zone = "America/Los_Angeles"
const now = Date.parse("2026-07-14T20:10:00Z")

const form: DispatchForm = {
  name: " Hot evening ",
  startIn: "time",
  start: "2026-07-14T17:00",
  minutes: "180",
  type: "battery",
  action: "discharge",
  grid: true,
  power: "1500",
  nominated: "",
  random: "300",
  voluntary: false,
  test: true,
  draft: false
}

describe("the form of a new dispatch", () => {
  test("becomes a request that the contract accepts, with times of the workspace's time zone", () => {
    const request = toCreateDispatch(form, zone, now)
    expect(request).toEqual({
      name: "Hot evening",
      intervals: [
        {
          startsAt: "2026-07-15T00:00:00.000Z",
          durationSeconds: 10_800,
          actions: { battery: { operatingMode: "discharge", enableGridInteraction: true, targetPowerW: 1500 } }
        }
      ],
      voluntary: false,
      test: true,
      status: "scheduled",
      randomizeStartSeconds: 300
    })
    expect(Schema.is(CreateDispatch)(request)).toBe(true)
    const charger = {
      ...form,
      type: "charger" as const,
      action: "stop-charging" as const,
      draft: true,
      nominated: "9000"
    }
    expect(toCreateDispatch(charger, zone, now)).toMatchObject({
      intervals: [{ actions: { charger: { operatingMode: "stop-charging" } } }],
      nominatedPowerW: 9000,
      status: "draft"
    })
    expect(JSON.stringify(toCreateDispatch(charger, zone, now))).not.toContain("targetPowerW")
  })

  test("begins so many minutes from now, and lets no battery use the grid unless it may", () => {
    const soon = toCreateDispatch({ ...form, startIn: "10", start: "", grid: false, power: "" }, zone, now)
    expect(soon.intervals[0]).toMatchObject({
      startsAt: "2026-07-14T20:20:00.000Z",
      actions: { battery: { operatingMode: "discharge" } }
    })
    expect(JSON.stringify(soon)).not.toContain("enableGridInteraction")
  })

  test("names the fields that are wrong", () => {
    expect(formProblems(form, zone, now)).toEqual({})
    expect(formProblems({ ...form, minutes: "0", power: "-1", nominated: "much" }, zone, now)).toEqual({
      minutes: "whole",
      power: "positive",
      nominated: "positive"
    })
    expect(formProblems({ ...form, start: "2026-07-14T13:10", minutes: "1441" }, zone, now)).toEqual({
      start: "future",
      minutes: "whole"
    })
  })

  test("begins with a full hour that is at least one hour ahead, in the time zone", () => {
    expect(startFrom(now, zone)).toBe("2026-07-14T15:00")
    expect(fromLocalText(startFrom(now, zone), zone)! - now).toBeGreaterThanOrEqual(3_600_000)
  })
})
