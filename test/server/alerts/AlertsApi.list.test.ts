import { Ids } from "@edp/server/platform/Ids"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { expectError } from "../../support/expectError.ts"
import { seedSite } from "../../support/Seed.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeAlerts } from "./arrangeAlerts.ts"

const app = useTestApp({ own: true })
const arrange = () => arrangeAlerts(app)

type Arranged = Awaited<ReturnType<typeof arrange>>

const listIds = async ({ call }: Arranged, path: string): Promise<ReadonlyArray<string>> => {
  const { status, body } = await call("GET", path)
  expect(status).toBe(200)
  expect(body.totalItems).toBe(body.data.length)
  return body.data.map((alert: { id: string }) => alert.id)
}

/** An alert as an adapter will raise it: with an identifier of its own, at a time of its own. */
const insertAt = async ({ workspaceId, site }: Arranged, time: string, externalId: string | null = null) => {
  const id = await app.run(Effect.map(Ids, (ids) => ids.nextAt(Date.parse(time))))
  await app.sql(
    (
      sql
    ) => sql`INSERT INTO alerts (id, workspace_id, external_id, source_system, type, severity, status, title, site_id,
        occurrence_count, last_occurred_at, created_at, updated_at)
      VALUES (${id}, ${workspaceId}, ${externalId}, 'adapter', 'UNKNOWN', 'INFO', 'OPEN', 'Raised', ${site.id}, 1,
        ${new Date(time)}, ${new Date(time)}, ${new Date(time)})`
  )
  return id
}

describe("GET /v1/alerts", () => {
  test("200 newest first, page by page, with exact totals", async () => {
    const arranged = await arrange()
    const made: Array<string> = []
    for (let n = 0; n < 5; n++) made.unshift((await arranged.create()).id)
    const page = (await arranged.call("GET", "/v1/alerts?page=2&perPage=2")).body
    expect(page).toMatchObject({ page: 2, perPage: 2, totalItems: 5, totalPages: 3 })
    expect(page.data.map(({ id }: { id: string }) => id)).toEqual(made.slice(2, 4))
    expect((await arranged.call("GET", "/v1/alerts?page=1000&perPage=100")).body.data).toEqual([])
  })

  test("200 has ten alerts per page by default", async () => {
    const { create, call } = await arrange()
    for (let n = 0; n < 11; n++) await create()
    expect((await call("GET", "/v1/alerts")).body).toMatchObject({
      page: 1,
      perPage: 10,
      totalItems: 11,
      totalPages: 2
    })
  })

  test("200 returns each alert as GET by id does", async () => {
    const { create, call } = await arrange()
    const alert = await create({ description: "Since noon" })
    expect((await call("GET", "/v1/alerts")).body.data).toEqual([alert])
  })

  test("200 lists only the workspace's own alerts, with any filter", async () => {
    const own = await arrange()
    const other = await arrange()
    const deviceId = await other.device()
    const foreign = await other.create({ deviceId })
    const filters = [`id=${foreign.id}`, `siteId=${foreign.siteId}`, `deviceId=${deviceId}`, "sourceSystem=night-watch"]
    for (const filter of ["", ...filters]) expect(await listIds(own, `/v1/alerts?${filter}`)).toEqual([])
  })

  test("200 applies each filter", async () => {
    const arranged = await arrange()
    const { create, device, call } = arranged
    const deviceId = await device()
    const other = await seedSite(app, arranged.keys.SERVER)
    const plain = await create()
    const matching = await create({
      siteId: other.id,
      severity: "CRITICAL",
      type: "SAFETY",
      sourceSystem: "automation"
    })
    const ofDevice = await create({ deviceId, severity: "INFO" })
    const external = await insertAt(arranged, new Date().toISOString(), "ext-1")
    await call("PATCH", `/v1/alerts/${matching.id}/resolve`)
    const expected = {
      [`id=${plain.id}`]: [plain.id],
      "externalId=ext-1": [external],
      "severity=CRITICAL": [matching.id],
      "status=RESOLVED": [matching.id],
      "type=SAFETY": [matching.id],
      [`siteId=${other.id}`]: [matching.id],
      [`deviceId=${deviceId}`]: [ofDevice.id],
      "sourceSystem=automation": [matching.id],
      [`manufacturerDeviceId=INV-${deviceId}`]: [ofDevice.id]
    }
    for (const [filter, ids] of Object.entries(expected)) {
      expect({ filter, ids: await listIds(arranged, `/v1/alerts?${filter}`) }).toEqual({ filter, ids })
    }
  })

  test("200 several values match any of them, repeated or comma-separated", async () => {
    const arranged = await arrange()
    const info = await arranged.create({ severity: "INFO" })
    const warning = await arranged.create({ severity: "WARNING" })
    const critical = await arranged.create({ severity: "CRITICAL" })
    await arranged.call("PATCH", `/v1/alerts/${info.id}/ignore`)
    await arranged.call("PATCH", `/v1/alerts/${critical.id}/resolve`)
    expect(await listIds(arranged, "/v1/alerts?severity=INFO,CRITICAL")).toEqual([critical.id, info.id])
    expect(await listIds(arranged, "/v1/alerts?severity=INFO&severity=WARNING")).toEqual([warning.id, info.id])
    expect(await listIds(arranged, "/v1/alerts?status=OPEN,RESOLVED&severity=CRITICAL,INFO")).toEqual([critical.id])
    expect(await listIds(arranged, "/v1/alerts?type=SAFETY,UNKNOWN")).toHaveLength(3)
  })

  test("200 combined filters must all match", async () => {
    const arranged = await arrange()
    await arranged.create({ severity: "CRITICAL" })
    const both = await arranged.create({ severity: "CRITICAL", sourceSystem: "automation" })
    await arranged.create({ sourceSystem: "automation" })
    expect(await listIds(arranged, "/v1/alerts?severity=CRITICAL&sourceSystem=automation")).toEqual([both.id])
  })

  test("200 from is included, to is excluded", async () => {
    const arranged = await arrange()
    const early = await insertAt(arranged, "2030-05-01T12:00:00.000Z")
    const late = await insertAt(arranged, "2030-05-01T12:00:00.001Z")
    const range = (from: string, to: string) =>
      listIds(arranged, `/v1/alerts?from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`)
    expect(await range("2030-05-01T12:00:00.000Z", "2030-05-01T12:00:00.002Z")).toEqual([late, early])
    expect(await range("2030-05-01T12:00:00.000Z", "2030-05-01T12:00:00.001Z")).toEqual([early])
    expect(await range("2030-05-01T12:00:00.001Z", "2100-01-01T00:00:00Z")).toEqual([late])
    expect(await range("2030-05-01T14:00:00.001+02:00", "9999-12-31T23:59:59Z")).toEqual([late])
    expect(await range("0001-01-01T00:00:00Z", "2030-05-01T12:00:00.000Z")).toEqual([])
  })

  test("200 an alert is in the range that starts at its createdAt and not in one that ends there", async () => {
    const arranged = await arrange()
    const { id, createdAt } = await arranged.create()
    const next = new Date(Date.parse(createdAt) + 1).toISOString()
    expect(await listIds(arranged, `/v1/alerts?from=${createdAt}&to=${next}`)).toEqual([id])
    expect(await listIds(arranged, `/v1/alerts?to=${createdAt}`)).toEqual([])
    expect(await listIds(arranged, `/v1/alerts?from=${next}`)).toEqual([])
  })

  test.each([
    ["severity=LOW", "severity.0"],
    ["status=OPEN,CLOSED", "status.1"],
    ["type=NOPE", "type.0"],
    ["from=yesterday", "from"],
    ["to=2026-13-01T00:00:00Z", "to"],
    ["page=0", "page"],
    ["page=1001", "page"],
    ["page=1.5", "page"],
    ["perPage=0", "perPage"],
    ["perPage=101", "perPage"],
    ["serverity=INFO", "serverity"],
    ["siteId=", "siteId.0"]
  ])("400 VALIDATION_ERROR for ?%s", async (query, field) => {
    const { call } = await arrange()
    expectError(await call("GET", `/v1/alerts?${query}`), 400, "VALIDATION_ERROR", { [field]: expect.any(String) })
  })
})

describe("GET /v1/devices/:id/alerts", () => {
  test("200 the device's alerts, newest first, in an envelope", async () => {
    const { create, device, call } = await arrange()
    const deviceId = await device()
    const first = await create({ deviceId })
    const second = await create({ deviceId })
    await create()
    await create({ deviceId: await device() })
    const { status, body } = await call("GET", `/v1/devices/${deviceId}/alerts`)
    expect(status).toBe(200)
    expect(body).toEqual({ data: [second, first], page: 1, perPage: 10, totalItems: 2, totalPages: 1 })
  })

  test("200 with the filters of all alerts, including a contradictory deviceId", async () => {
    const arranged = await arrange()
    const deviceId = await arranged.device()
    const critical = await arranged.create({ deviceId, severity: "CRITICAL" })
    const info = await arranged.create({ deviceId, severity: "INFO" })
    const path = `/v1/devices/${deviceId}/alerts`
    expect(await listIds(arranged, `${path}?severity=CRITICAL`)).toEqual([critical.id])
    expect(await listIds(arranged, `${path}?deviceId=${deviceId}`)).toEqual([info.id, critical.id])
    expect(await listIds(arranged, `${path}?deviceId=${await arranged.device()}`)).toEqual([])
  })

  test("200 a SCOPED key for a device of its user", async () => {
    const { create, device, keys } = await arrange()
    const deviceId = await device({ referenceId: "user-1" })
    const { id } = await create({ deviceId })
    const { status, body } = await app.call("GET", `/v1/devices/${deviceId}/alerts`, { key: keys.SCOPED })
    expect([status, body.data.map((alert: { id: string }) => alert.id)]).toEqual([200, [id]])
  })

  test("403 FORBIDDEN a SCOPED key for another user's device of its workspace", async () => {
    const { device, keys } = await arrange()
    const response = await app.call("GET", `/v1/devices/${await device({ referenceId: "user-2" })}/alerts`, {
      key: keys.SCOPED
    })
    expectError(response, 403, "FORBIDDEN")
  })

  test("404 DEVICE_NOT_FOUND for a device of another workspace, even of a user with the same name", async () => {
    const { keys } = await arrange()
    const foreign = await (await arrange()).device({ referenceId: "user-1" })
    for (const key of [keys.SERVER, keys.SCOPED]) {
      for (const id of [foreign, `c${"0".repeat(24)}`, "x"]) {
        expectError(await app.call("GET", `/v1/devices/${id}/alerts`, { key }), 404, "DEVICE_NOT_FOUND")
      }
    }
  })

  test("400 VALIDATION_ERROR before the device is read", async () => {
    const { call } = await arrange()
    const response = await call("GET", `/v1/devices/x/alerts?status=NOPE&page=0`)
    expectError(response, 400, "VALIDATION_ERROR", { "status.0": expect.any(String), page: expect.any(String) })
  })
})

test("an alert keeps its siteId and its device's name after both are deleted", async () => {
  const { create, device, call, site } = await arrange()
  const deviceId = await device({ name: "Roof inverter" })
  const { id } = await create({ deviceId })
  expect((await call("DELETE", `/v1/sites/${site.id}`)).status).toBe(204)
  await app.sql((sql) => sql`DELETE FROM devices WHERE id = ${deviceId}`)
  expect((await call("GET", `/v1/alerts/${id}`)).body).toMatchObject({
    siteId: site.id,
    deviceId,
    deviceName: "Roof inverter"
  })
})
