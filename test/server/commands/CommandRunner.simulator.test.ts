import { AccountRunner } from "@edp/server/accounts/AccountRunner"
import { CommandRunner } from "@edp/server/commands/CommandRunner"
import { Confirmations } from "@edp/server/commands/confirmation/Confirmations"
import { Effect, Logger } from "effect"
import { beforeAll, describe, expect, test } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { movableClock } from "../../support/movableClock.ts"
import { signInHeadless } from "../../support/hosted-pages/hostedFlow.ts"
import { useTestApp } from "../../support/TestApp.ts"

// An evening in California: the vehicle charges, the sun is about to set, and the battery is half full.
const clock = movableClock(Date.UTC(2026, 5, 19, 2, 30))
const app = useTestApp({ own: true, clock })

const location = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814", country: "USA" }
const person = { firstName: "Ada", lastName: "Okafor", email: "ada@example.com", location }

/** The key that the person's browser gets at the end of the connect flow. */
let key: string
const devices = new Map<string, string>()

beforeAll(async () => {
  const { keys } = await app.workspace()
  const body = {
    mode: "headless",
    referenceId: "user-1",
    redirectUrl: "https://example.com/connected",
    manufacturerFilters: { manufacturers: ["simulator"] },
    customerInfo: person
  }
  const session = await app.call("POST", "/v1/connections", { key: keys.SERVER, body })
  const end = await signInHeadless(app.url, session.body.url)
  key = end.searchParams.get("service_scoped_token")!
  for (const { id, type } of (await app.call("GET", "/v1/devices", { key })).body.data) devices.set(type, id)
})

const quietly = Effect.provide(Logger.layer([]))

/** Lets simulated time pass: the accounts are read each minute, commands are sent and confirmed. */
const live = async (minutes: number) => {
  for (let minute = 0; minute < minutes; minute++) {
    clock.move(60_000)
    await app.run(Effect.flatMap(CommandRunner, ({ step }) => step).pipe(quietly))
    await eventually("the devices' work ends", async () => {
      const busy = await app.sql((sql) => sql`SELECT FROM device_work WHERE claim IS NOT NULL`)
      return busy.length === 0 ? true : undefined
    })
    await app.sql((sql) => sql`UPDATE account_work SET due_at = now(), read_at = now() WHERE claim IS NULL RETURNING 1`)
    await app.run(Effect.flatMap(AccountRunner, ({ step }) => step).pipe(quietly))
    await eventually("the account is read", async () => {
      const busy = await app.sql((sql) => sql`SELECT FROM account_work WHERE claim IS NOT NULL`)
      return busy.length === 0 ? true : undefined
    })
    await app.run(Effect.flatMap(Confirmations, ({ confirm }) => confirm))
  }
}

const send = async (type: string, operation: string, input: object, more: object = {}): Promise<string> => {
  const body = { type: `${type}:${operation}`, input, ...more }
  const response = await app.call("POST", `/v1/devices/${devices.get(type)}/commands`, { key, body })
  expect(response).toMatchObject({ status: 201, body: { status: "pending" } })
  return response.body.id
}
const state = async (type: string) => (await app.call("GET", `/v1/devices/${devices.get(type)}`, { key })).body.state
const fate = async (id: string) => (await app.call("GET", `/v1/commands/${id}`, { key })).body

describe("with the key of a connected user", () => {
  test("the battery charges from the grid and goes back to its own settings", async () => {
    await live(1)
    const before = await state("battery")
    const forced = await send("battery", "set-operating-mode", {
      operatingMode: "charge",
      enableGridInteraction: true
    })
    await live(3)
    expect(await fate(forced)).toMatchObject({ status: "completed", forcedMode: { mode: "charge" } })
    const during = await state("battery")
    expect(before.chargingState).toBe("discharging")
    expect(during).toMatchObject({ chargingState: "charging", gridStatus: "importing" })
    expect(during.chargePercentage).toBeGreaterThan(before.chargePercentage)
    const reset = await send("battery", "set-operating-mode", { operatingMode: "reset" })
    await live(3)
    expect((await fate(reset)).status).toBe("completed")
    const { backupReserve, strategy } = before
    expect(await state("battery")).toMatchObject({ strategy, backupReserve, chargingState: "discharging" })
  })

  test("the battery keeps the reserve that its owner sets during a forced mode", async () => {
    const before = await state("battery")
    expect(before.backupReserve).not.toBe(44)
    await send("battery", "set-operating-mode", { operatingMode: "charge" }, { revertAfter: 240 })
    await live(2)
    const reserve = await send("battery", "set-reserve", { chargePercentage: 44 })
    await live(2)
    expect(await fate(reserve)).toMatchObject({ status: "completed" })
    await live(4)
    expect(await state("battery")).toMatchObject({ backupReserve: 44, chargingState: "discharging" })
    await send("battery", "set-reserve", { chargePercentage: before.backupReserve })
    await live(2)
  })

  test("the battery keeps to a target power, which it takes up to its greatest one", async () => {
    const { availableCommands } = (await app.call("GET", `/v1/devices/${devices.get("battery")}`, { key })).body
    const { inputSchema, limits } = availableCommands.find((one: any) => one.slug === "battery:set-operating-mode")
    expect(inputSchema.properties).toHaveProperty("targetPowerW")
    expect(limits).toEqual({ targetPowerW: { maximum: 5000 } })
    const input = { operatingMode: "charge", enableGridInteraction: true, targetPowerW: 1500 }
    const id = await send("battery", "set-operating-mode", input)
    await live(3)
    expect(await fate(id)).toMatchObject({ status: "completed", input })
    expect((await state("battery")).chargeRate).toBe(-1500)
    const body = { type: "battery:set-operating-mode", input: { ...input, targetPowerW: 5001 } }
    const refused = await app.call("POST", `/v1/devices/${devices.get("battery")}/commands`, { key, body })
    expect(refused).toMatchObject({
      status: 400,
      body: { code: "VALIDATION_ERROR", details: { "input.targetPowerW": "Must be at most 5000 on this device" } }
    })
    await send("battery", "set-operating-mode", { operatingMode: "reset" })
    await live(2)
  })

  test("the thermostat takes its mode, its target and its fan mode", async () => {
    const mode = await send("thermostat", "set-operating-mode", { operatingMode: "cool", coolTarget: 71 })
    const fan = await send("thermostat", "set-fan-mode", { fanMode: "on" })
    await live(2)
    expect(await state("thermostat")).toMatchObject({ operatingMode: "cool", coolTarget: 71, fanMode: "on" })
    expect([(await fate(mode)).status, (await fate(fan)).status]).toEqual(["completed", "completed"])
  })

  test("the charger stops and starts", async () => {
    expect((await state("charger")).chargingState).toBe("charging")
    const stop = await send("charger", "set-operating-mode", { operatingMode: "stop-charging" })
    await live(2)
    expect((await state("charger")).chargingState).toBe("idle")
    expect((await fate(stop)).status).toBe("completed")
    const start = await send("charger", "set-operating-mode", { operatingMode: "start-charging" })
    await live(2)
    expect((await state("charger")).chargingState).toBe("charging")
    expect((await fate(start)).status).toBe("completed")
  })

  test("the vehicle stops, for as long as was asked, and takes its charge limit", async () => {
    const limit = await send("vehicle", "set-charge-limit", { chargeLimit: 95 })
    const stop = await send("vehicle", "set-operating-mode", { operatingMode: "stop-charging" }, { revertAfter: 240 })
    await live(2)
    expect(await state("vehicle")).toMatchObject({ chargeLimit: 95, chargingState: "idle" })
    expect([(await fate(limit)).status, (await fate(stop)).status]).toEqual(["completed", "completed"])
    await live(5)
    expect((await state("vehicle")).chargingState).toBe("charging")
  })

  test("a command that changes nothing is done without being sent", async () => {
    const limit = await send("vehicle", "set-charge-limit", { chargeLimit: 95 })
    await live(1)
    expect(await fate(limit)).toMatchObject({ status: "completed", reason: "already_so" })
  })
})
