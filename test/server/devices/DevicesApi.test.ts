import { HistoryDeletion } from "@edp/server/readings/retention/HistoryDeletion"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeDevices, moment, nobody } from "./arrangeDevices.ts"

const app = useTestApp()
const arrange = (organizationId?: string) => arrangeDevices(app, organizationId)

const readers = ["SERVER", "API", "SCOPED"] as const
const writers = ["SERVER", "API"] as const
const any = `/v1/devices/${nobody}`

describeKeyChecks(app, [
  { method: "GET", path: "/v1/devices", allowed: readers },
  { method: "GET", path: any, allowed: readers },
  { method: "PATCH", path: any, allowed: writers },
  { method: "DELETE", path: any, allowed: writers },
  { method: "GET", path: `${any}/history`, allowed: readers },
  { method: "GET", path: `${any}/tags`, allowed: readers },
  { method: "PUT", path: `${any}/tags`, allowed: writers },
  { method: "POST", path: `${any}/tags`, allowed: writers },
  { method: "DELETE", path: `${any}/tags/roof`, allowed: writers },
  { method: "GET", path: `/v1/sites/${nobody}/devices`, allowed: writers },
  { method: "PUT", path: `/v1/sites/${nobody}/devices/${nobody}`, allowed: writers },
  { method: "DELETE", path: `/v1/sites/${nobody}/devices/${nobody}`, allowed: writers }
])

describe("GET /v1/devices/:id", () => {
  test("200 a device without readings and without a site has an empty state and no location", async () => {
    const { device, get } = await arrange()
    const id = await device({ serialNumber: "SN-1", tags: ["roof", "pilot"] })
    const { status, body } = await get(`/v1/devices/${id}`)
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        id,
        siteId: null,
        name: "Roof",
        manufacturerDeviceId: `INV-${id}`,
        serialNumber: "SN-1",
        referenceId: "user-1",
        manufacturer: "generic",
        type: "inverter",
        model: "Generic inverter",
        rawType: null,
        rawModel: null,
        modelYear: null,
        state: {},
        availableCommands: [],
        interventions: [],
        tags: ["roof", "pilot"],
        createdAt: "2026-01-01T00:00:00.000Z",
        updatedAt: "2026-01-01T00:00:00.000Z",
        connectedAt: "2026-01-01T00:00:00.000Z",
        disconnectedAt: null,
        onlineStatus: "unknown",
        lastOnlineAt: null
      }
    })
  })

  test("200 returns each column in the field of its name", async () => {
    const { device, get, read, site } = await arrange()
    const { id: siteId } = await site({ location: { latitude: 38.5, longitude: -121.5 } })
    const id = await device({ siteId, type: "vehicle", staticState: { capacity: 60_000 } })
    await read(id, {
      at: new Date("2026-01-08T00:00:00Z"),
      state: { chargingState: "idle", chargePercentage: 50, range: 200 },
      latitude: 38.5,
      longitude: -121.5,
      status: "asleep"
    })
    await app.sql(
      (
        sql
      ) => sql`UPDATE devices SET serial_number = 'serial', raw_type = 'raw type', raw_model = 'raw model', model_year = 2021,
        created_at = '2026-01-02', updated_at = '2026-01-03', connected_at = '2026-01-04', disconnected_at = '2026-01-05'
        WHERE id = ${id}`
    )
    await app.sql(
      (
        sql
      ) => sql`UPDATE sites SET street_one = 'one', street_two = 'two', city = 'city', state = 'CO', postal_code = 'code',
        country = 'land', county = 'county', address_hash = 'hash' WHERE id = ${siteId}`
    )
    const { body } = await get(`/v1/devices/${id}`)
    expect(body).toMatchObject({
      id,
      siteId,
      name: "Roof",
      manufacturerDeviceId: `INV-${id}`,
      serialNumber: "serial",
      referenceId: "user-1",
      manufacturer: "generic",
      type: "vehicle",
      model: "Generic inverter",
      rawType: "raw type",
      rawModel: "raw model",
      modelYear: 2021,
      staticState: { capacity: 60_000 },
      location: {
        address: {
          streetOne: "one",
          streetTwo: "two",
          city: "city",
          state: "CO",
          postalCode: "code",
          country: "land",
          county: "county",
          hashedAddress: "hash"
        },
        coordinates: { latitude: 38.5, longitude: -121.5 }
      },
      isHome: true,
      createdAt: "2026-01-02T00:00:00.000Z",
      updatedAt: "2026-01-03T00:00:00.000Z",
      connectedAt: "2026-01-04T00:00:00.000Z",
      disconnectedAt: "2026-01-05T00:00:00.000Z",
      // A disconnected device is offline, whatever its source said.
      onlineStatus: "offline",
      lastOnlineAt: "2026-01-08T00:00:00.000Z"
    })
  })

  test("200 returns the newest reading, the site's location, the ratings and the commands", async () => {
    const { device, get, read, site } = await arrange()
    const { id: siteId, location } = await site({ location: { latitude: 38.5, longitude: -121.5 } })
    const id = await device({
      siteId,
      type: "battery",
      staticState: { capacity: 13_500 },
      commands: ["battery:set-reserve"]
    })
    const at = new Date()
    const state = { chargingState: "idle", charge: 5000, chargePercentage: 37, whConsumed: null }
    const [reading] = await read(id, { at, state })
    const { body } = await get(`/v1/devices/${id}`)
    expect(body).toMatchObject({
      siteId,
      state: { id: reading, createdAt: at.toISOString(), ...state },
      staticState: { capacity: 13_500 },
      availableCommands: [{ slug: "battery:set-reserve", description: expect.stringMatching(/./) }],
      location: {
        address: {
          streetOne: expect.stringContaining("Capitol Mall"),
          streetTwo: null,
          city: "Sacramento",
          state: "CA",
          postalCode: "95814",
          country: "USA",
          county: null,
          hashedAddress: expect.stringMatching(/^[0-9a-f]{64}$/)
        },
        coordinates: location
      },
      onlineStatus: "online",
      lastOnlineAt: at.toISOString()
    })
    expect(body).not.toHaveProperty("isHome")
  })

  test("200 has no coordinates if the site has none", async () => {
    const { device, get, site } = await arrange()
    const address = {
      streetOne: "1 Rideau St",
      city: "Ottawa",
      state: "Ontario",
      postalCode: "K1A 0B1",
      country: "Canada"
    }
    const id = await device({ siteId: (await site({ address })).id })
    expect((await get(`/v1/devices/${id}`)).body.location).not.toHaveProperty("coordinates")
  })

  test("concurrent reads of many keys each get their own devices and 404 for those of others", async () => {
    const [here, there] = [await arrange(), await arrange()]
    const devices = await Promise.all(
      [here, there].flatMap((place) => [0, 1, 2].map(async () => ({ place, id: await place.device() })))
    )
    const responses = await Promise.all(
      devices.flatMap(({ place, id }) => [
        here.get(`/v1/devices/${id}`).then(({ body, status }) => [status, body.id, place === here ? id : undefined]),
        there.get(`/v1/devices/${id}`).then(({ body, status }) => [status, body.id, place === there ? id : undefined])
      ])
    )
    for (const [status, read, id] of responses)
      expect([status, read]).toEqual(id === undefined ? [404, undefined] : [200, id])
  })

  test("200 isHome of a vehicle, also in lists: true near its site, false far away, null if a location is unknown", async () => {
    const { device, get, read, site } = await arrange()
    const { id: siteId } = await site({ location: { latitude: 38.5, longitude: -121.5 } })
    const state = { chargingState: "idle", chargePercentage: 50, range: 200 }
    const isHome = async (given: object, reading: object) => {
      const id = await device({ type: "vehicle", ...given })
      await read(id, { at: new Date(), state, ...reading })
      const { body } = await get(`/v1/devices/${id}`)
      expect((await get("/v1/devices?perPage=1")).body.data).toEqual([body])
      return body.isHome
    }
    expect(await isHome({ siteId }, { latitude: 38.502, longitude: -121.5 })).toBe(true)
    expect(await isHome({ siteId }, { latitude: 38.503, longitude: -121.5 })).toBe(false)
    expect(await isHome({ siteId }, {})).toBeNull()
    expect(await isHome({}, { latitude: 38.5, longitude: -121.5 })).toBeNull()
  })

  test("200 a SCOPED key reads its user's device", async () => {
    const { device, get } = await arrange()
    expect((await get(`/v1/devices/${await device({ referenceId: "user-1" })}`, "SCOPED")).status).toBe(200)
  })

  test("403 FORBIDDEN a SCOPED key and another user's device", async () => {
    const { device, get } = await arrange()
    expectError(await get(`/v1/devices/${await device({ referenceId: "user-2" })}`, "SCOPED"), 403, "FORBIDDEN")
  })

  test.each([nobody, "short", "%00", "a%2Fb"])("404 DEVICE_NOT_FOUND %s", async (id) => {
    const { get } = await arrange()
    expectError(await get(`/v1/devices/${id}`), 404, "DEVICE_NOT_FOUND")
  })

  test("404 DEVICE_NOT_FOUND a foreign device, also of the same organization, also for a SCOPED key of its user", async () => {
    const owner = await arrange()
    const id = await owner.device({ referenceId: "user-1" })
    const neighbour = await arrange(owner.organizationId)
    expectError(await neighbour.get(`/v1/devices/${id}`), 404, "DEVICE_NOT_FOUND")
    expectError(await neighbour.get(`/v1/devices/${id}`, "SCOPED"), 404, "DEVICE_NOT_FOUND")
  })
})

describe("PATCH /v1/devices/:id", () => {
  test("200 changes only the given fields", async () => {
    const { device, call, get, site } = await arrange()
    const { id: siteId } = await site()
    const id = await device({ siteId })
    const before = (await get(`/v1/devices/${id}`)).body
    const given = { name: "Garage", tags: ["b", "a", "b"], referenceId: "user-9" }
    const forbidden = { id: nobody, workspaceId: nobody, type: "meter", onlineStatus: "online" }
    const { status, body } = await call("PATCH", `/v1/devices/${id}`, { ...given, ...forbidden })
    expect({ status, body }).toEqual({
      status: 200,
      body: { ...before, ...given, tags: ["b", "a"], updatedAt: moment }
    })
    expect(body.updatedAt > before.updatedAt).toBe(true)
    expect((await get(`/v1/devices/${id}`)).body).toEqual(body)
  })

  test("200 siteId moves the device to a site, null removes it from its site", async () => {
    const { device, call, site } = await arrange()
    const { id: siteId } = await site()
    const id = await device()
    expect((await call("PATCH", `/v1/devices/${id}`, { siteId })).body).toMatchObject({ siteId, location: {} })
    const cleared = await call("PATCH", `/v1/devices/${id}`, { siteId: null })
    expect(cleared.body.siteId).toBeNull()
    expect(cleared.body).not.toHaveProperty("location")
  })

  test("400 VALIDATION_ERROR lists every invalid field", async () => {
    const { device, call } = await arrange()
    const body = { name: "", siteId: 7, tags: ["a,b"], referenceId: null }
    const response = await call("PATCH", `/v1/devices/${await device()}`, body)
    expect(response.body.code).toBe("VALIDATION_ERROR")
    expect(new Set(Object.keys(response.body.details))).toEqual(new Set(["name", "siteId", "tags.0", "referenceId"]))
  })

  test("404 DEVICE_NOT_FOUND, also with an unknown site", async () => {
    const { call, device } = await arrange()
    const foreign = await (await arrange()).device()
    for (const id of [nobody, "short", foreign]) {
      expectError(await call("PATCH", `/v1/devices/${id}`, { name: "x" }), 404, "DEVICE_NOT_FOUND")
      expectError(await call("PATCH", `/v1/devices/${id}`, { siteId: nobody }), 404, "DEVICE_NOT_FOUND")
    }
    expect((await call("PATCH", `/v1/devices/${await device()}`, {})).status).toBe(200)
  })

  test("404 SITE_NOT_FOUND does not change the device", async () => {
    const { call, device, get } = await arrange()
    const id = await device()
    for (const siteId of [nobody, "short"]) {
      expectError(await call("PATCH", `/v1/devices/${id}`, { siteId, name: "x" }), 404, "SITE_NOT_FOUND")
    }
    expect((await get(`/v1/devices/${id}`)).body.name).toBe("Roof")
  })

  test("404 SITE_NOT_IN_WORKSPACE", async () => {
    const { call, device, organizationId } = await arrange()
    const { id: siteId } = await (await arrange(organizationId)).site()
    expectError(await call("PATCH", `/v1/devices/${await device()}`, { siteId }), 404, "SITE_NOT_IN_WORKSPACE")
  })
})

describe("DELETE /v1/devices/:id", () => {
  const at = new Date("2026-02-03T04:05:06Z")
  const kept = (id: string) =>
    app.sql((sql) => sql<{ readonly at: Date }>`SELECT at FROM readings WHERE device_id = ${id}`)
  const isForgotten = async (id: string) => {
    await app.run(Effect.flatMap(HistoryDeletion, ({ deleteAll }) => deleteAll))
    expect(await kept(id)).toEqual([])
  }

  test("204 deletes it with its state, its tags and eventually its history", async () => {
    const { call, device, get, ids, read } = await arrange()
    const id = await device({ direct: false, tags: ["roof"] })
    await read(id, { at })
    const response = await call("DELETE", `/v1/devices/${id}`)
    expect({ status: response.status, text: response.text }).toEqual({ status: 204, text: "" })
    expectError(await get(`/v1/devices/${id}`), 404, "DEVICE_NOT_FOUND")
    expectError(await get(`/v1/devices/${id}/history`), 404, "DEVICE_NOT_FOUND")
    expectError(await get(`/v1/devices/${id}/tags`), 404, "DEVICE_NOT_FOUND")
    expect(await ids("")).toEqual([])
    expect(await ids("tag=roof")).toEqual([])
    expect(await app.sql((sql) => sql`SELECT 1 FROM devices WHERE id = ${id}`)).toEqual([])
    expect(await app.sql((sql) => sql`SELECT 1 FROM device_states WHERE device_id = ${id}`)).toEqual([])
    await isForgotten(id)
  })

  test("204 a directly integrated device keeps its identity, without workspace, site and history", async () => {
    const { call, device, ids, read, site } = await arrange()
    const { id: siteId } = await site()
    const id = await device({ siteId, tags: ["roof"] })
    await read(id, { at })
    expect((await call("DELETE", `/v1/devices/${id}`)).status).toBe(204)
    expect(await ids("tag=roof")).toEqual([])
    const [row] = await app.sql(
      (sql) => sql`SELECT workspace_id, site_id, disconnected_at IS NOT NULL AS disconnected, manufacturer_device_id
        FROM devices WHERE id = ${id}`
    )
    expect(row).toEqual({
      workspace_id: null,
      site_id: null,
      disconnected: true,
      manufacturer_device_id: `INV-${id}`
    })
    expect(await app.sql((sql) => sql`SELECT 1 FROM device_states WHERE device_id = ${id}`)).toEqual([])
    await isForgotten(id)
  })

  test.each([true, false])("400 DELETION_PROTECTION_ENABLED, direct %s, and nothing is lost", async (direct) => {
    const { call, device, get, protect, read } = await arrange()
    const id = await device({ direct })
    await read(id, { at })
    await protect()
    expectError(await call("DELETE", `/v1/devices/${id}`), 400, "DELETION_PROTECTION_ENABLED")
    expect((await get(`/v1/devices/${id}`)).body.lastOnlineAt).toBe(at.toISOString())
    expect(await kept(id)).toHaveLength(1)
  })

  test("404 DEVICE_NOT_FOUND, also the second time, protected or not", async () => {
    const { call, device, protect } = await arrange()
    const [plain, direct] = [await device({ direct: false }), await device({ direct: true })]
    const foreign = await (await arrange()).device()
    for (const id of [plain, direct]) expect((await call("DELETE", `/v1/devices/${id}`)).status).toBe(204)
    for (const id of [plain, direct, foreign, nobody, "short"]) {
      expectError(await call("DELETE", `/v1/devices/${id}`), 404, "DEVICE_NOT_FOUND")
    }
    await protect()
    expectError(await call("DELETE", `/v1/devices/${plain}`), 404, "DEVICE_NOT_FOUND")
  })

  test("204 of a workspace deletes all histories in it", async () => {
    const { device, organizationId, read, workspaceId } = await arrange()
    const manager = await arrange(organizationId)
    const id = await device()
    await read(id, { at })
    expect((await manager.call("DELETE", `/v1/workspaces/${workspaceId}`, undefined, "MANAGEMENT")).status).toBe(204)
    await isForgotten(id)
  })
})
