import { describe, expect, test } from "vitest"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeDevices, moment, nobody } from "../devices/arrangeDevices.ts"

const app = useTestApp()

const arrange = async () => {
  const place = await arrangeDevices(app)
  const battery = await place.device({
    type: "battery",
    commands: ["battery:set-reserve", "battery:set-operating-mode"]
  })
  const send = (body: object, deviceId = battery) => place.call("POST", `/v1/devices/${deviceId}/commands`, body)
  const reserve = async (chargePercentage: number, more: object = {}) =>
    (await send({ type: "battery:set-reserve", input: { chargePercentage }, ...more })).body
  const read = async (id: string) => (await place.call("GET", `/v1/commands/${id}`)).body
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
  return { ...place, battery, send, reserve, read, inMinutes }
}

/** A battery, and the way to store readings. */
const arrangePreview = async () => {
  const place = await arrangeDevices(app)
  const battery = await place.device({
    type: "battery",
    commands: ["battery:set-reserve", "battery:set-operating-mode"],
    staticState: { capacity: 10_000, maxDischargeRate: 5000 }
  })
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
  return { ...place, battery, inMinutes }
}

describe("a preview of a command", () => {
  const discharge = { type: "battery:set-operating-mode", input: { operatingMode: "discharge" } }
  test("tells what it would do by the newest readings of the device and its site, and stores nothing", async () => {
    const { battery, call, device, inMinutes, read: report, site } = await arrangePreview()
    const { id: siteId } = await site()
    await app.sql((sql) => sql`UPDATE devices SET site_id = ${siteId} WHERE id = ${battery} RETURNING 1`)
    const meter = await device({ siteId, type: "meter" })
    const at = (minutes: number) => new Date(inMinutes(-minutes))
    await report(battery, {
      at: at(1),
      state: { chargingState: "idle", charge: 6000, chargePercentage: 60, chargeRate: 0, backupReserve: 20 }
    })
    await report(meter, { at: at(5), state: { power: 600 } })
    const preview = (body: object) => call("POST", `/v1/devices/${battery}/commands/preview`, body)
    const shown = await preview(discharge)
    expect({ status: shown.status, body: shown.body }).toMatchObject({
      status: 200,
      body: { outcome: "moves", code: "follows_home", powerW: 600, homeW: 600, gridAllowed: false }
    })
    expect(shown.body.readings.map(({ deviceId }: { readonly deviceId: string }) => deviceId)).toEqual([battery, meter])
    expectError(await preview({ ...discharge, input: { operatingMode: "reset" } }), 400, "INVALID_STATE")
    expect((await preview({ ...discharge, input: {} })).body.code).toBe("VALIDATION_ERROR")
    expect((await call("GET", `/v1/devices/${battery}/commands`)).body.data).toEqual([])
  })
})

describe("a command", () => {
  test("is stored with its times", async () => {
    const { battery, reserve, read } = await arrange()
    const command = await reserve(30)
    expect(command).toEqual({
      id: expect.any(String),
      status: "pending",
      type: "battery:set-reserve",
      source: "user",
      issuedAt: moment,
      expiresAt: moment,
      input: { chargePercentage: 30 },
      output: null,
      upstream: null,
      deviceId: battery,
      transitions: [{ status: "pending", at: command.issuedAt }]
    })
    expect(Date.parse(command.expiresAt) - Date.parse(command.issuedAt)).toBe(15 * 60_000)
    expect(await read(command.id)).toEqual(command)
  })

  test("overrides the undelivered immediate ones of its type, not those of a later time", async () => {
    const { call, inMinutes, read, reserve } = await arrange()
    const first = await reserve(10)
    const later = await reserve(20, { scheduledFor: inMinutes(60) })
    const second = await reserve(30)
    expect(await read(first.id)).toMatchObject({ status: "failed", reason: "overridden", executedAt: moment })
    expect(await read(later.id)).toMatchObject({ status: "scheduled" })
    expect(await read(second.id)).toMatchObject({ status: "pending" })
    const { data } = (await call("GET", "/v1/events")).body
    const ours = data.filter(({ type }: { type: string }) => type.startsWith("COMMAND"))
    expect(ours.map(({ type }: { type: string }) => type)).toEqual(["COMMAND_OVERRIDDEN", "COMMAND_SCHEDULED"])
  })

  test("are listed from one time until another, by the time of their issue", async () => {
    const { call, reserve } = await arrange()
    const issued = []
    for (let n = 0; n < 5; n++) issued.push(await reserve(10 + n))
    const ids = async (path: string, from: string, to: string) => {
      const { body } = await call("GET", `${path}?from=${from}&to=${to}`)
      expect(body.totalItems).toBe(body.data.length)
      return body.data.map(({ id }: { id: string }) => id)
    }
    const [, second, , fourth] = issued
    const expected = issued.filter(({ issuedAt }) => issuedAt >= second.issuedAt && issuedAt < fourth.issuedAt)
    expect(expected.length).toBeGreaterThan(0)
    for (const path of ["/v1/commands", `/v1/devices/${second.deviceId}/commands`]) {
      expect(await ids(path, second.issuedAt, fourth.issuedAt)).toEqual(expected.map(({ id }) => id).toReversed())
    }
  })

  test("for a later time overrides the one of the same second", async () => {
    const { inMinutes, read, reserve } = await arrange()
    const at = inMinutes(60)
    const [one, other] = [await reserve(10, { scheduledFor: at }), await reserve(20, { scheduledFor: inMinutes(61) })]
    await reserve(30, { scheduledFor: at })
    expect((await read(one.id)).status).toBe("failed")
    expect((await read(other.id)).status).toBe("scheduled")
  })

  test("can be cancelled until it is sent", async () => {
    const { call, reserve } = await arrange()
    const { id } = await reserve(10)
    const cancelled = await call("POST", `/v1/commands/${id}/cancel`)
    expect(cancelled).toMatchObject({ status: 200, body: { status: "failed", reason: "cancelled" } })
    expectError(await call("POST", `/v1/commands/${id}/cancel`), 400, "INVALID_STATE")
    expectError(await call("POST", `/v1/commands/${nobody}/cancel`), 404, "NOT_FOUND")
  })
})
