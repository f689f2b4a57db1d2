import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../../support/describeKeyChecks.ts"
import { expectError } from "../../../support/expectError.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeDirect as arrange } from "./arrangeDirect.ts"
import { atOnce } from "../../../support/races.ts"

const app = useTestApp()
const nobody = `c${"0".repeat(24)}`
const id = expect.stringMatching(/^c[0-9a-z]{24}$/)
const power = (watts: unknown) => ({ state: { power: watts } })
const at = (timestamp: string, watts: unknown) => ({ timestamp, ...power(watts) })
const ago = (milliseconds: number) => new Date(Date.now() - milliseconds).toISOString()
const hour = 3_600_000

describeKeyChecks(app, [
  { method: "POST", path: "/devices/any/telemetry", allowed: ["MANUFACTURER"] },
  { method: "POST", path: "/v1/devices/any/telemetry", allowed: ["MANUFACTURER"] }
])

/** Type, state, and what is answered differently. */
const fullStates: ReadonlyArray<readonly [type: DeviceType, state: object, differing?: object]> = [
  [
    "battery",
    {
      chargingState: "discharging",
      charge: 9000.5,
      chargePercentage: 66.6,
      whConsumed: null,
      chargeRate: -3000,
      backupReserve: 20,
      isStormModeActive: false,
      isStormModeEnabled: true,
      strategy: "backup",
      gridStatus: "importing",
      gridPower: -12,
      gridEnergy: 3,
      loadPower: 812.5,
      loadEnergy: 0
    }
  ],
  ["battery", { chargingState: "idle", charge: 0, chargePercentage: 0, whConsumed: 1 }, { strategy: "unknown" }],
  [
    "charger",
    { chargingState: "charging", isPluggedIn: true, chargerVoltage: 230, chargerCurrent: 16, chargerWattage: 3680 }
  ],
  ["thermostat", { ambientTemperature: 71.5, operatingMode: "eco", fanMode: "auto", coolTarget: 75, heatTarget: 68 }],
  ["inverter", { power: 3200, generatedEnergy: 800, lifetimeEnergyGenerated: 1_204_500, gridStatus: "exporting" }],
  [
    "vehicle",
    { chargingState: "charging", chargePercentage: 80, range: 210, chargeCompletedAt: "2026-03-01T04:00:00-08:00" },
    { chargeCompletedAt: "2026-03-01T12:00:00.000Z" }
  ],
  ["meter", { power: -800, importedEnergy: 10, exportedEnergy: 20, voltage: 230.1, current: 3.4 }],
  ["water_heater", { waterTemperature: 120, operatingMode: "heat_pump", availableHotWater: 50 }],
  ["other", { soil: 0.31, wet: true, note: 'spring "Süd" 🌱' }],
  ["other", {}],
  ["unknown", { anything: 1 }]
]

/** A media type with a parameter is as good as one without, but takes a push past the quick way of its route. */
const contentTypes = [
  { way: "the quick way", contentType: "application/json" },
  { way: "the typed endpoint", contentType: "application/json; charset=utf-8" }
]

describe.each(contentTypes)("POST /devices/:id/telemetry by $way", ({ contentType }) => {
  const arrangeDirect = (to: typeof app) => arrange(to, undefined, contentType)

  test("200 stores the reading and returns the state with its id and time", async () => {
    const { device, push, history, read } = await arrangeDirect(app)
    const { id: deviceId } = await device()
    const { status, body } = await push(deviceId, {
      ...at("2026-03-01T04:00:00.25-08:00", 3200),
      onlineStatus: "online"
    })
    const recorded = { id, createdAt: "2026-03-01T12:00:00.250Z", power: 3200 }
    expect({ status, body }).toEqual({ status: 200, body: { accepted: 1, duplicates: 0, latest: recorded } })
    expect(await history(deviceId)).toEqual([body.latest])
    const { state, lastOnlineAt, onlineStatus } = (await read(`/v1/devices/${deviceId}`)).body
    expect({ state, lastOnlineAt }).toEqual({ state: body.latest, lastOnlineAt: "2026-03-01T12:00:00.250Z" })
    expect(onlineStatus).toBe("offline")
  })

  test.each(fullStates.map(([type, state, differing = {}]) => ({ type, state, differing })))(
    "200 stores the state of a $type unchanged: $state",
    async ({ type, state, differing }) => {
      const { device, push, history, read } = await arrangeDirect(app)
      const { id: deviceId } = await device(type)
      const { status, body } = await push(deviceId, { state })
      expect(status).toBe(200)
      const { id: _, createdAt: __, ...latest } = body.latest
      expect(latest).toEqual({ ...state, ...differing })
      expect(await history(deviceId)).toEqual([body.latest])
      expect((await read(`/v1/devices/${deviceId}`)).body.state).toEqual(body.latest)
    }
  )

  test("200 uses the arrival as the time of a reading without a timestamp, and the device is online", async () => {
    const { device, push, read } = await arrangeDirect(app)
    const { id: deviceId } = await device()
    const before = Date.now()
    const { body } = await push(deviceId, power(1))
    expect(Date.parse(body.latest.createdAt)).toBeGreaterThanOrEqual(before)
    expect(Date.parse(body.latest.createdAt)).toBeLessThanOrEqual(Date.now())
    expect((await read(`/v1/devices/${deviceId}`)).body.onlineStatus).toBe("online")
  })

  test("200 stores the online status that the source reports", async () => {
    const { device, push, read } = await arrangeDirect(app)
    const { id: deviceId } = await device("vehicle")
    const state = { chargingState: "idle", chargePercentage: 50, range: 100 }
    await push(deviceId, { state, onlineStatus: "asleep" })
    expect((await read(`/v1/devices/${deviceId}`)).body.onlineStatus).toBe("asleep")
  })

  test("200 with a location determines whether the vehicle is at home", async () => {
    const { device, push, read, site } = await arrangeDirect(app)
    const { id: deviceId } = await device("vehicle")
    const state = { chargingState: "idle", chargePercentage: 50, range: 100 }
    const isHome = async () => (await read(`/v1/devices/${deviceId}`)).body.isHome
    await push(deviceId, { timestamp: ago(3000), state, location: site.location })
    expect(await isHome()).toBe(true)
    await push(deviceId, { timestamp: ago(2000), state, location: { latitude: 0, longitude: 0 } })
    expect(await isHome()).toBe(false)
    await push(deviceId, { timestamp: ago(1000), state })
    expect(await isHome()).toBe(null)
  })

  test("200 counts a reading of the same device and time as a duplicate, whatever its state", async () => {
    const { device, push, history } = await arrangeDirect(app)
    const { id: deviceId } = await device()
    const { body } = await push(deviceId, at("2026-03-01T12:00:00.000Z", 1))
    const again = await push(deviceId, at("2026-03-01T13:00:00.000999+01:00", 2))
    expect(again).toMatchObject({ status: 200, body: { accepted: 0, duplicates: 1, latest: body.latest } })
    expect(await history(deviceId)).toEqual([body.latest])
  })

  test("200 stores a late reading, and the latest state stays the newest", async () => {
    const { device, push, history } = await arrangeDirect(app)
    const { id: deviceId } = await device()
    const newest = await push(deviceId, at(ago(hour), 9))
    const late = await push(deviceId, at(ago(2 * hour), 1))
    expect(late).toMatchObject({ status: 200, body: { accepted: 1, duplicates: 0, latest: newest.body.latest } })
    expect((await history(deviceId)).map((state) => state.power)).toEqual([1, 9])
  })

  test("200 with up to a thousand readings, including those of past years", async () => {
    const { device, push, read } = await arrangeDirect(app)
    const { id: deviceId } = await device()
    const from = Date.UTC(2001, 0, 1)
    const readings = Array.from({ length: 1000 }, (_, day) => at(new Date(from + day * 24 * hour).toISOString(), day))
    const { status, body } = await push(deviceId, { readings: readings.toReversed() })
    expect(status).toBe(200)
    expect(body).toEqual({
      accepted: 1000,
      duplicates: 0,
      latest: { id, createdAt: readings[999]!.timestamp, power: 999 }
    })
    const history = await read(`/v1/devices/${deviceId}/history?from=2000-01-01T00:00:00Z&perPage=1`)
    expect(history.body.totalItems).toBe(1000)
    const more = [...readings, at(ago(hour), 5)].slice(1)
    expect((await push(deviceId, { readings: more })).body).toMatchObject({
      accepted: 1,
      duplicates: 999,
      latest: { power: 5 }
    })
  })

  test("200 stores one of 50 equal concurrent readings", async () => {
    const { device, push, history } = await arrangeDirect(app)
    const { id: deviceId } = await device()
    const reading = at(ago(hour), 1)
    const responses = await atOnce(50, () => push(deviceId, reading))
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
    expect(responses.reduce((sum, { body }) => sum + body.accepted, 0)).toBe(1)
    expect(responses.reduce((sum, { body }) => sum + body.duplicates, 0)).toBe(49)
    expect(new Set(responses.map(({ body }) => body.latest.id)).size).toBe(1)
    expect(await history(deviceId)).toHaveLength(1)
  })

  test("400 VALIDATION_ERROR unless there is either a state or readings", async () => {
    const { device, push } = await arrangeDirect(app)
    const { id: deviceId } = await device()
    expectError(await push(deviceId, {}), 400, "VALIDATION_ERROR", { state: "Is required, or else readings" })
    const both = { ...at(ago(0), 1), onlineStatus: "online", readings: [power(1)] }
    expectError(await push(deviceId, both), 400, "VALIDATION_ERROR", {
      state: "Must be absent with readings",
      timestamp: "Must be in each of the readings",
      onlineStatus: "Must be in each of the readings"
    })
    expectError(await push(deviceId, { readings: [power(1), 1] }), 400, "VALIDATION_ERROR", {
      "readings.1": "Must be an object"
    })
    for (const readings of [[], Array.from({ length: 1001 }, () => power(1)), {}]) {
      expectError(await push(deviceId, { readings }), 400, "VALIDATION_ERROR", {
        readings: "Must be an array of 1 to 1000 readings"
      })
    }
  })

  test("400 VALIDATION_ERROR for an invalid timestamp, and for one in the future or before the year 2000", async () => {
    const { device, push } = await arrangeDirect(app)
    const { id: deviceId } = await device()
    const refused: ReadonlyArray<readonly [string, string]> = [
      ["yesterday", "Must be a date-time of RFC 3339, such as 2026-03-01T12:00:00Z"],
      ["2026-02-30T00:00:00Z", "Must be a date-time of RFC 3339, such as 2026-03-01T12:00:00Z"],
      [ago(-301_000), "Must be at most 5 minutes ahead"],
      ["1999-12-31T23:59:59.999Z", "Must not be before the year 2000"]
    ]
    for (const [timestamp, problem] of refused) {
      expectError(await push(deviceId, at(timestamp, 1)), 400, "VALIDATION_ERROR", { timestamp: problem })
    }
    expect((await push(deviceId, at(ago(-290_000), 1))).status).toBe(200)
    expect((await push(deviceId, at("2000-01-01T00:00:00Z", 1))).status).toBe(200)
  })

  test("400 VALIDATION_ERROR for invalid coordinates", async () => {
    const { device, push } = await arrangeDirect(app)
    const { id: deviceId } = await device()
    const readings = [{ ...power(1), location: { latitude: 90.1, longitude: -181 } }]
    expectError(await push(deviceId, { readings }), 400, "VALIDATION_ERROR", {
      "readings.0.location.latitude": "Must be a number of degrees from -90 to 90",
      "readings.0.location.longitude": "Must be a number of degrees from -180 to 180"
    })
    expectError(await push(deviceId, { ...power(1), location: { latitude: "x" } }), 400, "VALIDATION_ERROR", {
      "location.latitude": "Must be a number",
      "location.longitude": "Is required"
    })
  })

  test("400 VALIDATION_ERROR lists every invalid field of the state, including unknown ones", async () => {
    const { device, push, history } = await arrangeDirect(app)
    const { id: deviceId } = await device()
    const state = { power: "much", gridPower: 0.5, gridStatus: "sold", foo: 1, id: nobody, __proto__: null }
    expectError(await push(deviceId, { state }), 400, "VALIDATION_ERROR", {
      "state.power": "Must be a number from 0 to 10000000",
      "state.gridPower": "Must be an integer",
      "state.gridStatus": "Must be one of exporting, importing, idle, unknown",
      "state.foo": "Is not known here",
      "state.id": "Is not known here"
    })
    expectError(await push(deviceId, { state: {} }), 400, "VALIDATION_ERROR", { "state.power": "Is required" })
    expectError(await push(deviceId, { state: [] }), 400, "VALIDATION_ERROR", { state: "Must be an object" })
    expect(await history(deviceId)).toEqual([])
  })

  test("400 VALIDATION_ERROR for a state of too many fields, in one sentence", async () => {
    const { device, push } = await arrangeDirect(app)
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, field) => [`field${field}`, field]))
    for (const type of ["inverter", "other"] as const) {
      const { id: deviceId } = await device(type)
      expectError(await push(deviceId, { state: many }), 400, "VALIDATION_ERROR", {
        state: "Must have at most 64 fields"
      })
    }
  })

  test.each([
    ["NUL", "a\0b"],
    ["half a surrogate pair", "\ud800"]
  ])("400 VALIDATION_ERROR for text that can't be stored: %s", async (_, text) => {
    const { device, push } = await arrangeDirect(app)
    const { id: deviceId } = await device("other")
    for (const state of [{ note: text }, { [text]: 1 }]) {
      const { status, body } = await push(deviceId, { state })
      expect([status, body.code]).toEqual([400, "VALIDATION_ERROR"])
    }
  })

  test("400 VALIDATION_ERROR for numbers that JSON can't represent, and 200 for the largest that it can", async () => {
    const { device, push } = await arrangeDirect(app)
    const { id: deviceId } = await device("other")
    const { status, body } = await push(deviceId, '{"state": {"n": 1e400}}')
    expect([status, body.code]).toEqual([400, "VALIDATION_ERROR"])
    const greatest = { n: Number.MAX_VALUE, m: Number.MIN_VALUE, k: -0.1 }
    expect((await push(deviceId, { state: greatest })).body.latest).toMatchObject(greatest)
  })

  test("400 VALIDATION_ERROR keyed by the reading, and no reading is stored", async () => {
    const { device, push, history } = await arrangeDirect(app)
    const { id: deviceId } = await device()
    const readings = Array.from({ length: 20 }, (_, minute) => at(ago(minute * 60_000), minute))
    readings[3] = { timestamp: "1990-01-01T00:00:00Z", state: { power: -1 } }
    expectError(await push(deviceId, { readings }), 400, "VALIDATION_ERROR", {
      "readings.3.timestamp": "Must not be before the year 2000"
    })
    readings[3] = at(ago(1), -1)
    readings[17] = { ...at(ago(2), 1), state: { power: 1, charge: 1 } as never }
    expectError(await push(deviceId, { readings }), 400, "VALIDATION_ERROR", {
      "readings.3.state.power": "Must be a number from 0 to 10000000",
      "readings.17.state.charge": "Is not known here"
    })
    expect(await history(deviceId)).toEqual([])
  })

  test("400 VALIDATION_ERROR for a body that is not a JSON object", async () => {
    const { device, push } = await arrangeDirect(app)
    const { id: deviceId } = await device()
    for (const body of ["{", "[]", "1", ""]) {
      expectError(await push(deviceId, body), 400, "VALIDATION_ERROR", { body: expect.any(String) })
    }
  })

  test("404 DEVICE_NOT_FOUND for a missing device and, with the same response, for one of another workspace", async () => {
    const { push } = await arrangeDirect(app)
    const { id: foreign } = await (await arrangeDirect(app)).device()
    const responses = await Promise.all([nobody, "nonsense", foreign].map((deviceId) => push(deviceId, power("bad"))))
    for (const response of responses) expectError(response, 404, "DEVICE_NOT_FOUND")
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
  })

  test("403 MANUFACTURER_NOT_ALLOWED for a device of a manufacturer outside the key's scope", async () => {
    const { device, push, ...place } = await arrangeDirect(app)
    const { key } = await app.key(place, "MANUFACTURER", { scope: ["simulator"] })
    const { id: deviceId } = await device()
    expectError(await push(deviceId, power("bad"), key), 403, "MANUFACTURER_NOT_ALLOWED")
  })

  test("403 DEVICE_NOT_OEM_DIRECT for a device from an account link", async () => {
    const { device, push } = await arrangeDirect(app)
    const { id: deviceId } = await device()
    await app.sql((sql) => sql`UPDATE devices SET direct = false WHERE id = ${deviceId}`)
    expectError(await push(deviceId, power("bad")), 403, "DEVICE_NOT_OEM_DIRECT")
  })

  test("404 DEVICE_NOT_ASSOCIATED for a removed device, with any key whose scope has its manufacturer", async () => {
    const { device, push, remove, provision, ...place } = await arrangeDirect(app)
    const stranger = await arrangeDirect(app)
    const { id: deviceId, manufacturerDeviceId } = await device()
    await remove(deviceId)
    expectError(await push(deviceId, power("bad")), 404, "DEVICE_NOT_ASSOCIATED")
    expectError(await stranger.push(deviceId, power(1)), 404, "DEVICE_NOT_ASSOCIATED")
    const { key: own } = await app.key(place, "MANUFACTURER", { scope: ["simulator"] })
    const { key: foreign } = await app.key(stranger, "MANUFACTURER", { scope: ["simulator"] })
    expectError(await push(deviceId, power(1), own), 403, "MANUFACTURER_NOT_ALLOWED")
    expectError(await push(deviceId, power(1), foreign), 404, "DEVICE_NOT_FOUND")
    await provision({ manufacturerDeviceId })
    expect((await push(deviceId, power(1))).status).toBe(200)
    expectError(await stranger.push(deviceId, power(1)), 404, "DEVICE_NOT_FOUND")
  })

  test("the body is checked before the device, and the device before the state", async () => {
    const { push } = await arrangeDirect(app)
    expectError(await push(nobody, { timestamp: "1999-01-01T00:00:00Z", ...power("bad") }), 400, "VALIDATION_ERROR", {
      timestamp: "Must not be before the year 2000"
    })
  })

  test("several readings count in the bulk window, a single reading in the write window", async () => {
    const { device, push, ...place } = await arrangeDirect(app)
    const { id: deviceId } = await device()
    const { id: keyId, key } = await app.key(place, "MANUFACTURER", { scope: ["generic"] })
    await app.sql((sql) => sql`UPDATE api_keys SET rate_limits = '{"write": 500, "bulk": 700}' WHERE id = ${keyId}`)
    const readLimit = async (body: object) => (await push(deviceId, body, key)).headers.get("x-ratelimit-limit")
    expect(await readLimit(power(1))).toBe("500")
    expect(await readLimit({ readings: [power(2)] })).toBe("700")
  })
})

describe("POST /v1/devices/:id/telemetry", () => {
  test("is the same endpoint", async () => {
    const { device, key, push, history } = await arrange(app)
    const { id: deviceId } = await device()
    const reading = at(ago(hour), 7)
    const alias = await app.call("POST", `/v1/devices/${deviceId}/telemetry`, { key, body: reading })
    expect([alias.status, alias.body.accepted]).toEqual([200, 1])
    expect((await push(deviceId, reading)).body).toMatchObject({
      accepted: 0,
      duplicates: 1,
      latest: alias.body.latest
    })
    expect(await history(deviceId)).toEqual([alias.body.latest])
  })
})
