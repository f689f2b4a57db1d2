import { describe, expect, test } from "vitest"
import { expectError } from "../../../support/expectError.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { moment, nobody } from "../../devices/arrangeDevices.ts"
import { arrangeBatches } from "../arrangeBatches.ts"

const app = useTestApp()

const oneOnly = "Exactly one of deviceIds, tag, collectionId and siteId must be given"

describe("a batch", () => {
  test("stores a command for each device that can execute it, and lists the others with the reason", async () => {
    const { battery, commands, created, device } = await arrangeBatches(app)
    const other = await arrangeBatches(app)
    const able = [await battery(), await battery()].toSorted()
    const inverter = await device()
    const disconnected = await battery({ disconnectedAt: new Date() })
    const foreign = await other.battery()
    const batch = await created({ deviceIds: [...able, able[0], inverter, disconnected, foreign, nobody] })
    expect(batch).toEqual({
      id: expect.any(String),
      status: "pending",
      type: "battery:set-reserve",
      input: { chargePercentage: 30 },
      total: 2,
      counts: { pending: 2, scheduled: 0, delivered: 0, completed: 0, failed: 0 },
      reasons: {},
      skipped: [
        { deviceId: inverter, code: "INVALID_STATE" },
        { deviceId: disconnected, code: "INVALID_STATE" },
        { deviceId: foreign, code: "DEVICE_NOT_FOUND" },
        { deviceId: nobody, code: "DEVICE_NOT_FOUND" }
      ],
      skippedTotal: 4,
      aborted: false,
      createdAt: moment
    })
    const stored = await commands(batch.id)
    expect(stored.map(({ deviceId }) => deviceId)).toEqual(able)
    expect(stored[0]).toMatchObject({ status: "pending", source: "user", batchId: batch.id, issuedAt: batch.createdAt })
  })

  test("skips devices whose limits the input exceeds", async () => {
    const { created, device } = await arrangeBatches(app)
    const thermostat = (maxHeatSetpoint: number) =>
      device({ type: "thermostat", commands: ["thermostat:set-operating-mode"], staticState: { maxHeatSetpoint } })
    const [wide, narrow] = [await thermostat(90), await thermostat(70)]
    const batch = await created({
      deviceIds: [wide, narrow],
      type: "thermostat:set-operating-mode",
      input: { operatingMode: "heat", heatTarget: 75 }
    })
    expect(batch).toMatchObject({ total: 1, skipped: [{ deviceId: narrow, code: "VALIDATION_ERROR" }] })
  })

  test("skips devices that take no target power, and those for which it is too great", async () => {
    const { battery, commands, created } = await arrangeBatches(app)
    const rated = (maxChargeRate: number, takesTargetPower: boolean) =>
      battery({ staticState: { capacity: 10_000, maxChargeRate, takesTargetPower } })
    const [able, small, simple] = [await rated(5000, true), await rated(2000, true), await rated(5000, false)]
    const batch = await created({
      deviceIds: [able, small, simple],
      type: "battery:set-operating-mode",
      input: { operatingMode: "charge", targetPowerW: 3000 }
    })
    expect(batch.skipped).toEqual([
      { deviceId: small, code: "VALIDATION_ERROR" },
      { deviceId: simple, code: "VALIDATION_ERROR" }
    ])
    expect(await commands(batch.id)).toMatchObject([{ deviceId: able, input: { targetPowerW: 3000 } }])
  })

  test("selects the devices of a tag", async () => {
    const { batteries, battery, commands, created } = await arrangeBatches(app)
    const tagged = await batteries(3, { tags: ["pilot"] })
    await battery({ tags: ["other"] })
    const batch = await created({ tag: "pilot" })
    expect((await commands(batch.id)).map(({ deviceId }) => deviceId).toSorted()).toEqual(tagged.toSorted())
  })

  test("selects the devices of a site, which must exist in the workspace", async () => {
    const { battery, commands, create, created, site } = await arrangeBatches(app)
    const other = await arrangeBatches(app)
    const { id: siteId } = await site()
    const atSite = await battery({ siteId })
    await battery()
    const batch = await created({ siteId })
    expect((await commands(batch.id)).map(({ deviceId }) => deviceId)).toEqual([atSite])
    expectError(await other.create({ siteId }), 404, "SITE_NOT_FOUND")
    expectError(await create({ siteId: nobody }), 404, "SITE_NOT_FOUND")
  })

  test("selects the members of a collection of devices, live, materialized or chosen individually", async () => {
    const { battery, call, commands, created } = await arrangeBatches(app)
    const [one, another] = [await battery({ tags: ["pilot"], name: "one" }), await battery({ tags: ["pilot"] })]
    const collection = async (name: string, fields: object) => {
      const response = await call("POST", "/v1/collections", { name, collectionType: "DEVICE", ...fields })
      return response.body.id as string
    }
    const members = async (collectionId: string) => {
      const batch = await created({ collectionId })
      return (await commands(batch.id)).map(({ deviceId }) => deviceId).toSorted()
    }
    const tagged = { attribute: "tags", operator: "contains", value: "pilot" }
    const named = { attribute: "name", operator: "eq", value: "one" }
    const both = [one, another].toSorted()
    expect(await members(await collection("live", { criteria: tagged }))).toEqual(both)
    expect(await members(await collection("narrow", { criteria: { all: [tagged, named] } }))).toEqual([one])
    expect(await members(await collection("kept", { criteria: tagged, dynamic: false }))).toEqual(both)
    const chosen = await collection("chosen", { criteria: {}, dynamic: false })
    await call("PUT", `/v1/collections/${chosen}/members/${another}`)
    expect(await members(chosen)).toEqual([another])
  })

  test("refuses a collection of sites and one of another workspace", async () => {
    const { call, create } = await arrangeBatches(app)
    const other = await arrangeBatches(app)
    const { id } = (await call("POST", "/v1/collections", { name: "Sites", collectionType: "SITE", criteria: {} })).body
    const message = "Must be a collection of devices"
    expectError(await create({ collectionId: id }), 400, "VALIDATION_ERROR", { collectionId: message })
    expectError(await other.create({ collectionId: id }), 404, "COLLECTION_NOT_FOUND")
  })

  test("needs exactly one field that selects devices", async () => {
    const { create } = await arrangeBatches(app)
    expectError(await create({}), 400, "VALIDATION_ERROR", {
      deviceIds: oneOnly,
      tag: oneOnly,
      collectionId: oneOnly,
      siteId: oneOnly
    })
    expectError(await create({ tag: "pilot", siteId: nobody }), 400, "VALIDATION_ERROR", {
      tag: oneOnly,
      siteId: oneOnly
    })
  })

  test("names what is wrong with its input, its times and its fields", async () => {
    const { battery, create, inMinutes } = await arrangeBatches(app)
    const deviceIds = [await battery()]
    expectError(await create({ deviceIds, input: { chargePercentage: 101 } }), 400, "VALIDATION_ERROR", {
      "input.chargePercentage": expect.any(String)
    })
    expectError(await create({ deviceIds, scheduledFor: inMinutes(-1) }), 400, "VALIDATION_ERROR", {
      scheduledFor: "Must be in the future"
    })
    expectError(await create({ deviceIds, revertAfter: 600 }), 400, "VALIDATION_ERROR", {
      revertAfter: expect.any(String)
    })
    expectError(
      await create({ deviceIds, maxPerMinute: 0, abortWhen: { failedPercent: 0 } }),
      400,
      "VALIDATION_ERROR",
      {
        maxPerMinute: "Must be an integer from 1 to 100000",
        "abortWhen.failedPercent": "Must be an integer from 1 to 100",
        "abortWhen.afterAtLeast": expect.any(String)
      }
    )
  })

  test("takes 10,000 devices and no more in one request", async () => {
    const { create } = await arrangeBatches(app)
    const many = Array.from({ length: 10_001 }, (_, n) => `c${`${n}`.padStart(24, "0")}`)
    expectError(await create({ deviceIds: many }), 400, "VALIDATION_ERROR", {
      deviceIds: "Must be at most 10000 devices"
    })
    expect(await create({ deviceIds: many.slice(1) })).toMatchObject({
      status: 202,
      body: { status: "completed", total: 0, skippedTotal: 10_000, skipped: { length: 1000 } }
    })
    expectError(await create({ deviceIds: [] }), 400, "VALIDATION_ERROR", {
      deviceIds: "Must have at least one device"
    })
  })

  test("refuses a selection of more than 50,000 devices", async () => {
    const { battery, create, workspaceId } = await arrangeBatches(app)
    await battery({ tags: ["many"] })
    await app.sql(
      (sql) => sql`INSERT INTO device_tags (workspace_id, tag, device_id)
        SELECT ${workspaceId}, 'many', 'c' || lpad(n::text, 24, '0') FROM generate_series(1, 50000) AS n`
    )
    expectError(await create({ tag: "many" }), 400, "VALIDATION_ERROR", {
      tag: "Selects more than 50,000 devices: select fewer of them"
    })
  })

  test("repeated with the same Idempotency-Key is stored once", async () => {
    const { battery, keys, call } = await arrangeBatches(app)
    const body = { deviceIds: [await battery()], type: "battery:set-reserve", input: { chargePercentage: 30 } }
    const post = () =>
      app.call("POST", "/v1/batch-commands", { key: keys.SERVER, body, headers: { "Idempotency-Key": "once" } })
    const [first, second] = [await post(), await post()]
    expect([first.status, second.body]).toEqual([202, first.body])
    expect(second.headers.get("Idempotency-Replayed")).toBe("true")
    expect((await call("GET", "/v1/batch-commands")).body.totalItems).toBe(1)
  })
})

describe("the times of a batch", () => {
  test("are those of its commands", async () => {
    const { batteries, commands, created, eventTypes, inMinutes } = await arrangeBatches(app)
    const [scheduledFor, expiresAt] = [inMinutes(60), inMinutes(90)]
    const batch = await created({ deviceIds: await batteries(2), scheduledFor, expiresAt })
    expect(batch).toMatchObject({ status: "pending", scheduledFor, expiresAt, counts: { scheduled: 2 } })
    for (const command of await commands(batch.id)) expect(command).toMatchObject({ scheduledFor, expiresAt })
    expect(await eventTypes()).toEqual(["COMMAND_SCHEDULED", "COMMAND_SCHEDULED"])
  })

  test("with maxPerMinute are evenly spread, and each command expires 15 minutes after its own turn", async () => {
    const { batteries, created, commands, inMinutes } = await arrangeBatches(app)
    const scheduledFor = inMinutes(60)
    const deviceIds = await batteries(4)
    const { id } = await created({ deviceIds, scheduledFor, maxPerMinute: 120 })
    const stored = new Map((await commands(id)).map((command) => [command.deviceId, command]))
    const turns = deviceIds.map((deviceId) => Date.parse(stored.get(deviceId).scheduledFor) - Date.parse(scheduledFor))
    expect(turns).toEqual([0, 500, 1000, 1500])
    for (const command of stored.values()) {
      expect(Date.parse(command.expiresAt) - Date.parse(command.scheduledFor)).toBe(15 * 60_000)
    }
  })

  test("with maxPerMinute hold back commands that begin at once", async () => {
    const { batteries, created } = await arrangeBatches(app)
    const { createdAt, id } = await created({ deviceIds: await batteries(3), maxPerMinute: 60 })
    const rows = await app.sql(
      (sql) => sql<{ due: Date; expires: Date; status: string }>`SELECT due_at AS due, expires_at AS expires, status
        FROM commands WHERE batch_id = ${id} ORDER BY due_at`
    )
    expect(rows.map(({ due }) => due.getTime() - Date.parse(createdAt))).toEqual([0, 1000, 2000])
    expect(rows.map(({ due, expires }) => expires.getTime() - due.getTime())).toEqual([900_000, 900_000, 900_000])
    expect(rows.map(({ status }) => status)).toEqual(["pending", "pending", "pending"])
  })
})
