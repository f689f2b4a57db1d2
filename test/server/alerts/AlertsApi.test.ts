import { alertSubtypes, alertTypes } from "@edp/domain/alerts/Alert"
import { describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { expectError } from "../../support/expectError.ts"
import { seedSite } from "../../support/Seed.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeAlerts } from "./arrangeAlerts.ts"

const app = useTestApp()
const workspaceKeys = ["SERVER", "API"] as const

describeKeyChecks(app, [
  { method: "GET", path: "/v1/alerts", allowed: workspaceKeys },
  { method: "POST", path: "/v1/alerts", allowed: workspaceKeys },
  { method: "GET", path: "/v1/alerts/any", allowed: workspaceKeys },
  { method: "PATCH", path: "/v1/alerts/any/acknowledge", allowed: workspaceKeys },
  { method: "PATCH", path: "/v1/alerts/any/ignore", allowed: workspaceKeys },
  { method: "PATCH", path: "/v1/alerts/any/resolve", allowed: workspaceKeys },
  { method: "GET", path: "/v1/devices/any/alerts", allowed: ["SERVER", "API", "SCOPED"] }
])

const nobody = `c${"0".repeat(24)}`
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

const arrange = () => arrangeAlerts(app)

describe("POST /v1/alerts", () => {
  test("201 starts OPEN with one occurrence, and null for unknown fields", async () => {
    const { call, input, workspaceId } = await arrange()
    const { status, body } = await call("POST", "/v1/alerts", input)
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^c[0-9a-z]{24}$/),
      externalId: null,
      sourceSystem: "night-watch",
      alertType: null,
      type: "UNKNOWN",
      subtype: null,
      providerCode: null,
      providerName: null,
      severity: "WARNING",
      status: "OPEN",
      title: "Inverter does not respond",
      description: null,
      deviceId: null,
      siteId: input.siteId,
      workspaceId,
      occurrenceCount: 1,
      lastOccurredAt: moment,
      createdAt: moment,
      updatedAt: moment,
      acknowledgedAt: null,
      ignoredAt: null,
      resolvedAt: null,
      acknowledgedBy: null,
      ignoredBy: null,
      resolvedBy: null,
      snoozedUntil: null,
      manufacturer: null,
      manufacturerDeviceId: null,
      deviceName: null,
      deviceType: null,
      deviceModel: null,
      deviceSerialNumber: null
    })
    expect([body.updatedAt, body.lastOccurredAt]).toEqual([body.createdAt, body.createdAt])
    expect((await call("GET", `/v1/alerts/${body.id}`)).body).toEqual(body)
  })

  test("201 stores every given field, and adds those of the device", async () => {
    const { create, device } = await arrange()
    const deviceId = await device({ name: "Roof inverter", serialNumber: "SN-1" })
    const given = {
      deviceId,
      description: "",
      type: "COMMUNICATIONS",
      subtype: "INVERTER_COMMS",
      alertType: "comms",
      providerName: "Night watch",
      providerCode: "E-17",
      severity: "CRITICAL"
    }
    expect(await create(given)).toMatchObject({
      ...given,
      manufacturer: "generic",
      manufacturerDeviceId: `INV-${deviceId}`,
      deviceName: "Roof inverter",
      deviceType: "inverter",
      deviceModel: "Generic inverter",
      deviceSerialNumber: "SN-1"
    })
  })

  test("201 for every type and subtype", async () => {
    const { create } = await arrange()
    for (const type of alertTypes) expect((await create({ type })).type).toBe(type)
    for (const subtype of alertSubtypes) expect((await create({ subtype })).subtype).toBe(subtype)
  })

  test("201 treats null like an absent optional field", async () => {
    const { create } = await arrange()
    const body = await create({ deviceId: null, subtype: null, description: null, alertType: null, providerCode: null })
    expect([body.status, body.deviceId, body.subtype]).toEqual(["OPEN", null, null])
  })

  test("201 renaming a device does not change the alert", async () => {
    const { create, device, call } = await arrange()
    const deviceId = await device({ name: "Before" })
    const { id } = await create({ deviceId })
    await app.sql((sql) => sql`UPDATE devices SET name = 'After' WHERE id = ${deviceId}`)
    expect((await call("GET", `/v1/alerts/${id}`)).body.deviceName).toBe("Before")
  })

  test("201 ignores read-only fields", async () => {
    const { create, workspaceId } = await arrange()
    const forged = {
      id: nobody,
      workspaceId: nobody,
      status: "RESOLVED",
      createdAt: "2000-01-01T00:00:00.000Z",
      externalId: "forged",
      resolvedBy: "forged",
      manufacturer: "forged",
      occurrenceCount: 99
    }
    const body = await create(forged)
    expect(body).toMatchObject({ workspaceId, status: "OPEN", externalId: null, resolvedBy: null, occurrenceCount: 1 })
    expect(body.id).not.toBe(forged.id)
    expect(body.createdAt).not.toBe(forged.createdAt)
    expect(body.manufacturer).toBeNull()
  })

  test("201 creates a new alert each time", async () => {
    const { create, call } = await arrange()
    await create()
    await create()
    expect((await call("GET", "/v1/alerts")).body.totalItems).toBe(2)
  })

  test("400 VALIDATION_ERROR lists all missing fields", async () => {
    const { call } = await arrange()
    const details = Object.fromEntries(
      ["siteId", "title", "sourceSystem", "severity"].map((field) => [field, expect.any(String)])
    )
    expectError(await call("POST", "/v1/alerts", {}), 400, "VALIDATION_ERROR", details)
  })

  test.each([
    ["severity", "LOW"],
    ["severity", null],
    ["type", "NOPE"],
    ["type", null],
    ["subtype", "NOPE"],
    ["title", ""],
    ["title", "x".repeat(501)],
    ["sourceSystem", ""],
    ["description", 7],
    ["providerCode", "x".repeat(256)],
    ["siteId", 7],
    ["deviceId", ""]
  ])("400 VALIDATION_ERROR for the %s %j", async (field, value) => {
    const { call, input } = await arrange()
    const response = await call("POST", "/v1/alerts", { ...input, [field]: value })
    expectError(response, 400, "VALIDATION_ERROR", { [field]: expect.any(String) })
  })

  test("400 VALIDATION_ERROR for a device at another site or without a site", async () => {
    const { call, input, device, keys } = await arrange()
    const elsewhere = await seedSite(app, keys.SERVER)
    for (const siteId of [elsewhere.id, null]) {
      const response = await call("POST", "/v1/alerts", { ...input, deviceId: await device({ siteId }) })
      expectError(response, 400, "VALIDATION_ERROR", { deviceId: expect.any(String) })
    }
  })

  test("404 SITE_NOT_FOUND for a site that does not exist", async () => {
    const { call, input } = await arrange()
    for (const siteId of [nobody, "x"]) {
      expectError(await call("POST", "/v1/alerts", { ...input, siteId }), 404, "SITE_NOT_FOUND")
    }
  })

  test("404 SITE_NOT_IN_WORKSPACE for a site of another workspace", async () => {
    const { call, input } = await arrange()
    const other = await arrange()
    expectError(await call("POST", "/v1/alerts", { ...input, siteId: other.site.id }), 404, "SITE_NOT_IN_WORKSPACE")
  })

  test("404 DEVICE_NOT_FOUND for an unknown device, and for one of another workspace", async () => {
    const { call, input } = await arrange()
    const foreign = await (await arrange()).device()
    for (const deviceId of [nobody, "x", foreign]) {
      expectError(await call("POST", "/v1/alerts", { ...input, deviceId }), 404, "DEVICE_NOT_FOUND")
    }
    expect((await call("GET", "/v1/alerts")).body.totalItems).toBe(0)
  })
})

describe("GET /v1/alerts/:id", () => {
  test("200 returns the alert", async () => {
    const { create, call } = await arrange()
    const alert = await create()
    expect(await call("GET", `/v1/alerts/${alert.id}`)).toMatchObject({ status: 200, body: alert })
  })

  test("404 NOT_FOUND for an alert of another workspace as for an unknown one", async () => {
    const { call } = await arrange()
    const foreign = await (await arrange()).create()
    for (const id of [foreign.id, nobody, "x", "%00"]) {
      expectError(await call("GET", `/v1/alerts/${id}`), 404, "NOT_FOUND")
    }
  })
})

const moves = [
  { move: "acknowledge", status: "ACKNOWLEDGED", at: "acknowledgedAt", by: "acknowledgedBy" },
  { move: "ignore", status: "IGNORED", at: "ignoredAt", by: "ignoredBy" },
  { move: "resolve", status: "RESOLVED", at: "resolvedAt", by: "resolvedBy" }
] as const

describe.each(moves)("PATCH /v1/alerts/:id/$move", ({ move, status, at, by }) => {
  test(`200 ${status}, with the time and the key; nothing else changes`, async () => {
    const { create, call } = await arrange()
    const alert = await create()
    const moved = await call("PATCH", `/v1/alerts/${alert.id}/${move}`)
    expect(moved.status).toBe(200)
    const keyId = moved.body[by]
    expect(moved.body).toEqual({ ...alert, status, [at]: moved.body.updatedAt, [by]: keyId, updatedAt: moment })
    expect(moved.body.updatedAt >= alert.updatedAt).toBe(true)
    expect(keyId).toMatch(/^c[0-9a-z]{24}$/)
    expect((await call("GET", `/v1/alerts/${alert.id}`)).body).toEqual(moved.body)
  })

  test("200 records the key's owner if it has one, else the key", async () => {
    const { create, organizationId, workspaceId } = await arrange()
    const { id: keyId, key } = await app.key({ organizationId, workspaceId }, "SERVER")
    const { id } = await create()
    expect((await app.call("PATCH", `/v1/alerts/${id}/${move}`, { key })).body[by]).toBe(keyId)
    await app.sql((sql) => sql`UPDATE api_keys SET owner_id = 'user-7' WHERE id = ${keyId}`)
    expect((await app.call("PATCH", `/v1/alerts/${id}/${move}`, { key })).body[by]).toBe("user-7")
  })

  test.each([...moves])("200 from $status, whose time and actor are kept", async (former) => {
    const { create, call } = await arrange()
    const { id } = await create()
    const before = (await call("PATCH", `/v1/alerts/${id}/${former.move}`)).body
    const after = (await call("PATCH", `/v1/alerts/${id}/${move}`)).body
    expect(after.status).toBe(status)
    expect(after[at]).toBe(after.updatedAt)
    if (former.status !== status) {
      expect([after[former.at], after[former.by]]).toEqual([before[former.at], before[former.by]])
    }
  })

  test("200 repeating it updates the time", async () => {
    const { create, call } = await arrange()
    const { id } = await create()
    await call("PATCH", `/v1/alerts/${id}/${move}`)
    await app.sql(
      (
        sql
      ) => sql`UPDATE alerts SET acknowledged_at = '2020-01-01', ignored_at = '2020-01-01', resolved_at = '2020-01-01'
        WHERE id = ${id}`
    )
    const again = (await call("PATCH", `/v1/alerts/${id}/${move}`)).body
    expect(again.status).toBe(status)
    expect(again[at]).toBe(again.updatedAt)
  })

  test("200 without a pause ends an earlier one", async () => {
    const { create, call } = await arrange()
    const { id } = await create()
    await call("PATCH", `/v1/alerts/${id}/acknowledge`, { snoozeUntil: "2100-01-01T00:00:00Z" })
    expect((await call("PATCH", `/v1/alerts/${id}/${move}`)).body.snoozedUntil).toBeNull()
  })

  test("200 ignores fields that the caller may not set", async () => {
    const { create, call, workspaceId } = await arrange()
    const { id } = await create()
    const body = { status: "OPEN", [by]: "forged", [at]: "2000-01-01T00:00:00Z", workspaceId: nobody, title: "forged" }
    const moved = (await call("PATCH", `/v1/alerts/${id}/${move}`, body)).body
    expect(moved).toMatchObject({ status, workspaceId, title: "Inverter does not respond" })
    expect(moved[by]).not.toBe("forged")
    expect(moved[at]).toBe(moved.updatedAt)
  })

  test("404 NOT_FOUND for an alert of another workspace, which keeps its status", async () => {
    const { call } = await arrange()
    const other = await arrange()
    const foreign = await other.create()
    for (const id of [foreign.id, nobody, "x"]) {
      expectError(await call("PATCH", `/v1/alerts/${id}/${move}`), 404, "NOT_FOUND")
    }
    expect((await other.call("GET", `/v1/alerts/${foreign.id}`)).body.status).toBe("OPEN")
  })
})

describe("PATCH /v1/alerts/:id/acknowledge with snoozeUntil", () => {
  test("200 pauses until that instant, in any UTC offset", async () => {
    const { create, call } = await arrange()
    const { id } = await create()
    const { status, body } = await call("PATCH", `/v1/alerts/${id}/acknowledge`, {
      snoozeUntil: "2100-01-01T01:30:00.5+01:30"
    })
    expect([status, body.snoozedUntil]).toEqual([200, "2100-01-01T00:00:00.500Z"])
  })

  test("200 null sets no pause", async () => {
    const { create, call } = await arrange()
    const { id } = await create()
    expect((await call("PATCH", `/v1/alerts/${id}/acknowledge`, { snoozeUntil: null })).body.snoozedUntil).toBeNull()
  })

  test("400 VALIDATION_ERROR for a body that is not a JSON object", async () => {
    const { create, call } = await arrange()
    const { id } = await create()
    for (const body of ["{bad", [], "null"]) {
      const response = await call("PATCH", `/v1/alerts/${id}/acknowledge`, body)
      expectError(response, 400, "VALIDATION_ERROR", { body: expect.any(String) })
    }
  })

  test.each([["2020-01-01T00:00:00Z"], ["tomorrow"], ["2100-01-01"], [7], [""]])(
    "400 VALIDATION_ERROR for %j, and the alert stays OPEN",
    async (snoozeUntil) => {
      const { create, call } = await arrange()
      const { id } = await create()
      const response = await call("PATCH", `/v1/alerts/${id}/acknowledge`, { snoozeUntil })
      expectError(response, 400, "VALIDATION_ERROR", { snoozeUntil: expect.any(String) })
      expect((await call("GET", `/v1/alerts/${id}`)).body.status).toBe("OPEN")
    }
  )
})
