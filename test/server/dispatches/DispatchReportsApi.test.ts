import { describe, expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeBaselines, DAY, HOUR, local, type Power, QUARTER } from "./arrangeBaselines.ts"

const app = useTestApp()
const arrange = () => arrangeBaselines(app)

/** Tuesday, 2026-05-19, 17 to 19 o'clock, and the three weeks of readings around it. */
const [from, to] = [local("2026-05-19T17:00"), local("2026-05-19T19:00")]
const weeks = ["2026-05-01", "2026-05-21"] as const
const day = "2026-05-19"

/** A home that uses 1200 W from 17 to 19 o'clock and 600 W else; on the day its battery covers all of it and exports 400 W. */
const isEvening = (hour: number) => hour === 17 || hour === 18
const usual: Power = (_, hour) => (isEvening(hour) ? 1200 : 600)
const dispatched: Power = (date, hour) => (date === day && isEvening(hour) ? -400 : usual(date, hour))

/** The readings of each hour end a millisecond before it, where power ramps to the next one. */
const near = (value: number) => expect.closeTo(value, 0)

describe("the report of a dispatch", () => {
  test("compares each quarter of an hour with the baseline", async () => {
    const on = await arrange()
    const { siteId } = await on.home(weeks, dispatched)
    const id = await on.dispatch({ method: "x-of-y", from, to, nominatedPowerW: 2000, sites: [{ siteId }] })
    const { body, status } = await on.ask(id)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      dispatchId: id,
      status: "completed",
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      baseline: {
        method: "x-of-y",
        parameters: { lookbackDays: 60, adjustment: true, holidays: "us-federal", extraHolidays: [] }
      },
      indicative: false,
      nominatedPowerW: 2000,
      deliveredWh: near(3200),
      deliveredPowerW: near(1600),
      exportedWh: near(800),
      performance: expect.closeTo(0.8, 3),
      sitesCounted: 1,
      sitesTotal: 1,
      leftOut: [],
      controlSites: null
    })
    expect(body).not.toHaveProperty("reason")
    expect(body.intervals).toHaveLength(8)
    expect(body.intervals[0]).toEqual({
      startsAt: new Date(from).toISOString(),
      endsAt: new Date(from + QUARTER).toISOString(),
      baselineWh: near(300),
      actualWh: near(-100),
      deliveredWh: near(400),
      coverage: 1
    })
    expect(body.sites).toMatchObject({ page: 1, totalItems: 1 })
    expect(body.sites.data).toEqual([
      {
        siteId,
        timezone: "America/Los_Angeles",
        days: [
          {
            date: day,
            dayType: "weekday",
            daysUsed: ["2026-05-18", "2026-05-15", "2026-05-14", "2026-05-13", "2026-05-12"],
            daysLeftOut: ["2026-05-11", "2026-05-08", "2026-05-07", "2026-05-06", "2026-05-05"].map((date) => ({
              date,
              reason: "not_among_the_highest"
            })),
            adjustment: { kind: "multiplicative", factor: 1, offsetW: null }
          }
        ],
        baselineWh: near(2400),
        actualWh: near(-800),
        deliveredWh: near(3200),
        exportedWh: near(800),
        coverage: 1
      }
    ])
  })

  test("is CSV on request, a row for each site and interval", async () => {
    const on = await arrange()
    const { siteId } = await on.home(weeks, dispatched)
    const other: string = (await on.site()).id
    const sites = [{ siteId }, { siteId: other }]
    const id = await on.dispatch({ method: "10-of-10", from, to: from + HOUR / 2, sites })
    const response = await on.csv(id)
    expect([response.status, response.headers.get("content-type"), response.headers.get("vary")]).toEqual([
      200,
      expect.stringContaining("text/csv"),
      expect.stringContaining("Accept")
    ])
    const [head, ...rows] = response.text.trimEnd().split("\r\n")
    expect(head).toBe("siteId,startsAt,endsAt,baselineWh,actualWh,deliveredWh,coverage,reason")
    const times = [0, QUARTER].map((at) => [from + at, from + at + QUARTER].map((each) => new Date(each).toISOString()))
    const [own, others] = [rows.filter((row) => row.startsWith(siteId)), rows.filter((row) => row.startsWith(other))]
    expect(own.map((row) => row.split(",").slice(1, 3))).toEqual(times)
    expect(own.map((row) => Math.round(Number(row.split(",")[5])))).toEqual([400, 400])
    expect(others).toEqual(times.map((time) => `${other},${time.join(",")},,,,0,no_measured_device`))
  })

  test("pages through the sites and counts all of them", async () => {
    const on = await arrange()
    const sites: Array<string> = []
    for (let n = 0; n < 5; n++) sites.push((await on.site()).id)
    const id = await on.dispatch({ method: "x-of-y", from, to, sites: sites.map((siteId) => ({ siteId })) })
    const { body } = await on.ask(id, "?page=2&perPage=2")
    expect(body.sites).toMatchObject({ page: 2, perPage: 2, totalItems: 5 })
    expect(body.sites.data.map((each: { readonly siteId: string }) => each.siteId)).toEqual(
      sites.toSorted().slice(2, 4)
    )
    expect(body).toMatchObject({
      sitesTotal: 5,
      sitesCounted: 0,
      leftOut: [{ reason: "no_measured_device", sites: 5 }]
    })
  })

  test("404 NOT_FOUND: a dispatch of another workspace, and one that does not exist", async () => {
    const [on, other] = [await arrange(), await arrange()]
    const id = await other.dispatch({ method: "x-of-y", from, to, sites: [] })
    for (const each of [id, `c${"0".repeat(24)}`]) {
      const { body, status } = await on.ask(each)
      expect([status, body.code]).toEqual([404, "NOT_FOUND"])
    }
  })

  test("400 VALIDATION_ERROR: a page out of range", async () => {
    const on = await arrange()
    const id = await on.dispatch({ method: "x-of-y", from, to, sites: [] })
    const { body, status } = await on.ask(id, "?perPage=101")
    expect([status, body.code]).toEqual([400, "VALIDATION_ERROR"])
  })
})

describe("each method, over stored readings", () => {
  test.each([
    ["10-of-10", 10, 0],
    ["middle-8-of-10", 8, 2],
    ["match-day-3", 3, 9]
  ] as const)("%s uses %i days", async (method, used, leftOut) => {
    const on = await arrange()
    const { siteId } = await on.home(weeks, dispatched)
    const id = await on.dispatch({ method, from, to, nominatedPowerW: 1600, sites: [{ siteId }] })
    const { body } = await on.ask(id)
    expect(body).toMatchObject({ deliveredWh: near(3200), performance: expect.closeTo(1, 3) })
    const [found] = body.sites.data[0].days
    expect(found.daysUsed).toHaveLength(used)
    const chosen = found.daysLeftOut.filter(({ reason }: { readonly reason: string }) => reason !== "low_coverage")
    expect(chosen).toHaveLength(leftOut)
  })

  test("device-metered measures the batteries of the dispatch, and the site's export apart", async () => {
    const on = await arrange()
    const { siteId } = await on.home(weeks, dispatched)
    const battery = await on.device({ type: "battery", siteId })
    const idle = await on.device({ type: "battery", siteId })
    // It discharges with 200 W on usual evenings, and with 1800 W on the day.
    const toState = (watts: number) => ({
      chargingState: "idle",
      charge: 5000,
      chargePercentage: 50,
      whConsumed: null,
      chargeRate: watts
    })
    const rate: Power = (date, hour) => (isEvening(hour) ? (date === day ? 1800 : 200) : 0)
    await on.report(battery, weeks, rate, toState)
    await on.report(idle, weeks, () => 900, toState)
    const id = await on.dispatch({ method: "device-metered", from, to, sites: [{ siteId, batteries: [battery] }] })
    const { body } = await on.ask(id)
    expect(body).toMatchObject({
      deliveredWh: near(3200),
      exportedWh: near(800),
      reason: "not_nominated",
      performance: null
    })
    expect(body.sites.data[0]).toMatchObject({ baselineWh: near(-400), actualWh: near(-3600) })
  })

  test("hold-out compares with the mean of the held-out sites", async () => {
    const on = await arrange()
    const { siteId } = await on.home(weeks, dispatched)
    const held = []
    for (const factor of [1, 2, 3]) {
      held.push(await on.home(["2026-05-19", "2026-05-20"], (date, hour) => factor * usual(date, hour)!))
    }
    const sites = [{ siteId }, ...held.map((each) => ({ siteId: each.siteId, heldOut: true }))]
    const id = await on.dispatch({ method: "hold-out", from, to, nominatedPowerW: 2800, sites })
    const { body } = await on.ask(id)
    expect(body).toMatchObject({
      controlSites: 3,
      sitesCounted: 1,
      sitesTotal: 4,
      leftOut: [{ reason: "held_out", sites: 3 }],
      deliveredWh: near(2 * 2400 + 800),
      performance: expect.closeTo(1, 3)
    })
    const few = await on.dispatch({ method: "hold-out", from, to, sites: sites.slice(0, 3) })
    expect((await on.ask(few)).body).toMatchObject({
      controlSites: 2,
      deliveredWh: null,
      reason: "no_sites",
      leftOut: [
        { reason: "held_out", sites: 2 },
        { reason: "too_few_sites", sites: 1 }
      ]
    })
  })

  test("meter-before compares with the hour before, and is labelled indicative", async () => {
    const on = await arrange()
    const { siteId } = await on.home(["2026-05-19", "2026-05-20"], dispatched)
    const id = await on.dispatch({ method: "meter-before", from, to, nominatedPowerW: 1000, sites: [{ siteId }] })
    const { body } = await on.ask(id)
    expect(body).toMatchObject({ indicative: true, deliveredWh: near(2000), performance: expect.closeTo(1, 3) })
    expect(body.sites.data[0].days).toEqual([])
    await on.dispatch({ method: "x-of-y", from: from - HOUR, to: from, sites: [{ siteId }] })
    expect((await on.ask(id)).body.sites.data[0]).toMatchObject({ deliveredWh: null, reason: "disturbed" })
  })
})

describe("figures without sufficient evidence", () => {
  const reasonFor = async (power: Power, more: object = {}) => {
    const on = await arrange()
    const { siteId } = await on.home(weeks, power)
    const id = await on.dispatch({ method: "x-of-y", from, to, nominatedPowerW: 2000, sites: [{ siteId }], ...more })
    const { body } = await on.ask(id)
    return { body, site: body.sites.data[0] }
  }
  const nothing = { baselineWh: null, actualWh: null, deliveredWh: null, exportedWh: null }

  test("are null without readings on the day, never 0", async () => {
    const { body, site } = await reasonFor((date, hour) => (date === day ? undefined : usual(date, hour)))
    expect(site).toMatchObject({ ...nothing, coverage: 0, reason: "no_readings" })
    expect(body).toMatchObject({
      deliveredWh: null,
      deliveredPowerW: null,
      exportedWh: null,
      performance: null,
      reason: "no_sites",
      sitesCounted: 0,
      leftOut: [{ reason: "no_readings", sites: 1 }]
    })
    for (const interval of body.intervals) {
      expect(interval).toMatchObject({ baselineWh: null, actualWh: null, deliveredWh: null, reason: "no_sites" })
    }
  })

  test("are null where readings cover less than 0.9 of the window", async () => {
    const { site } = await reasonFor((date, hour) => (date === day && hour > 17 ? undefined : usual(date, hour)))
    expect(site).toMatchObject({ ...nothing, coverage: 0.5, reason: "low_coverage" })
  })

  test("are null with fewer than 3 usable like days, and the days say why", async () => {
    const { site } = await reasonFor((date, hour) => (date < "2026-05-15" ? undefined : usual(date, hour)))
    expect(site).toMatchObject({ ...nothing, coverage: 1, reason: "too_few_days" })
    expect(site.days[0].daysUsed).toEqual([])
    expect(site.days[0].daysLeftOut[0]).toEqual({ date: "2026-05-14", reason: "low_coverage" })
  })

  test("are given with their coverage where they are known in part", async () => {
    // Readings stop at 18:50 and start again two hours later: 110 of 120 minutes are covered.
    const on = await arrange()
    const siteId: string = (await on.site({ timezone: "America/Los_Angeles" })).id
    const meter = await on.device({ type: "meter", siteId })
    await on.report(meter, ["2026-05-04", "2026-05-19"], usual)
    const minutes = Array.from({ length: 30 }, (_, n) => from - 15 * 60_000 + n * 5 * 60_000)
    const isSilent = (at: number) => at > from + 110 * 60_000
    await on.send(meter, [
      ...minutes.filter((at) => !isSilent(at)).map((at) => [at, { power: 200 }] as const),
      [to + 2 * HOUR, { power: 200 }]
    ])
    const id = await on.dispatch({
      method: "10-of-10",
      parameters: { adjustment: false },
      from,
      to,
      sites: [{ siteId }]
    })
    const { body } = await on.ask(id)
    expect(body.sites.data[0].coverage).toBeGreaterThanOrEqual(0.9)
    expect(body.sites.data[0].coverage).toBeLessThan(1)
    // The last quarter is known in part, so it does not count.
    expect(body.intervals.at(-1)).toMatchObject({ deliveredWh: null, reason: "low_coverage" })
    expect(body.sites.data[0]).toMatchObject({ baselineWh: near(2100), actualWh: near(350), deliveredWh: near(1750) })
    expect(body.deliveredPowerW).toBeCloseTo(1000, 0)
  })

  test("are null for sites that did not take part", async () => {
    const on = await arrange()
    const { siteId } = await on.home(weeks, dispatched)
    const others = [
      { state: "opted_out" },
      { state: "failed" },
      { state: "notified", startsAt: null },
      { state: "done", startsAt: null },
      { state: "done", heldOut: true }
    ] as const
    const sites: Array<{ readonly siteId: string }> = [{ siteId }]
    for (const other of others)
      sites.push({ siteId: (await on.home(["2026-05-19", "2026-05-20"], usual)).siteId, ...other })
    const id = await on.dispatch({ method: "x-of-y", from, to, nominatedPowerW: 1600, sites })
    const { body } = await on.ask(id)
    expect(body).toMatchObject({
      sitesCounted: 1,
      sitesTotal: 6,
      deliveredWh: near(3200),
      leftOut: [
        { reason: "did_not_take_part", sites: 3 },
        { reason: "held_out", sites: 1 },
        { reason: "opted_out", sites: 1 }
      ]
    })
  })

  test("leave out an unresponsive site's silence, but not its use", async () => {
    const on = await arrange()
    const { siteId } = await on.home(weeks, usual)
    const id = await on.dispatch({ method: "x-of-y", from, to, sites: [{ siteId, state: "unresponsive" }] })
    expect((await on.ask(id)).body).toMatchObject({ sitesCounted: 1, deliveredWh: near(0) })
  })

  test("are null without a device that measures, or without a battery in the dispatch", async () => {
    const on = await arrange()
    const siteId: string = (await on.site()).id
    await on.device({ type: "thermostat", siteId })
    const read = async (method: "x-of-y" | "device-metered") =>
      (await on.ask(await on.dispatch({ method, from, to, sites: [{ siteId }] }))).body.sites.data[0].reason
    expect([await read("x-of-y"), await read("device-metered")]).toEqual(["no_measured_device", "no_battery"])
  })

  test("are null before the dispatch begins, and for what has not passed", async () => {
    const on = await arrange()
    const now = Date.now()
    const siteId: string = (await on.site({ timezone: "UTC" })).id
    const meter = await on.device({ type: "meter", siteId })
    const start = now - HOUR - (now % QUARTER)
    const times = Array.from({ length: 24 * 24 * 2 }, (_, n) => now - (n * HOUR) / 2)
    await on.send(
      meter,
      times.toReversed().map((at) => [at, { power: 700 }] as const)
    )
    const sites = [{ siteId, state: "running", startsAt: new Date(start) }] as const
    const given = {
      method: "10-of-10",
      parameters: { holidays: "none" },
      from: start,
      to: start + 3 * HOUR,
      sites
    } as const
    const running = (await on.ask(await on.dispatch({ ...given, status: "running" }))).body
    expect(running.intervals.map(({ reason }: { readonly reason?: string }) => reason)).toEqual([
      ...Array.from({ length: 4 }, () => undefined),
      ...Array.from({ length: 8 }, () => "not_ended")
    ])
    expect(running.sites.data[0]).toMatchObject({ actualWh: near(700), deliveredWh: near(0) })
    const scheduled = await on.dispatch({ ...given, status: "scheduled", from: now + DAY, to: now + DAY + HOUR })
    const { body } = await on.ask(scheduled)
    expect(body).toMatchObject({ deliveredWh: null, reason: "not_begun" })
    expect(body.sites.data[0]).toMatchObject({ ...nothing, reason: "not_begun" })
  })

  test("end with the cancellation of a dispatch", async () => {
    const on = await arrange()
    const { siteId } = await on.home(weeks, dispatched)
    const given = { method: "x-of-y", from, to, status: "cancelled", sites: [{ siteId }] } as const
    const id = await on.dispatch({ ...given, updatedAt: new Date(from + HOUR) })
    const { body } = await on.ask(id)
    expect(body.deliveredWh).toBeCloseTo(1600, 0)
    expect(body.intervals.map(({ reason }: { readonly reason?: string }) => reason ?? "known")).toEqual([
      ...Array.from({ length: 4 }, () => "known"),
      ...Array.from({ length: 4 }, () => "not_ended")
    ])
  })
})

describe("days that are unlike the others", () => {
  const daysLeftOut = async (body: any) =>
    Object.fromEntries(body.sites.data[0].days[0].daysLeftOut.map((each: any) => [each.date, each.reason]))

  test("are those with another dispatch in which the site took part", async () => {
    const on = await arrange()
    const { siteId } = await on.home(weeks, dispatched)
    const on18 = { method: "x-of-y", from: local("2026-05-18T09:00"), to: local("2026-05-18T10:00") } as const
    const on15 = { ...on18, from: local("2026-05-15T09:00"), to: local("2026-05-15T10:00") }
    await on.dispatch({ ...on18, sites: [{ siteId }] })
    await on.dispatch({ ...on15, sites: [{ siteId, heldOut: true }] })
    await on.dispatch({ ...on15, sites: [{ siteId, state: "failed" }] })
    await on.dispatch({ ...on15, sites: [{ siteId: (await on.site()).id }] })
    const id = await on.dispatch({ method: "10-of-10", from, to, sites: [{ siteId }] })
    expect(await daysLeftOut((await on.ask(id)).body)).toEqual({ "2026-05-18": "dispatch" })
  })

  test("are those on which the grid failed at the site or at one of its devices", async () => {
    const on = await arrange()
    const { meter, siteId } = await on.home(["2026-04-24", "2026-05-21"], dispatched)
    const alert = async (fields: object, first: string, last: string | null, status = "RESOLVED") => {
      const body = { sourceSystem: "watch", title: "Grid", severity: "WARNING", type: "ISLANDING", siteId, ...fields }
      const created = await on.call("POST", "/v1/alerts", body)
      expect(created.status).toBe(201)
      const resolvedAt = last === null ? null : new Date(local(last))
      await app.sql(
        (sql) => sql`UPDATE alerts SET created_at = ${new Date(local(first))}, resolved_at = ${resolvedAt},
          status = ${status} WHERE id = ${created.body.id}`
      )
    }
    await alert({}, "2026-05-18T01:00", "2026-05-18T02:00")
    await alert({ type: "GRID_STATUS", deviceId: meter }, "2026-05-14T23:00", "2026-05-15T01:00")
    await alert({ type: "GRID_STATUS", severity: "INFO" }, "2026-05-13T01:00", "2026-05-13T02:00")
    await alert({ type: "SENSOR" }, "2026-05-12T01:00", "2026-05-12T02:00")
    await alert({}, "2026-05-11T01:00", null, "IGNORED")
    const id = await on.dispatch({ method: "10-of-10", from, to, sites: [{ siteId }] })
    expect(await daysLeftOut((await on.ask(id)).body)).toEqual({
      "2026-05-18": "outage",
      "2026-05-15": "outage",
      "2026-05-14": "outage"
    })
    await alert({}, "2026-05-19T18:30", null, "OPEN")
    expect((await on.ask(id)).body.sites.data[0]).toMatchObject({ deliveredWh: null, reason: "outage" })
  })
})

describe("several intervals", () => {
  test("are reported without the time between them, clipped where they begin within a quarter", async () => {
    const on = await arrange()
    const { siteId } = await on.home(weeks, dispatched)
    const [first, second] = [from + 7 * 60_000, from + HOUR + 5 * 60_000]
    const intervals = [
      { startsAt: new Date(first).toISOString(), durationSeconds: 600 },
      { startsAt: new Date(second).toISOString(), durationSeconds: 600 }
    ]
    const id = await on.dispatch({
      method: "10-of-10",
      from: first,
      to: second + 600_000,
      intervals,
      sites: [{ siteId }]
    })
    const { body } = await on.ask(id)
    expect(body.intervals.map((each: any) => [each.startsAt.slice(11, 16), each.endsAt.slice(11, 16)])).toEqual([
      ["00:07", "00:15"],
      ["00:15", "00:17"],
      ["01:05", "01:15"]
    ])
    expect(body.deliveredPowerW).toBeCloseTo(1600, 0)
    expect(body.deliveredWh).toBeCloseTo(1600 / 3, 0)
  })
})
