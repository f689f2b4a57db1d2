import type { Annotations } from "@edp/domain/dashboard/Annotation"
import { RaisedAlerts } from "@edp/server/alerts/RaisedAlerts"
import { Effect } from "effect"
import { beforeAll, describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { expectError } from "../../support/expectError.ts"
import { movableClock } from "../../support/movableClock.ts"
import { seedSite } from "../../support/Seed.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeDispatches, HOUR, MINUTE } from "../dispatches/arrangeDispatches.ts"
import { nobody } from "../programs/arrangePrograms.ts"

const path = "/dashboard/api/annotations"
const clock = movableClock(Date.now())
const app = useTestApp({ own: true, clock })

describeKeyChecks(app, [{ method: "GET", path, allowed: ["MANAGEMENT"] }])

const iso = (milliseconds: number) => new Date(milliseconds).toISOString()

describe("GET /dashboard/api/annotations", () => {
  let place: Awaited<ReturnType<typeof arrangeDispatches>>
  beforeAll(async () => {
    place = await arrangeDispatches(app, clock)
  })

  const list = async (query: Readonly<Record<string, string>>): Promise<Annotations> => {
    const response = await app.call("GET", `${path}?${new URLSearchParams(query)}`, { key: place.keys.MANAGEMENT })
    expect([response.status, response.text]).toEqual([200, expect.anything()])
    return response.body
  }
  const now = () => clock.currentTimeMillisUnsafe()
  const ahead = () => ({ to: iso(now() + 12 * HOUR) })

  /** The alert of a device, and what resolves it. */
  const alert = async (siteId: string, deviceId: string | null, fields: object = {}): Promise<any> => {
    const body = {
      siteId,
      title: "It does not respond",
      sourceSystem: "test",
      severity: "WARNING",
      deviceId,
      ...fields
    }
    return place.must(201, "POST", "/v1/alerts", body)
  }
  const resolve = (id: string) => place.must(200, "PATCH", `/v1/alerts/${id}/resolve`, {})

  test("lists outages and alerts of the device, from their creation to their resolution", async () => {
    const { deviceId, siteId } = await place.home()
    const from = iso(now())
    const outage = await alert(siteId, deviceId, { type: "COMMUNICATIONS", subtype: "INVERTER_COMMS" })
    clock.move(10 * MINUTE)
    const hot = await alert(siteId, deviceId, { type: "TEMPERATURE", severity: "CRITICAL", title: "It is hot" })
    const { resolvedAt } = await resolve(outage.id)
    await alert(siteId, null, { type: "SITE_LEVEL" })
    clock.move(MINUTE)
    const found = await list({ deviceId, from })
    expect(found).toEqual({
      from,
      to: iso(now()),
      timezone: expect.stringMatching(/./),
      isTruncated: false,
      annotations: [
        {
          kind: "outage",
          from: outage.createdAt,
          to: resolvedAt,
          deviceId,
          cause: "silence",
          subtype: "INVERTER_COMMS",
          alertId: outage.id,
          severity: "WARNING",
          status: "RESOLVED"
        },
        {
          kind: "alert",
          from: hot.createdAt,
          to: null,
          deviceId,
          type: "TEMPERATURE",
          subtype: null,
          alertId: hot.id,
          severity: "CRITICAL",
          status: "OPEN",
          title: "It is hot"
        }
      ]
    })
    expect((await list({ siteId })).annotations.map(({ kind }) => kind)).toEqual(["outage", "alert", "alert"])
    clock.move(30 * MINUTE)
    // Only what lasted into the span.
    const later = await list({ deviceId, from: iso(now() - 5 * MINUTE) })
    expect(later.annotations.map(({ kind }) => kind)).toEqual(["alert"])
    expect((await list({ deviceId, from: iso(now() - 3 * HOUR), to: iso(now() - 2 * HOUR) })).annotations).toEqual([])
  })

  test("shows the end of a device's link as an outage that lasts", async () => {
    const { deviceId, siteId } = await place.home()
    const at = iso(now() - 2 * HOUR)
    await app.sql((sql) => sql`UPDATE devices SET disconnected_at = ${new Date(at)} WHERE id = ${deviceId} RETURNING 1`)
    const band = { kind: "outage", cause: "disconnected", from: at, to: null, deviceId, alertId: null }
    expect((await list({ deviceId })).annotations).toMatchObject([band])
    expect((await list({ siteId })).annotations).toMatchObject([band])
    expect((await list({ siteId, to: at })).annotations).toEqual([])
  })

  test("lists each interval of a dispatch, as far as the site takes part, and whether the device does", async () => {
    const home = await place.home()
    const other = await place.device(home.siteId, "charger")
    const begin = now()
    const { id, programInstanceId } = await place.create({
      name: "Evening",
      test: true,
      intervals: [place.interval(1, 30), place.interval(60, 30)]
    })
    const facts = { kind: "dispatch", dispatchId: id, programInstanceId, name: "Evening", test: true, voluntary: true }
    expect((await list({ siteId: home.siteId, ...ahead() })).annotations).toMatchObject([
      { ...facts, interval: 1, intervals: 2, status: "scheduled", participant: "notified", deviceTookPart: null },
      { ...facts, interval: 2, from: iso(begin + 60 * MINUTE), to: iso(begin + 90 * MINUTE) }
    ])
    await place.runAfter(2)
    await place.must(200, "POST", `/v1/dispatches/${id}/participants/${home.siteId}/opt-out`, {})
    const left = iso(now())
    const bands = (await list({ deviceId: home.deviceId, ...ahead() })).annotations
    expect(bands).toMatchObject([{ ...facts, interval: 1, to: left, participant: "opted_out", deviceTookPart: true }])
    expect((await list({ deviceId: other, ...ahead() })).annotations).toMatchObject([{ deviceTookPart: false }])
  })

  test("ends the bands of a dispatch at its cancellation, leaves drafts out, and marks an involuntary one", async () => {
    const { siteId } = await place.home()
    await place.create({ status: "draft" })
    const { id } = await place.create({ voluntary: false })
    await place.runAfter(2)
    await place.must(200, "POST", `/v1/dispatches/${id}/cancel`, {})
    const annotations = (await list({ siteId, ...ahead() })).annotations
    expect(annotations).toMatchObject([{ dispatchId: id, voluntary: false, status: "cancelled", to: iso(now()) }])
  })

  test("lists the clock changes of the site's time zone, and of the workspace's for a device without a site", async () => {
    const { id: siteId } = await seedSite(app, place.keys.SERVER, { timezone: "Australia/Lord_Howe" })
    const year = { from: "2026-01-01T00:00:00Z", to: "2027-01-01T00:00:00Z" }
    const found = await list({ siteId, ...year })
    expect(found.timezone).toBe("Australia/Lord_Howe")
    expect(found.annotations).toEqual([
      {
        kind: "clock_change",
        from: "2026-04-04T15:00:00.000Z",
        to: "2026-04-04T15:00:00.000Z",
        timezone: "Australia/Lord_Howe",
        offsetBefore: 660,
        offsetAfter: 630
      },
      expect.objectContaining({ from: "2026-10-03T15:30:00.000Z", offsetBefore: 630, offsetAfter: 660 })
    ])
    const { siteId: _, ...homeless } = { siteId, deviceId: await place.device(siteId) }
    await app.sql((sql) => sql`UPDATE devices SET site_id = NULL WHERE id = ${homeless.deviceId} RETURNING 1`)
    expect(await list({ ...homeless, ...year })).toMatchObject({ timezone: "UTC", annotations: [] })
  })

  test("leaves out the alerts that the workspace's configuration hides", async () => {
    const { deviceId, siteId } = await place.home()
    await alert(siteId, deviceId, { type: "SENSOR", severity: "INFO" })
    await alert(siteId, deviceId, { type: "SAFETY", severity: "CRITICAL" })
    clock.move(MINUTE)
    const configure = (method: string, body?: object) =>
      app.call(method, "/dashboard/api/alert-configuration", { key: place.keys.MANAGEMENT, ...(body && { body }) })
    await configure("PUT", { minimumSeverity: "WARNING" })
    expect((await list({ deviceId })).annotations).toMatchObject([{ type: "SAFETY" }])
    await configure("PUT", { types: { mode: "SHOW", values: ["SENSOR"] } })
    expect((await list({ deviceId })).annotations).toMatchObject([{ type: "SENSOR" }])
    await configure("DELETE")
    expect((await list({ deviceId })).annotations).toHaveLength(2)
  })

  test("lists the 1000 latest, in order, and says that there are more", async () => {
    const { deviceId } = await place.home()
    await app.run(
      Effect.flatMap(RaisedAlerts, ({ raise }) =>
        raise(
          Array.from({ length: 1001 }, (_, n) => ({
            workspaceId: place.workspaceId,
            deviceId,
            sourceSystem: "test",
            externalId: `${deviceId} ${n}`,
            type: "SENSOR" as const,
            severity: "INFO" as const,
            title: `Alert ${n}`
          }))
        )
      ) as Effect.Effect<unknown, never, any>
    )
    clock.move(MINUTE)
    const { annotations, isTruncated } = await list({ deviceId })
    expect([annotations.length, isTruncated]).toEqual([1000, true])
    const starts = annotations.map(({ from }) => from)
    expect(starts).toEqual(starts.toSorted())
  })

  test("400 VALIDATION_ERROR without a device or a site, with both, and with a wrong span", async () => {
    const { deviceId, siteId } = await place.home()
    const ask = (query: Readonly<Record<string, string>>) =>
      app.call("GET", `${path}?${new URLSearchParams(query)}`, { key: place.keys.MANAGEMENT })
    const one = { deviceId: expect.stringContaining("Must be given") }
    expectError(await ask({}), 400, "VALIDATION_ERROR", one)
    expectError(await ask({ deviceId, siteId }), 400, "VALIDATION_ERROR", one)
    const order = { from: "2026-02-01T00:00:00Z", to: "2026-01-01T00:00:00Z" }
    expectError(await ask({ siteId, ...order }), 400, "VALIDATION_ERROR", { from: "Must not be after `to`" })
    const day = 24 * HOUR
    const longest = { from: iso(now() - 400 * day), to: iso(now()) }
    expect((await ask({ siteId, ...longest })).status).toBe(200)
    expectError(await ask({ siteId, ...longest, from: iso(now() - 400 * day - 1) }), 400, "VALIDATION_ERROR", {
      from: "Must be at most 400 days before `to`"
    })
  })

  test("404 DEVICE_NOT_FOUND and SITE_NOT_FOUND for records of another organization or workspace", async () => {
    const { deviceId, siteId } = await place.home()
    const others = [await app.workspace(), await app.workspace(place.organizationId)]
    for (const { keys } of others) {
      const ask = (query: Readonly<Record<string, string>>) =>
        app.call("GET", `${path}?${new URLSearchParams(query)}`, { key: keys.MANAGEMENT })
      expectError(await ask({ deviceId }), 404, "DEVICE_NOT_FOUND")
      expectError(await ask({ siteId }), 404, "SITE_NOT_FOUND")
      expectError(await ask({ deviceId: nobody }), 404, "DEVICE_NOT_FOUND")
    }
  })
})
