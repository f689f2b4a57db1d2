import { describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../../support/describeKeyChecks.ts"
import { expectError } from "../../../support/expectError.ts"
import { seedSite } from "../../../support/Seed.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeDirect, someDevice } from "./arrangeDirect.ts"

const app = useTestApp()
const nobody = `c${"0".repeat(24)}`
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

describeKeyChecks(app, [
  { method: "POST", path: "/devices", allowed: ["MANUFACTURER"] },
  { method: "POST", path: "/v1/devices", allowed: ["MANUFACTURER"] }
])

describe("POST /devices", () => {
  test("201 with required fields only has name and static state of the model, and its own id as reference", async () => {
    const { makeBody, post, site, findModel, read } = await arrangeDirect(app)
    const given = await makeBody("inverter")
    const { status, body } = await post("/devices", given)
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^c[0-9a-z]{24}$/),
      siteId: site.id,
      name: (await findModel("inverter")).name,
      manufacturerDeviceId: given.manufacturerDeviceId,
      serialNumber: null,
      referenceId: body.id,
      manufacturer: "generic",
      type: "inverter",
      model: (await findModel("inverter")).name,
      rawType: null,
      rawModel: null,
      modelYear: null,
      state: {},
      location: { address: expect.objectContaining({ city: "Sacramento" }), coordinates: expect.anything() },
      availableCommands: [],
      interventions: [],
      tags: [],
      createdAt: moment,
      updatedAt: body.createdAt,
      connectedAt: body.createdAt,
      disconnectedAt: null,
      onlineStatus: "unknown",
      lastOnlineAt: null
    })
    expect((await read(`/v1/devices/${body.id}`)).body).toEqual(body)
  })

  test("201 with every field, and its own static state", async () => {
    const { post, makeBody, read } = await arrangeDirect(app)
    const given = await makeBody("battery", {
      serialNumber: "SN-1",
      name: "Garage",
      referenceId: "user-7",
      tags: ["pilot", "garage", "pilot"],
      staticState: { capacity: 13_500, maxChargeRate: 5000, colour: "white" }
    })
    const { status, body } = await post("/devices", given)
    expect(status).toBe(201)
    expect(body).toMatchObject({
      serialNumber: "SN-1",
      name: "Garage",
      referenceId: "user-7",
      tags: ["pilot", "garage"],
      // Unknown fields are ignored.
      staticState: { capacity: 13_500, maxChargeRate: 5000 }
    })
    expect(body.staticState).not.toHaveProperty("colour")
    expect((await read(`/v1/devices/${body.id}`)).body).toEqual(body)
  })

  test("201 copies the static state and the commands of the model", async () => {
    const { post, makeBody, findModel } = await arrangeDirect(app)
    const { id } = await findModel("battery")
    await app.sql((sql) => sql`UPDATE device_models SET static_state = '{"capacity": 10000}' WHERE id = ${id}`)
    const { body } = await post("/devices", await makeBody("battery"))
    await app.sql((sql) => sql`UPDATE device_models SET static_state = NULL WHERE id = ${id}`)
    expect(body.staticState).toEqual({ capacity: 10_000 })
    expect(body.availableCommands.map(({ slug }: { slug: string }) => slug)).toEqual(
      (await findModel("battery")).commands
    )
  })

  test("200 returns the stored device if every field equals the last provisioning", async () => {
    const { post, makeBody } = await arrangeDirect(app)
    const given = await makeBody("battery", {
      serialNumber: null,
      name: "Garage",
      tags: ["a", "b"],
      staticState: { capacity: 13_500, maxChargeRate: 5000 }
    })
    const first = await post("/devices", given)
    const again = await post("/devices", {
      ...given,
      tags: ["b", "a"],
      staticState: { maxChargeRate: 5000, capacity: 13_500 }
    })
    expect([first.status, again.status]).toEqual([201, 200])
    expect(again.body).toEqual(first.body)
  })

  test("200 does not compare an absent field, and stores its default", async () => {
    const { post, makeBody, findModel } = await arrangeDirect(app)
    const given = await makeBody("inverter", { serialNumber: "SN-1", tags: ["pilot"] })
    const { body } = await post("/devices", given)
    const { serialNumber: _, tags: __, ...less } = given as any
    expect((await post("/devices", less)).status).toBe(200)
    const defaults = { ...given, name: (await findModel("inverter")).name, referenceId: body.id }
    expect((await post("/devices", defaults)).status).toBe(200)
  })

  test("200 for a retry after an operator has changed the device", async () => {
    const { post, makeBody, keys } = await arrangeDirect(app)
    const given = await makeBody("inverter", { name: "Roof", tags: ["pilot"] })
    const { body } = await post("/devices", given)
    const change = { name: "My roof", tags: [], referenceId: "somebody", siteId: null }
    await app.call("PATCH", `/v1/devices/${body.id}`, { key: keys.SERVER, body: change })
    const again = await post("/devices", given)
    expect(again.status).toBe(200)
    expect(again.body).toMatchObject(change)
  })

  test("201 creates another device for the same identifier in another workspace", async () => {
    const [one, other] = [await arrangeDirect(app), await arrangeDirect(app)]
    const manufacturerDeviceId = someDevice()
    const first = await one.device("inverter", { manufacturerDeviceId })
    const second = await other.device("inverter", { manufacturerDeviceId })
    expect(second.id).not.toBe(first.id)
  })

  test("201 with the same id associates a removed device again, without its history", async () => {
    const { device, remove, post, makeBody, push, history, site, keys, read } = await arrangeDirect(app)
    const before = await device("inverter", { name: "Roof", serialNumber: "SN-1", tags: ["pilot"] })
    await push(before.id, { state: { power: 1 } })
    expect((await remove(before.id)).status).toBe(204)
    const elsewhere = await seedSite(app, keys.SERVER)
    const { manufacturerDeviceId } = before
    const { status, body } = await post(
      "/devices",
      await makeBody("battery", { manufacturerDeviceId, siteId: elsewhere.id })
    )
    expect(status).toBe(201)
    expect(body).toMatchObject({
      id: before.id,
      siteId: elsewhere.id,
      type: "battery",
      serialNumber: null,
      tags: [],
      referenceId: before.id,
      state: {},
      disconnectedAt: null,
      createdAt: before.createdAt
    })
    expect(Date.parse(body.connectedAt)).toBeGreaterThan(Date.parse(before.connectedAt))
    expect(await history(before.id)).toEqual([])
    expect((await read(`/v1/devices/${before.id}`)).body).toEqual(body)
    expect(site.id).not.toBe(elsewhere.id)
  })

  test("400 VALIDATION_ERROR lists all invalid fields", async () => {
    const { post } = await arrangeDirect(app)
    const body = { manufacturerDeviceId: "", siteId: 1, name: "", tags: ["a,b"], staticState: [] }
    expectError(await post("/devices", body), 400, "VALIDATION_ERROR", {
      manufacturerDeviceId: "Must be a string of 1 to 255 characters",
      deviceModelId: "Is required",
      siteId: "Must be a string of 1 to 100 characters",
      name: "Must be a string of 1 to 255 characters",
      "tags.0": "Must be a tag: 1 to 100 characters without commas, neither . nor ..",
      staticState: expect.any(String)
    })
  })

  test("400 VALIDATION_ERROR for a static state that does not match the model's type", async () => {
    const { post, makeBody } = await arrangeDirect(app)
    const given = await makeBody("battery", { siteId: nobody, staticState: { capacity: 0, maxChargeRate: "x" } })
    expectError(await post("/devices", given), 400, "VALIDATION_ERROR", {
      "staticState.capacity": "Must be a number above 0",
      "staticState.maxChargeRate": "Must be a number above 0"
    })
  })

  test.each([nobody, "nonsense"])(
    "400 DEVICE_MODEL_NOT_FOUND for the model %s, before the site is checked",
    async (id) => {
      const { provision } = await arrangeDirect(app)
      expectError(await provision({ deviceModelId: id, siteId: nobody }), 400, "DEVICE_MODEL_NOT_FOUND")
    }
  )

  test("404 SITE_NOT_FOUND for a missing site, and for one of another workspace", async () => {
    const { provision } = await arrangeDirect(app)
    const foreign = await arrangeDirect(app)
    for (const siteId of [nobody, "nonsense", foreign.site.id]) {
      expectError(await provision({ siteId }), 404, "SITE_NOT_FOUND")
    }
  })

  test("404 SITE_NOT_FOUND takes precedence over 403, and 403 DEVICE_MODEL_MANUFACTURER_MISMATCH over 409", async () => {
    const { key, post, makeBody, ...place } = await arrangeDirect(app)
    const given = await makeBody("inverter", { name: "Roof" })
    await post("/devices", given)
    const { key: simulator } = await app.key(place, "MANUFACTURER", { scope: ["simulator"] })
    expectError(await post("/devices", { ...given, siteId: nobody }, simulator), 404, "SITE_NOT_FOUND")
    const mismatch = await post("/devices", { ...given, name: "Shed" }, simulator)
    expectError(mismatch, 403, "DEVICE_MODEL_MANUFACTURER_MISMATCH")
    expect((await post("/devices", given, key)).status).toBe(200)
  })

  test("409 PARAMETER_MISMATCH lists the differing fields in order", async () => {
    const { post, makeBody, findModel, keys } = await arrangeDirect(app)
    const given = await makeBody("inverter")
    await post("/devices", given)
    const elsewhere = await seedSite(app, keys.SERVER)
    const different = {
      staticState: { power: 5000 },
      tags: ["pilot"],
      referenceId: "user-1",
      name: "Roof",
      serialNumber: "SN-1",
      siteId: elsewhere.id,
      deviceModelId: (await findModel("meter")).id
    }
    const mismatched = await post("/devices", { ...given, ...different, staticState: { power: 1 } })
    expect({ status: mismatched.status, body: mismatched.body }).toEqual({
      status: 409,
      body: {
        code: "PARAMETER_MISMATCH",
        message: expect.any(String),
        mismatchedFields: ["deviceModelId", "siteId", "serialNumber", "name", "referenceId", "tags", "staticState"]
      }
    })
    expect((await post("/devices", { ...given, serialNumber: "SN-1" })).body.mismatchedFields).toEqual(["serialNumber"])
  })

  test("404 NOT_FOUND for other methods, with the allowed ones", async () => {
    const { key } = await arrangeDirect(app)
    const response = await app.call("GET", "/devices", { key })
    expectError(response, 404, "NOT_FOUND")
    expect(response.headers.get("allow")).toBe("POST")
  })
})

describe("POST /v1/devices", () => {
  test("is the same endpoint, on the path of the device list", async () => {
    const { makeBody, key, keys, read } = await arrangeDirect(app)
    const given = await makeBody("inverter")
    const created = await app.call("POST", "/v1/devices", { key, body: given })
    expect(created.status).toBe(201)
    const again = await app.call("POST", "/devices", { key, body: given })
    expect([again.status, again.body]).toEqual([200, created.body])
    expect((await read("/v1/devices")).body.data).toEqual([created.body])
    expectError(await app.call("POST", "/v1/devices", { key: keys.SERVER, body: given }), 401, "UNAUTHENTICATED")
    expectError(await app.call("POST", "/v1/devices", { key, body: {} }), 400, "VALIDATION_ERROR", {
      manufacturerDeviceId: "Is required",
      deviceModelId: "Is required",
      siteId: "Is required"
    })
  })

  test("is not in the OpenAPI document", async () => {
    const { paths } = (await app.call("GET", "/v1/docs/swagger.json")).body
    expect(Object.keys(paths["/v1/devices"])).toEqual(["get"])
    expect(paths).not.toHaveProperty("/v1/devices/{id}/telemetry")
    expect(paths["/devices"]).toHaveProperty("post")
  })
})
