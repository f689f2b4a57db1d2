import { SiteChanges } from "@edp/server/devices/SiteChanges"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { useDatabases } from "../../support/Databases.ts"
import { describePostgres } from "../../support/PostgresServer.ts"
import { inTurn } from "../../support/rounds.ts"
import { someAddress } from "../../support/Seed.ts"
import { type TestApp, useTestApp } from "../../support/TestApp.ts"
import { arrangeDevices } from "./arrangeDevices.ts"

const publishSome = (app: TestApp) => app.run(Effect.flatMap(SiteChanges, (changes) => changes.publishSome))

const arrange = async (app: TestApp) => {
  const on = await arrangeDevices(app)
  const site = await on.site({ location: { latitude: 38.5, longitude: -121.5 } })
  const newest = async () => (await on.get("/v1/events?perPage=1")).body.data[0]?.sequence ?? 0
  const patch = async (fields: object, id: string = site.id) => {
    const before = await newest()
    const response = await on.call("PATCH", `/v1/sites/${id}`, fields)
    expect(response.status).toBe(200)
    const { body } = await on.get(`/v1/events?after=${before}&perPage=100`)
    return { site: response.body, events: body.data as ReadonlyArray<any> }
  }
  const listReported = (events: ReadonlyArray<any>) =>
    Object.fromEntries(
      events.filter(({ type }) => type === "DEVICE_UPDATED").map(({ data }) => [data.device.id, data.changed])
    )
  return { ...on, site, patch, listReported, siteId: site.id as string }
}

const manyAt = (app: TestApp, workspaceId: string, siteId: string, devices: number) =>
  app.sql(
    (sql) => sql`INSERT INTO devices (id, workspace_id, origin_workspace_id, site_id, name, manufacturer,
        manufacturer_device_id, reference_id, model, type, commands, tags, direct, created_at, updated_at)
      SELECT 'c' || left(md5(random()::text), 24), ${workspaceId}, ${workspaceId}, ${siteId}, 'One of many', 'generic',
        gen_random_uuid()::text, 'user-1', 'Generic inverter', 'inverter', '{}', '{}', true, now(), now()
      FROM generate_series(1, ${devices}::int)`
  )

const guarantees = (app: TestApp) => {
  test("a new address, location or time zone of a site publishes an event for each of its own devices", async () => {
    const { device, patch, site, siteId, listReported } = await arrange(app)
    const [inverter, meter] = [await device({ siteId }), await device({ siteId, type: "meter" })]
    await device({ siteId: null })
    const moved = await patch({ address: someAddress(), location: { latitude: 38.6, longitude: -121.5 } })
    expect(moved.events.map(({ type }) => type)).toEqual(["SITE_UPDATED", "DEVICE_UPDATED", "DEVICE_UPDATED"])
    expect(listReported(moved.events)).toEqual({ [inverter]: ["location"], [meter]: ["location"] })
    const { data } = moved.events[1]
    expect(data.site).toEqual(moved.site)
    expect(data.device.location.address.streetOne).toBe(moved.site.address.streetOne)
    expect(data.device.location.coordinates).toEqual({ latitude: 38.6, longitude: -121.5 })
    expect(listReported((await patch({ location: null })).events)).toEqual({
      [inverter]: ["location"],
      [meter]: ["location"]
    })
    const zoned = await patch({ timezone: "europe/berlin" })
    expect(listReported(zoned.events)).toEqual({ [inverter]: ["timezone"], [meter]: ["timezone"] })
    expect(zoned.events[1].data.site.timezone).toBe("Europe/Berlin")
    const both = await patch({ address: site.address, location: site.location, timezone: null })
    expect(listReported(both.events)[inverter]).toEqual(["location", "timezone"])
  })

  test("changes that do not affect devices publish no events for them", async () => {
    const { device, patch, site, siteId } = await arrange(app)
    await device({ siteId })
    const { events } = await patch({ name: "Another", tags: ["pilot"], referenceId: "r" })
    expect(events.map(({ type }) => type)).toEqual(["SITE_UPDATED"])
    const same = { address: site.address, location: site.location, timezone: site.timezone }
    expect((await patch(same)).events).toEqual([])
  })

  test("a vehicle gets an event if the change brings it home or away", async () => {
    const { device, patch, read, siteId, listReported } = await arrange(app)
    const at = new Date("2026-03-01T12:00:00Z")
    const [parked, away, unknown] = [
      await device({ siteId, type: "vehicle" }),
      await device({ siteId, type: "vehicle" }),
      await device({ siteId, type: "vehicle" })
    ]
    const state = { chargingState: "idle", chargePercentage: 50, range: 100 }
    await read(parked, { at, state, latitude: 38.5, longitude: -121.5 })
    await read(away, { at, state, latitude: 10, longitude: 10 })
    await read(unknown, { at, state })
    const left = await patch({ location: { latitude: 38.6, longitude: -121.5 } })
    expect(listReported(left.events)).toEqual({
      [parked]: ["location", "isHome"],
      [away]: ["location"],
      [unknown]: ["location"]
    })
    expect(left.events.find(({ data }) => data.device?.id === parked).data.device.isHome).toBe(false)
    const nowhere = await patch({ location: null })
    expect(listReported(nowhere.events)[away]).toEqual(["location", "isHome"])
  })

  test("a change of a large site publishes some events at once, and the others later, each once", async () => {
    const { get, patch, siteId, workspaceId } = await arrange(app)
    await manyAt(app, workspaceId, siteId, 1203)
    const countEvents = async () => (await get("/v1/events?type=DEVICE_UPDATED&perPage=1")).body.totalItems
    await patch({ timezone: "Europe/Berlin" })
    expect(await countEvents()).toBe(500)
    await patch({ location: { latitude: 1, longitude: 1 } })
    expect(await countEvents()).toBe(1000)
    // The changes of a site are published in order, so of two at the same time one may find nothing to do.
    expect(await Promise.all([publishSome(app), publishSome(app)])).toContain(true)
    while (await publishSome(app)) expect(await countEvents()).toBeLessThanOrEqual(2406)
    expect(await countEvents()).toBe(2406)
    const rows = await app.sql(
      (sql) => sql<{ readonly changed: string; readonly devices: number }>`
        SELECT payload->>'changed' AS changed, count(DISTINCT device_id)::int AS devices FROM events
        WHERE workspace_id = ${workspaceId} AND type = 'DEVICE_UPDATED' GROUP BY 1 ORDER BY 1`
    )
    expect(rows).toEqual([
      { changed: '["location"]', devices: 1203 },
      { changed: '["timezone"]', devices: 1203 }
    ])
    expect(await app.sql((sql) => sql`SELECT FROM site_changes`)).toEqual([])
  })

  test("a large site that is deleted before all events are published publishes the remaining ones", async () => {
    const { call, patch, siteId, workspaceId } = await arrange(app)
    await manyAt(app, workspaceId, siteId, 600)
    await patch({ timezone: "Europe/Berlin" })
    expect((await call("DELETE", `/v1/sites/${siteId}`)).status).toBe(204)
    expect(await publishSome(app)).toBe(false)
  })
}

// They take turns, because both run the same tests.
inTurn(
  1,
  () => describe("a site that moves, on the embedded database", () => guarantees(useTestApp({ own: true }))),
  () =>
    describePostgres("a site that moves, on PostgreSQL", () => {
      const databases = useDatabases()
      guarantees(useTestApp({ databaseUrl: () => databases.url }))
    })
)
