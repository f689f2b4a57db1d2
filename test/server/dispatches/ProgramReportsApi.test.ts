import { enrollmentStatuses } from "@edp/domain/enrollments/Enrollment"
import { describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { at, HOUR, iso, states } from "../metrics/arrangeMetrics.ts"
import { nobody } from "../devices/arrangeDevices.ts"
import { arrangeReports } from "./arrangeReports.ts"

const app = useTestApp()
const arrange = (timezone?: string) => arrangeReports(app, timezone)
const allowed = ["SERVER", "API"] as const
const capacity = { capacity: 13_500, maxDischargeRate: 5000, maxChargeRate: 3000 }
const days = { from: "2026-06-01T00:00:00Z", to: "2026-06-04T00:00:00Z" }

type Arranged = Awaited<ReturnType<typeof arrange>>

/** Readings every 30 minutes of a battery at a power; positive discharges. */
const steady = (from: string, hours: number, chargeRate: number) =>
  Array.from({ length: hours * 2 + 1 }, (_, n) => [at(from) + (n * HOUR) / 2, states.battery({ chargeRate })] as const)

/** A battery at a site of its own that discharges 1000 W through three days. */
const discharging = async (on: Arranged) => {
  const { id: siteId } = await on.site()
  const deviceId = await on.device({ type: "battery", siteId, staticState: capacity })
  await on.send(deviceId, steady(days.from, 72, 1000))
  return { siteId, deviceId }
}

const energies = ({ days }: any) => days.map(({ dischargedWh }: any) => dischargedWh)

describeKeyChecks(app, [{ method: "GET", path: "/v1/programInstances/:id/report", allowed }])

describe("GET /v1/programInstances/:id/report", () => {
  test("200 reports an instance without enrollments, and why figures are null", async () => {
    const on = await arrange()
    const body = await on.report(days)
    expect(body).toEqual({
      programInstanceId: on.instanceId,
      from: "2026-06-01T00:00:00.000Z",
      to: "2026-06-04T00:00:00.000Z",
      timezone: "UTC",
      enrollments: enrollmentStatuses.map((status) => ({ status, count: 0 })),
      devices: [],
      capacityWh: null,
      dischargePowerW: null,
      chargePowerW: null,
      capacityReason: "no_devices",
      batteries: 0,
      batteriesWithCapacity: 0,
      dischargedWh: null,
      chargedWh: null,
      coverage: 0,
      reason: "no_devices",
      days: ["2026-06-01", "2026-06-02", "2026-06-03"].map((date) => ({
        date,
        enrollments: 0,
        devices: 0,
        capacityWh: null,
        capacityReason: "no_devices",
        dischargedWh: null,
        chargedWh: null,
        coverage: 0,
        reason: "no_devices"
      })),
      unresponsiveDevices: [],
      unresponsiveTotal: 0
    })
  })

  test("200 counts enrollments by status, enrolled devices by type, and the stated capacity and power of batteries", async () => {
    const on = await arrange()
    const [one, two] = [await on.site(), await on.site()]
    await on.device({ type: "battery", siteId: one.id, staticState: capacity })
    await on.device({ type: "battery", siteId: one.id, staticState: { capacity: 10_000 } })
    await on.device({ type: "battery", siteId: two.id, manufacturer: "simulator" })
    await on.device({ type: "inverter", siteId: two.id, staticState: { power: 7000 } })
    await on.device({ type: "battery", siteId: one.id, staticState: capacity, disconnectedAt: new Date() })
    await on.device({ type: "battery", staticState: capacity })
    await on.enroll({ siteId: one.id })
    await on.enroll({ siteId: two.id })
    for (const status of ["candidate", "submitted", "submitted", "rejected"]) {
      await on.enroll({ siteId: one.id, status, approvedAt: null })
    }
    expect(await on.report(days)).toMatchObject({
      enrollments: [
        { status: "candidate", count: 1 },
        { status: "eligible", count: 0 },
        { status: "ineligible", count: 0 },
        { status: "submitted", count: 2 },
        { status: "approved", count: 2 },
        { status: "rejected", count: 1 },
        { status: "unenrolled", count: 0 }
      ],
      devices: [
        { type: "battery", count: 3 },
        { type: "inverter", count: 1 }
      ],
      capacityWh: 23_500,
      dischargePowerW: 5000,
      chargePowerW: 3000,
      batteries: 3,
      batteriesWithCapacity: 2,
      reason: "no_readings"
    })
  })

  test("200 counts only the devices of an enrollment's manufacturers, and all sites of a customer who is enrolled without a site", async () => {
    const on = await arrange()
    const [one, two, other] = [await on.site(), await on.site(), await on.site()]
    const ada = { firstName: "Ada", lastName: "Okafor", email: "ada@example.com" }
    const customerId = (await on.call("POST", "/v1/customers", ada)).body.id
    for (const siteId of [one.id, two.id]) {
      await app.sql(
        (sql) =>
          sql`INSERT INTO customer_sites (workspace_id, customer_id, site_id) VALUES (${on.workspaceId}, ${customerId}, ${siteId})`
      )
    }
    for (const siteId of [one.id, two.id, other.id]) {
      await on.device({ type: "battery", siteId })
      await on.device({ type: "charger", siteId, manufacturer: "simulator" })
    }
    await on.enroll({ customerId, manufacturerSlugs: ["generic"] })
    expect((await on.report(days)).devices).toEqual([{ type: "battery", count: 2 }])
    await on.enroll({ siteId: two.id, manufacturerSlugs: ["simulator"] })
    expect((await on.report(days)).devices).toEqual([
      { type: "battery", count: 2 },
      { type: "charger", count: 1 }
    ])
  })

  test("200 sums what batteries discharged and charged by local day", async () => {
    const on = await arrange("America/Los_Angeles")
    const { siteId } = await discharging(on)
    const charging = await on.device({ type: "battery", siteId })
    await on.send(charging, steady(days.from, 72, -500))
    await on.enroll({ siteId })
    const body = await on.report({ from: "2026-06-01T00:00:00-07:00", to: "2026-06-03T12:00:00-07:00" })
    expect(body).toMatchObject({
      dischargedWh: 60_000,
      chargedWh: 30_000,
      coverage: 1,
      timezone: "America/Los_Angeles"
    })
    expect(body).not.toHaveProperty("reason")
    expect(body.days).toMatchObject([
      { date: "2026-06-01", dischargedWh: 24_000, chargedWh: 12_000, coverage: 1, enrollments: 1, devices: 2 },
      { date: "2026-06-02", dischargedWh: 24_000, chargedWh: 12_000, coverage: 1 },
      { date: "2026-06-03", dischargedWh: 12_000, chargedWh: 6000, coverage: 1 }
    ])
  })

  test("200 counts energy from approval and activation until the end of the enrollment, by the whole quarter of an hour", async () => {
    const on = await arrange()
    const [first, second] = [await discharging(on), await discharging(on)]
    await on.enroll({
      siteId: first.siteId,
      approvedAt: "2026-06-01T09:50:00Z",
      activatesAt: "2026-06-02T11:55:00Z",
      unenrolledAt: "2026-06-03T06:10:00Z"
    })
    const body = await on.report(days)
    expect(energies(body)).toEqual([null, 12_000, 6000])
    expect(body.days.map(({ coverage }: any) => coverage)).toEqual([0, 1, 1])
    expect(body.days.map(({ reason }: any) => reason)).toEqual(["no_devices", undefined, undefined])
    expect(body.days.map(({ enrollments }: any) => enrollments)).toEqual([0, 1, 0])
    expect(body.days.map(({ capacityWh }: any) => capacityWh)).toEqual([null, 13_500, null])
    await on.enroll({ siteId: second.siteId, approvedAt: "2026-06-03T00:00:00Z" })
    expect(energies(await on.report(days))).toEqual([null, 12_000, 30_000])
  })

  test("200 counts a battery once that several enrollments stand for", async () => {
    const on = await arrange()
    const { siteId } = await discharging(on)
    await on.enroll({ siteId, approvedAt: "2026-06-02T06:00:00Z", unenrolledAt: "2026-06-02T18:00:00Z" })
    await on.enroll({ siteId, approvedAt: "2026-06-02T12:00:00Z" })
    const body = await on.report(days)
    expect(energies(body)).toEqual([null, 18_000, 24_000])
    expect(body.days.map(({ devices }: any) => devices)).toEqual([0, 1, 1])
  })

  test("200 leaves out the time in which test dispatches ran at a site", async () => {
    const on = await arrange()
    const { siteId } = await discharging(on)
    await on.enroll({ siteId })
    await on.dispatch({
      startsAt: "2026-06-01T10:00:00Z",
      endsAt: "2026-06-01T12:00:00Z",
      test: true,
      sites: [{ siteId, startsAt: "2026-06-01T10:05:00Z" }]
    })
    await on.dispatch({ startsAt: "2026-06-01T14:00:00Z", endsAt: "2026-06-01T18:00:00Z", sites: [{ siteId }] })
    // cancelled after half an hour, and opted out of after two hours
    await on.dispatch({
      startsAt: "2026-06-02T10:00:00Z",
      endsAt: "2026-06-02T20:00:00Z",
      test: true,
      status: "cancelled",
      updatedAt: "2026-06-02T10:30:00Z",
      sites: [{ siteId }]
    })
    await on.dispatch({
      startsAt: "2026-06-03T10:00:00Z",
      endsAt: "2026-06-03T20:00:00Z",
      test: true,
      sites: [{ siteId, optedOutAt: "2026-06-03T12:00:00Z" }]
    })
    // held out, and never begun at the site
    await on.dispatch({
      startsAt: "2026-06-03T14:00:00Z",
      endsAt: "2026-06-03T20:00:00Z",
      test: true,
      sites: [{ siteId, heldOut: true }]
    })
    await on.dispatch({
      startsAt: "2026-06-03T14:00:00Z",
      endsAt: "2026-06-03T20:00:00Z",
      test: true,
      sites: [{ siteId, startsAt: null }]
    })
    const body = await on.report(days)
    expect(energies(body)).toEqual([22_000, 23_500, 22_000])
    expect(body.coverage).toBe(1)
  })

  test("200 reports for a day of test dispatches alone that nothing was counted", async () => {
    const on = await arrange()
    const { siteId } = await discharging(on)
    await on.enroll({ siteId })
    await on.dispatch({
      startsAt: "2026-06-01T23:59:00Z",
      endsAt: "2026-06-03T00:00:00Z",
      test: true,
      sites: [{ siteId }]
    })
    const body = await on.report(days)
    expect(body.days[1]).toMatchObject({ dischargedWh: null, chargedWh: null, coverage: 0, reason: "not_counted" })
    expect(body).toMatchObject({ dischargedWh: 47_750, coverage: 1 })
  })

  test("200 gives what is known in part with its coverage, and null where nothing is", async () => {
    const on = await arrange()
    const { id: siteId } = await on.site()
    const known = await on.device({ type: "battery", siteId })
    const late = await on.device({ type: "battery", siteId, disconnectedAt: new Date("2026-06-03T12:00:00Z") })
    const silent = await on.device({ type: "battery", siteId })
    await on.send(known, [...steady(days.from, 36, 1000), ...steady("2026-06-03T18:00:00Z", 6, 1000)])
    await on.send(late, steady("2026-06-02T12:00:00Z", 12, 1000))
    await on.enroll({ siteId })
    const body = await on.report(days)
    expect(silent).toBeDefined()
    expect(energies(body)).toEqual([24_000, 24_000, 6000])
    // The second battery counts from its first reading until it was disconnected, the third one never.
    expect(body.days.map(({ coverage }: any) => coverage)).toEqual([1, 0.6667, 0.1667])
    expect(body.coverage).toBe(0.5625)
    const next = await on.report({ from: "2026-06-04T01:00:00Z", to: "2026-06-05T00:00:00Z" })
    expect(next).toMatchObject({ dischargedWh: null, chargedWh: null, coverage: 0, reason: "no_readings" })
  })

  test("200 says that there is no battery, or that none states its capacity", async () => {
    const on = await arrange()
    const { id: siteId } = await on.site()
    await on.device({ type: "thermostat", siteId })
    await on.enroll({ siteId })
    expect(await on.report(days)).toMatchObject({ capacityReason: "no_batteries", reason: "no_batteries" })
    await on.device({ type: "battery", siteId, staticState: {} })
    const body = await on.report(days)
    expect(body).toMatchObject({ capacityReason: "not_known", batteries: 1, batteriesWithCapacity: 0 })
    expect(body.days[0]).toMatchObject({ capacityReason: "not_known", reason: "no_readings", devices: 2 })
  })

  test("200 says of days that have not begun that they are in the future", async () => {
    const on = await arrange()
    const { siteId } = await discharging(on)
    await on.enroll({ siteId })
    const today = Math.floor(Date.now() / (24 * HOUR)) * 24 * HOUR
    const body = await on.report({ from: iso(today), to: iso(today + 72 * HOUR) })
    expect(body.days.map(({ reason }: any) => reason)).toEqual(["no_readings", "future", "future"])
  })

  test("200 covers the last 30 days by default, another timeframe, or 30 days before `to`", async () => {
    const on = await arrange()
    /** Whole days, from the first quarter of an hour in them. */
    const length = ({ from, to }: any) => Math.ceil((at(to) - at(from)) / HOUR / 24)
    const before = Date.now()
    const body = await on.report()
    expect([length(body), at(body.to) >= before, at(body.to) <= Date.now()]).toEqual([30, true, true])
    expect(length(await on.report({ timeframe: "1y" }))).toBe(365)
    expect(await on.report({ to: days.to })).toMatchObject({ from: "2026-05-05T00:00:00.000Z" })
  })

  test("200 lists the devices that did not respond to dispatches of the last 12 months, the most frequent first", async () => {
    const on = await arrange()
    const { id: siteId } = await on.site()
    const [often, once, never, long] = await Promise.all(
      Array.from({ length: 4 }, () => on.device({ type: "battery", siteId }))
    )
    const ago = (months: number) => iso(Date.now() - months * 30 * 24 * HOUR)
    const dispatched = (
      months: number,
      devices: ReadonlyArray<readonly [id: string | undefined, missed: boolean]>,
      test = false
    ) =>
      on.dispatch({
        startsAt: ago(months),
        endsAt: iso(at(ago(months)) + HOUR),
        test,
        devices: devices.map(([deviceId, unresponsive]) => ({ deviceId: deviceId!, siteId, unresponsive }))
      })
    await dispatched(14, [
      [long, true],
      [once, true]
    ])
    await dispatched(6, [
      [often, true],
      [once, false],
      [never, false]
    ])
    await dispatched(
      4,
      [
        [often, true],
        [once, true]
      ],
      true
    )
    await on.dispatch({
      startsAt: ago(3),
      endsAt: ago(2),
      devices: [{ deviceId: often!, siteId, isCommanded: false }]
    })
    const last = at(ago(1))
    await on.dispatch({ startsAt: iso(last), endsAt: iso(last + HOUR), devices: [{ deviceId: often!, siteId }] })
    const body = await on.report(days)
    expect(body.unresponsiveDevices).toMatchObject([
      { deviceId: often, siteId, dispatches: 3, unresponsive: 2 },
      { deviceId: once, siteId, dispatches: 2, unresponsive: 1 }
    ])
    expect(body.unresponsiveTotal).toBe(2)
  })

  test("200 is CSV of the days if the request prefers it", async () => {
    const on = await arrange()
    const { siteId } = await discharging(on)
    await on.enroll({ siteId, approvedAt: "2026-06-02T00:00:00Z" })
    const response = await app.call("GET", on.path(days), { key: on.keys.API, headers: { accept: "text/csv" } })
    expect([response.status, response.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/csv")])
    expect(response.headers.get("vary")).toContain("Accept")
    expect(response.text.split("\r\n")).toEqual([
      "date,enrollments,devices,capacityWh,capacityReason,dischargedWh,chargedWh,coverage,reason",
      "2026-06-01,0,0,,no_devices,,,0,no_devices",
      "2026-06-02,1,1,13500,,24000,0,1,",
      "2026-06-03,1,1,13500,,24000,0,1,",
      ""
    ])
  })

  test("400 VALIDATION_ERROR for more than 366 days, `from` after `to`, and a timeframe together with them", async () => {
    const on = await arrange()
    const refuse = async (query: Record<string, string>, details: Readonly<Record<string, unknown>>) =>
      expectError(await on.ask(query), 400, "VALIDATION_ERROR", details)
    await refuse(
      { from: "2025-01-01T00:00:00Z", to: "2026-01-03T00:00:00Z" },
      { from: "A report covers 366 days at most: ask for a shorter span" }
    )
    await refuse({ from: days.to, to: days.from }, { from: "Must not be after `to`" })
    await refuse({ ...days, timeframe: "30d" }, { from: expect.any(String), to: expect.any(String) })
    await refuse({ timeframe: "2y", zone: "UTC" }, { timeframe: expect.any(String), zone: expect.any(String) })
    expect((await on.ask({ from: "2025-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z" })).body.days).toHaveLength(366)
  })

  test("400 VALIDATION_ERROR for more days of batteries than a report is computed from", async () => {
    const on = await arrange()
    const { id: siteId } = await on.site()
    await on.enroll({ siteId, approvedAt: "2025-01-01T00:00:00Z" })
    await app.sql(
      (sql) => sql`INSERT INTO devices (id, workspace_id, origin_workspace_id, site_id, name, manufacturer,
          manufacturer_device_id, reference_id, model, type, commands, tags, direct, created_at, updated_at)
        SELECT 'c' || left(md5(random()::text), 24), ${on.workspaceId}, ${on.workspaceId}, ${siteId}, 'One of many', 'generic',
          'many-' || gen_random_uuid(), 'user-1', 'Generic battery', 'battery', '{}', '{}', true, now(), now()
        FROM generate_series(1, 4400)`
    )
    expectError(await on.ask({ from: "2025-06-01T00:00:00Z", to: "2026-06-01T00:00:00Z" }), 400, "VALIDATION_ERROR", {
      from: "Asks for 1,606,000 days of batteries, and a report is computed from 1,600,000 at most: ask for a shorter span"
    })
  })

  test("404 NOT_FOUND for an unknown instance and one of another workspace", async () => {
    const [on, other] = [await arrange(), await arrange()]
    expectError(await on.get(`/v1/programInstances/${nobody}/report`), 404, "NOT_FOUND")
    expectError(await on.get(`/v1/programInstances/${other.instanceId}/report`), 404, "NOT_FOUND")
  })
})
