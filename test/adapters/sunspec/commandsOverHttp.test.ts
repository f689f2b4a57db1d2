import { AccountRunner } from "@edp/server/accounts/AccountRunner"
import { CommandRunner } from "@edp/server/commands/CommandRunner"
import { Effect, Logger } from "effect"
import type { SqlClient } from "effect/sql"
import { afterEach, beforeEach, expect, it } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { movableClock } from "../../support/movableClock.ts"
import { describeModbus, type ModbusServer, startModbusServer } from "../../support/peers/ModbusServer.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeConnections, newPerson } from "../../server/connections/arrangeConnections.ts"
import { mapRegisters, model } from "./sunSpecMap.ts"

const clock = movableClock(Date.now())
const app = useTestApp({ own: true, clock })

const base = 40_000
const models = [
  model(1, { Mn: "Acme", Md: "Hybrid 6", SN: "SN-1001" }),
  model(120, { WRtg: 6000, WRtg_SF: 0, WHRtg: 1000, WHRtg_SF: 1 }),
  model(124, {
    WChaMax: 5000,
    WChaMax_SF: 0,
    // The owner has limited charging.
    StorCtl_Mod: 1,
    MinRsvPct: 500,
    MinRsvPct_SF: -2,
    ChaState: 6350,
    ChaState_SF: -2,
    ChaSt: 4,
    OutWRte: 10_000,
    InWRte: 4200,
    InOutWRte_SF: -2,
    InOutWRte_RvrtTms: 0,
    ChaGriSet: 0
  })
]
const map = mapRegisters(models)
/** The first register of model 124. */
const storage = base + 2 + models[0]!.length + 2 + models[1]!.length + 2
const percent = (value: number) => (value * 100 + 65_536) % 65_536

describeModbus("a battery of pymodbus that is commanded over HTTP with the key of its owner", () => {
  let server: ModbusServer
  beforeEach(async () => {
    server = await startModbusServer({ "1": { holding: { [base]: [...map] } } })
  })
  afterEach(() => server.stop())

  /** All registers, as another client reads them. */
  const registers = async () => {
    const all: Array<number> = []
    for (let at = 0; at < map.length; at += 100) {
      all.push(...(await server.read(1, base + at, Math.min(100, map.length - at))))
    }
    return all
  }
  const settings = async () => {
    const words = (await registers()).slice(storage - base)
    return {
      control: words[5],
      reserve: words[7],
      discharge: words[12],
      charge: words[13],
      timer: words[15],
      fromGrid: words[17]
    }
  }

  const connect = async () => {
    const { call, keys, must, open, read } = await arrangeConnections(app, undefined as never)
    const session = await open({
      customerInfo: newPerson(),
      referenceId: "user-1",
      manufacturerFilters: { manufacturers: ["sunspec"] }
    })
    await session.open()
    await session.consent()
    const view = await session.show(session.submitForm({ host: "127.0.0.1", port: String(server.port), unitId: "1" }))
    if (view.page !== "system") throw new Error(`not connected: ${JSON.stringify(view)}`)
    const ids = view.devices.map(({ manufacturerDeviceId }) => manufacturerDeviceId)
    await session.chooseDevices(ids, view.address?.values ?? null)
    expect(await read(session.id)).toMatchObject({ status: "SUCCESS" })
    const { data } = await must(200, "GET", "/v1/devices", undefined, keys.SCOPED)
    const { id } = data.find(({ type }: { type: string }) => type === "battery")

    /** Lets the platform do what is due now. */
    const perform = async () => {
      await app.run(Effect.flatMap(CommandRunner, ({ step }) => step).pipe(Effect.provide(Logger.layer([]))))
      await eventually("the device's work ends", async () => {
        const busy = await app.sql((sql) => sql`SELECT FROM device_work WHERE device_id = ${id} AND claim IS NOT NULL`)
        return busy.length === 0 ? true : undefined
      })
    }
    /** Sends a command, and returns it as it is after it was sent. */
    const command = async (type: string, input: object, more: object = {}) => {
      const body = { type, input, ...more }
      const sent = await call("POST", `/v1/devices/${id}/commands`, body, keys.SCOPED)
      expect(sent).toMatchObject({ status: 201, body: { status: "pending" } })
      await perform()
      return must(200, "GET", `/v1/commands/${sent.body.id}`, undefined, keys.SCOPED)
    }
    const mode = (operatingMode: string, input: object = {}, more: object = {}) =>
      command("battery:set-operating-mode", { operatingMode, ...input }, more)
    const forcedMode = async () => (await must(200, "GET", `/v1/devices/${id}`, undefined, keys.SCOPED)).forcedMode
    const stored = (commandId: string) => must(200, "GET", `/v1/commands/${commandId}`, undefined, keys.SCOPED)
    const interventions = async () =>
      (await must(200, "GET", `/v1/devices/${id}`, undefined, keys.SCOPED)).interventions.map(
        ({ code }: { readonly code: string }) => code
      )
    /** Lets the platform read the device now. */
    const poll = async () => {
      const due = (sql: SqlClient.SqlClient) => sql`UPDATE account_work SET due_at = now(), read_at = now()
        WHERE account_id = (SELECT account_id FROM devices WHERE id = ${id}) RETURNING 1`
      await app.sql(due)
      await app.run(Effect.flatMap(AccountRunner, ({ step }) => step).pipe(Effect.provide(Logger.layer([]))))
      await eventually("the account is read", async () => {
        const busy = await app.sql((sql) => sql`SELECT FROM account_work WHERE claim IS NOT NULL`)
        return busy.length === 0 ? true : undefined
      })
    }
    return { command, forcedMode, interventions, mode, perform, poll, stored }
  }

  it("charges, discharges and goes back by reset to what all of its registers were before", async () => {
    const { forcedMode, mode } = await connect()
    const before = await registers()
    expect(await mode("charge", { enableGridInteraction: true, minimumBatteryReserve: 10 })).toMatchObject({
      status: "completed",
      forcedMode: { mode: "charge" }
    })
    expect(await settings()).toEqual({
      control: 3,
      reserve: percent(10),
      discharge: percent(-100),
      charge: percent(100),
      timer: 0,
      fromGrid: 1
    })
    expect(await forcedMode()).toMatchObject({ mode: "charge", then: "restore", source: "user" })

    expect(await mode("discharge", { minimumBatteryReserve: 20 })).toMatchObject({ status: "completed" })
    expect(await settings()).toMatchObject({
      control: 3,
      reserve: percent(20),
      discharge: percent(100),
      charge: percent(-100)
    })
    expect(await forcedMode()).toMatchObject({ mode: "discharge" })

    expect(await mode("reset")).toMatchObject({ status: "completed" })
    expect(await registers()).toEqual(before)
    expect(await forcedMode()).toBeUndefined()
  })

  it("goes back by itself at the end of revertAfter, though the device does not end the mode itself", async () => {
    const { forcedMode, mode, perform } = await connect()
    const before = await registers()
    const begun = clock.currentTimeMillisUnsafe()
    expect(await mode("idle", {}, { revertAfter: 600 })).toMatchObject({ status: "completed" })
    expect(await settings()).toMatchObject({ control: 3, discharge: 0, charge: 0, timer: 600 })
    expect(await forcedMode()).toMatchObject({ mode: "idle", until: new Date(begun + 600_000).toISOString() })
    clock.move(599_000)
    await perform()
    expect(await settings()).toMatchObject({ control: 3, discharge: 0, charge: 0 })
    clock.move(1000)
    await perform()
    expect(await registers()).toEqual(before)
    expect(await forcedMode()).toBeUndefined()
  })

  it("keeps the reserve that its owner sets during a mode, at the end of revertAfter and by reset", async () => {
    const { command, mode, perform } = await connect()
    const before = await settings()
    expect(await mode("idle", { minimumBatteryReserve: 25 }, { revertAfter: 600 })).toMatchObject({
      status: "completed"
    })
    const set = await command("battery:set-reserve", { chargePercentage: 44 })
    expect(set).toMatchObject({ status: "completed" })
    clock.move(600_000)
    await perform()
    expect(await settings()).toEqual({ ...before, reserve: percent(44) })

    expect(await mode("charge", { enableGridInteraction: true, minimumBatteryReserve: 10 })).toMatchObject({
      status: "completed"
    })
    await command("battery:set-reserve", { chargePercentage: 60 })
    expect(await mode("reset")).toMatchObject({ status: "completed" })
    expect(await settings()).toEqual({ ...before, reserve: percent(60) })
  })

  it("takes a command that was sent while it could not be reached, once it can be reached again", async () => {
    const { command, interventions, perform, poll, stored } = await connect()
    await server.stop()
    await poll()
    expect(await interventions()).toEqual(["local_access_disabled"])
    const { id } = await command("battery:set-reserve", { chargePercentage: 44 })
    expect(await stored(id)).toMatchObject({ status: "pending", upstream: { errorCode: "ECONNREFUSED" } })
    for (let attempt = 2; attempt <= 6; attempt++) {
      clock.move(12_000)
      await perform()
    }
    expect((await stored(id)).status).toBe("pending")
    server = await startModbusServer({ "1": { holding: { [base]: [...map] } } }, server.port)
    clock.move(12_000)
    await perform()
    const taken = await stored(id)
    expect(taken.status).toBe("completed")
    // It was written, and not so already.
    expect(taken).not.toHaveProperty("reason")
    expect(await settings()).toMatchObject({ reserve: percent(44) })
  })

  it("is given back its settings once it can be reached again", async () => {
    const { forcedMode, mode, perform } = await connect()
    const before = await settings()
    await mode("charge", { enableGridInteraction: true }, { revertAfter: 600 })
    const forced = await registers()
    await server.stop()
    clock.move(600_000)
    for (let attempt = 1; attempt <= 6; attempt++) {
      await perform()
      clock.move(36_000)
    }
    server = await startModbusServer({ "1": { holding: { [base]: forced } } }, server.port)
    await perform()
    expect(await settings()).toEqual(before)
    expect(await forcedMode()).toBeUndefined()
  })

  it("fails a mode that its registers cannot hold, and leaves them all as they were", async () => {
    const { forcedMode, mode } = await connect()
    const before = await registers()
    expect(await mode("charge", { maximumBatteryReserve: 80 })).toMatchObject({
      status: "failed",
      reason: "unsupported_value"
    })
    expect(await registers()).toEqual(before)
    expect(await forcedMode()).toBeUndefined()
  })
})
