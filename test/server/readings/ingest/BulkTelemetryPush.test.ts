import { describe, expect, test } from "vitest"
import { expectError } from "../../../support/expectError.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeDirect } from "./arrangeDirect.ts"

const app = useTestApp({ own: true })
const nobody = `c${"0".repeat(24)}`
const power = (watts: unknown) => ({ state: { power: watts } })
const ago = (milliseconds: number) => new Date(Date.now() - milliseconds).toISOString()
const powers = (history: ReadonlyArray<{ readonly power: number }>) => history.map((state) => state.power)

describe("POST /devices/telemetry", () => {
  test("401 UNAUTHENTICATED without a key, and with a key of any other type", async () => {
    const { keys } = await app.workspace()
    for (const key of [undefined, keys.SERVER, keys.API, keys.CONNECT, keys.MANAGEMENT, keys.SCOPED]) {
      const response = await app.call("POST", "/devices/telemetry", { ...(key && { key }), body: { readings: [] } })
      expectError(response, 401, "UNAUTHENTICATED")
    }
  })

  test("429 RATE_LIMITED beyond the key's bulk limit", async () => {
    const place = await app.workspace()
    const { id, key } = await app.key(place, "MANUFACTURER")
    await app.sql((sql) => sql`UPDATE api_keys SET rate_limits = '{"write": 0, "bulk": 1}' WHERE id = ${id}`)
    const body = { readings: [{}] }
    const statuses: Array<number> = []
    // A minute may end once in between.
    for (let call = 0; call < 3; call++)
      statuses.push((await app.call("POST", "/devices/telemetry", { key, body })).status)
    expect(statuses[0]).toBe(200)
    expect(statuses).toContain(429)
  })

  test("200 stores readings of many devices, identified by id or by the manufacturer's device id", async () => {
    const { device, pushBulk, history } = await arrangeDirect(app)
    const [one, other, meter] = [await device(), await device(), await device("meter")]
    const { status, body } = await pushBulk([
      { deviceId: one.id, timestamp: ago(2000), ...power(1) },
      { manufacturerDeviceId: other.manufacturerDeviceId, timestamp: ago(2000), ...power(2) },
      { deviceId: one.id, timestamp: ago(1000), ...power(3) },
      { manufacturerDeviceId: meter.manufacturerDeviceId, manufacturer: "generic", ...power(-4) }
    ])
    expect({ status, body }).toEqual({ status: 200, body: { accepted: 4, duplicates: 0, errors: [] } })
    expect(powers(await history(one.id))).toEqual([1, 3])
    expect(powers(await history(other.id))).toEqual([2])
    expect(powers(await history(meter.id))).toEqual([-4])
  })

  test("200 counts duplicates, including those within the request", async () => {
    const { device, pushBulk, history } = await arrangeDirect(app)
    const { id: deviceId } = await device()
    const reading = { deviceId, timestamp: ago(1000), ...power(1) }
    expect((await pushBulk([reading, { ...reading, ...power(2) }, reading])).body).toEqual({
      accepted: 1,
      duplicates: 2,
      errors: []
    })
    expect((await pushBulk([reading])).body).toEqual({ accepted: 0, duplicates: 1, errors: [] })
    expect(powers(await history(deviceId))).toEqual([1])
  })

  test("200 with a thousand readings of a thousand devices", async () => {
    const { pushBulk, workspaceId, device } = await arrangeDirect(app)
    const { id } = await device()
    const fleet = await app.sql<{ id: string }>(
      (sql) => sql`INSERT INTO devices (id, workspace_id, origin_workspace_id, name, manufacturer,
          manufacturer_device_id, reference_id, model, type, commands, tags, direct, created_at, updated_at)
        SELECT 'c' || lpad(n::text, 24, '0'), workspace_id, workspace_id, name, manufacturer, 'N' || n, reference_id,
          model, type, commands, tags, true, now(), now()
        FROM devices, generate_series(1, 1000) AS n WHERE id = ${id} AND workspace_id = ${workspaceId} RETURNING id`
    )
    const readings = fleet.map((each, at) => ({ deviceId: each.id, ...power(at) }))
    expect((await pushBulk(readings)).body).toEqual({ accepted: 1000, duplicates: 0, errors: [] })
    const [stored] = await app.sql<{ states: number; power: number }>(
      (sql) => sql`SELECT count(*)::int AS states, sum((state->>'power')::int)::int AS power FROM device_states
        JOIN devices ON id = device_id WHERE workspace_id = ${workspaceId}`
    )
    expect(stored).toEqual({ states: 1000, power: 499_500 })
  })

  test("200 lists the problems of each invalid reading and stores the others", async () => {
    const { device, pushBulk, remove, history } = await arrangeDirect(app)
    const foreign = await (await arrangeDirect(app)).device()
    const [good, removed, linked, outside] = [await device(), await device(), await device(), await device()]
    await remove(removed.id)
    await app.sql((sql) => sql`UPDATE devices SET direct = false WHERE id = ${linked.id}`)
    await app.sql((sql) => sql`UPDATE devices SET manufacturer = 'simulator' WHERE id = ${outside.id}`)
    const { status, body } = await pushBulk([
      { deviceId: good.id, timestamp: ago(9000), ...power(1) },
      { deviceId: nobody, ...power(1) },
      { deviceId: foreign.id, ...power(1) },
      { manufacturerDeviceId: foreign.manufacturerDeviceId, ...power(1) },
      { deviceId: outside.id, ...power(1) },
      { manufacturerDeviceId: outside.manufacturerDeviceId, manufacturer: "simulator", ...power(1) },
      { deviceId: linked.id, ...power(1) },
      { deviceId: removed.id, ...power("bad") },
      { manufacturerDeviceId: removed.manufacturerDeviceId, ...power(1) },
      { deviceId: good.id, timestamp: ago(8000), state: { power: "much", foo: 1 } },
      { deviceId: good.id, timestamp: "1999-01-01T00:00:00Z", ...power(1), location: { latitude: 91, longitude: 0 } },
      { deviceId: good.id, timestamp: "soon", onlineStatus: "maybe", state: 1 },
      "reading",
      { ...power(1) },
      { deviceId: good.id, manufacturerDeviceId: good.manufacturerDeviceId, ...power(1) },
      { deviceId: good.id, timestamp: ago(7000), ...power(2) }
    ])
    expect(status).toBe(200)
    const refused = (index: number, code: string, message: unknown = expect.any(String)) => ({ index, code, message })
    expect(body).toEqual({
      accepted: 2,
      duplicates: 0,
      errors: [
        refused(1, "DEVICE_NOT_FOUND"),
        refused(2, "DEVICE_NOT_FOUND"),
        refused(3, "DEVICE_NOT_FOUND"),
        refused(4, "MANUFACTURER_NOT_ALLOWED"),
        refused(5, "MANUFACTURER_NOT_ALLOWED"),
        refused(6, "DEVICE_NOT_OEM_DIRECT"),
        refused(7, "DEVICE_NOT_ASSOCIATED"),
        refused(8, "DEVICE_NOT_ASSOCIATED"),
        refused(
          9,
          "VALIDATION_ERROR",
          "state.foo: Is not known here; state.power: Must be a number from 0 to 10000000"
        ),
        refused(
          10,
          "VALIDATION_ERROR",
          "timestamp: Must not be before the year 2000; location.latitude: Must be a number of degrees from -90 to 90"
        ),
        refused(
          11,
          "VALIDATION_ERROR",
          "timestamp: Must be a date-time of RFC 3339, such as 2026-03-01T12:00:00Z; onlineStatus: Must be one of online, asleep, offline, unknown; state: Must be an object"
        ),
        refused(12, "VALIDATION_ERROR", "reading: Must be an object"),
        refused(13, "VALIDATION_ERROR", "deviceId: Is required, or else manufacturerDeviceId"),
        refused(14, "VALIDATION_ERROR", "manufacturerDeviceId: Must be absent with deviceId")
      ]
    })
    expect(powers(await history(good.id))).toEqual([1, 2])
  })

  test("200 bounds the message about an invalid reading, whatever the names of its fields", async () => {
    const { device, pushBulk } = await arrangeDirect(app)
    const { id: deviceId } = await device()
    const unknown = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`\u0000${n}${"\u{1F50B}".repeat(50)}`, n]))
    const { body } = await pushBulk([{ deviceId, state: { power: 1, ...unknown } }])
    expect(body.errors).toEqual([
      {
        index: 0,
        code: "VALIDATION_ERROR",
        message: expect.stringMatching(/^state\.\uFFFD0\u{1F50B}{50}: Is not known here; .*…$/u)
      }
    ])
    expect(body.errors[0].message).toHaveLength(2000)
  })

  test("200 requires the manufacturer if the key's scope has several", async () => {
    const { device, pushBulk, history, ...place } = await arrangeDirect(app)
    const { key } = await app.key(place, "MANUFACTURER", { scope: ["generic", "simulator"] })
    const { id, manufacturerDeviceId } = await device()
    const { body } = await pushBulk(
      [
        { manufacturerDeviceId, ...power(1) },
        { manufacturerDeviceId, manufacturer: "simulator", ...power(1) },
        { manufacturerDeviceId, manufacturer: "generic", ...power(1) }
      ],
      key
    )
    expect(body).toEqual({
      accepted: 1,
      duplicates: 0,
      errors: [
        {
          index: 0,
          code: "VALIDATION_ERROR",
          message: "manufacturer: Is required, because the key's scope has several manufacturers"
        },
        { index: 1, code: "DEVICE_NOT_FOUND", message: expect.any(String) }
      ]
    })
    expect(await history(id)).toHaveLength(1)
  })

  test("200 even if every reading is rejected", async () => {
    const { pushBulk } = await arrangeDirect(app)
    const { status, body } = await pushBulk([{}, 1, null])
    expect([status, body.accepted, body.errors.length]).toEqual([200, 0, 3])
  })

  test("200 reports a reading that the database rejects, with the request id, and stores the others", async () => {
    const { device, pushBulk, history } = await arrangeDirect(app)
    const { id: deviceId } = await device("other")
    await app.sql((sql) => sql`ALTER TABLE readings ADD CONSTRAINT no_poison CHECK (NOT state ? 'poison')`)
    const readings = [0, 1, 2, 3].map((at) => ({
      deviceId,
      timestamp: ago(9000 - at),
      state: at === 2 ? { poison: 1 } : {}
    }))
    const { status, body, headers } = await pushBulk(readings)
    await app.sql((sql) => sql`ALTER TABLE readings DROP CONSTRAINT no_poison`)
    const message = `An unexpected error occurred; quote request id ${headers.get("x-request-id")}`
    expect({ status, body }).toEqual({
      status: 200,
      body: { accepted: 3, duplicates: 0, errors: [{ index: 2, code: "UNKNOWN_ERROR", message }] }
    })
    expect(await history(deviceId)).toHaveLength(3)
  })

  test("400 VALIDATION_ERROR unless there are 1 to 1000 readings", async () => {
    const { pushBulk } = await arrangeDirect(app)
    const message = "Must be an array of 1 to 1000 readings"
    for (const readings of [[], {}, "many", null, Array.from({ length: 1001 }, () => ({}))]) {
      expectError(await pushBulk(readings), 400, "VALIDATION_ERROR", { readings: message })
    }
    expectError(await pushBulk(undefined), 400, "VALIDATION_ERROR", { readings: "Is required" })
  })

  test("400 VALIDATION_ERROR for a body above 5 MiB", async () => {
    const { pushBulk } = await arrangeDirect(app)
    const response = await pushBulk([{ note: "x".repeat(5 * 1024 * 1024) }])
    expectError(response, 400, "VALIDATION_ERROR", { body: "Must be at most 5 MiB" })
  })
})

describe("POST /v1/devices/telemetry", () => {
  test("is the same endpoint, with the same limit on its body", async () => {
    const { device, key, history } = await arrangeDirect(app)
    const { id: deviceId } = await device()
    const post = (readings: unknown) => app.call("POST", "/v1/devices/telemetry", { key, body: { readings } })
    expect((await post([{ deviceId, ...power(7) }])).body).toEqual({ accepted: 1, duplicates: 0, errors: [] })
    expect(powers(await history(deviceId))).toEqual([7])
    expect((await post([{ note: "x".repeat(4 * 1024 * 1024) }])).status).toBe(200)
    expectError(await post([{ note: "x".repeat(5 * 1024 * 1024) }]), 400, "VALIDATION_ERROR", {
      body: "Must be at most 5 MiB"
    })
  })
})
