import { actionMessages } from "@edp/dashboard/pages/dispatch/actionMessages"
import { messages } from "@edp/dashboard/pages/dispatch/messages"
import { measuredUntil, reportSeries } from "@edp/dashboard/pages/dispatch/reportSeries"
import {
  type DispatchForm,
  formProblems,
  toInstant,
  startFrom,
  toCreateDispatch
} from "@edp/dashboard/pages/dispatches/newDispatch"
import { CreateDispatch } from "@edp/domain/dispatches/Dispatch"
import type { DispatchReport } from "@edp/domain/dispatches/DispatchReport"
import { Schema } from "effect"
import { describe, expect, test } from "vitest"

const zone = "America/Los_Angeles"
const now = Date.parse("2026-07-14T20:10:00Z")

const form: DispatchForm = {
  name: " Hot evening ",
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
    const request = toCreateDispatch(form, zone)
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
    expect(toCreateDispatch(charger, zone)).toMatchObject({
      intervals: [{ actions: { charger: { operatingMode: "stop-charging" } } }],
      nominatedPowerW: 9000,
      status: "draft"
    })
    expect(JSON.stringify(toCreateDispatch(charger, zone))).not.toContain("targetPowerW")
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
    expect(toInstant(startFrom(now, zone), zone)! - now).toBeGreaterThanOrEqual(3_600_000)
    expect(toInstant("soon", zone)).toBeUndefined()
  })
})

describe("the plot of a report", () => {
  test("shows energies as mean powers over their intervals, nothing where they are unknown, and until when they are known", () => {
    const interval = {
      startsAt: "2026-07-15T00:00:00.000Z",
      endsAt: "2026-07-15T00:15:00.000Z",
      baselineWh: 400,
      actualWh: -850,
      deliveredWh: 1250,
      coverage: 1
    }
    const short = { ...interval, startsAt: interval.endsAt, endsAt: "2026-07-15T00:20:00.000Z" }
    const unknown = { ...short, baselineWh: null, actualWh: null, deliveredWh: null, reason: "not_ended" as const }
    const report = { intervals: [interval, unknown], to: unknown.endsAt } as unknown as DispatchReport
    const series = reportSeries(report, { baseline: "Baseline", actual: "Actual", delivered: "Delivered" })
    expect(series.map(({ id, points }) => [id, points.map(([, value]) => value)])).toEqual([
      ["baseline", [1600, 1600, null, null]],
      ["actual", [-3400, -3400, null, null]],
      ["delivered", [5000, 5000, null, null]]
    ])
    expect(measuredUntil(report)).toBe(interval.endsAt)
    expect(measuredUntil({ ...report, intervals: [interval, { ...short, deliveredWh: 0 }] })).toBeUndefined()
  })
})

test("the actions of a dispatch are in the chosen language", () => {
  const actions = { battery: { operatingMode: "discharge", enableGridInteraction: true } } as const
  expect(actionMessages(actions, messages.en, { battery: "Battery" })).toEqual([
    "Battery: discharge, exchange with the grid: yes"
  ])
  expect(actionMessages(actions, messages.es, { battery: "Batería" })).toEqual([
    "Batería: descargar, intercambio con la red: sí"
  ])
})
