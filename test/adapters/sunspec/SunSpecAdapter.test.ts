import { anySunSpecDevice } from "@edp/adapter-sunspec/sunSpecAdapter"
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest"
import { describeModbus, type ModbusServer, startModbusServer } from "../../support/peers/ModbusServer.ts"
import { freePort } from "../../support/freePort.ts"
import { exception, frame, type ScriptedDevice, startScriptedDevice } from "../../support/peers/scriptedModbusDevice.ts"
import { failure, run, startInstance } from "../../adapter-kit/modbus/modbusInstance.ts"
import { mapRegisters, model, type ModelFixture } from "./sunSpecMap.ts"

const common = (serial = "SN-1001") => model(1, { Mn: "Acme", Md: "Hybrid 6", Vr: "1.2", SN: serial })
const inverter = model(103, { W: 300, W_SF: 1, WH: 1_234_567, WH_SF: 0, Evt1: 0 })
const ratings = model(120, { WRtg: 6000, WRtg_SF: 0, WHRtg: 1000, WHRtg_SF: 1 })
const storage = model(124, {
  WChaMax: 5000,
  WChaMax_SF: 0,
  StorCtl_Mod: 0,
  MinRsvPct: 1000,
  MinRsvPct_SF: -2,
  ChaState: 6350,
  ChaState_SF: -2,
  ChaSt: 6,
  OutWRte: 10_000,
  InWRte: 10_000,
  InOutWRte_SF: -2,
  InOutWRte_RvrtTms: 0,
  ChaGriSet: 0
})
const meter = model(203, { W: -212, W_SF: 1, TotWhImp: 5000, TotWhExp: 7000, TotWh_SF: 0, PhV: 2310, V_SF: -1 })
/** A model of a manufacturer, which is in no public table. */
const vendorModel: ModelFixture = { id: 64_110, length: 4, points: {} }

const home = [common(), inverter, ratings, storage, vendorModel, meter]
const registers = (fixtures: ReadonlyArray<ModelFixture>) => ({ "40000": [...mapRegisters(fixtures)] })

/** The address of a point, by the offsets of the public definitions. */
const pointAt = (fixtures: ReadonlyArray<ModelFixture>, id: number, offset: number) => {
  const before = fixtures.slice(
    0,
    fixtures.findIndex((one) => one.id === id)
  )
  return 40_002 + before.reduce((sum, { length }) => sum + length + 2, 0) + offset
}
const at = (offset: number) => pointAt(home, 124, offset)
/** Registers of model 124 that a forced mode writes. */
const points = {
  StorCtl_Mod: at(5),
  MinRsvPct: at(7),
  OutWRte: at(12),
  InWRte: at(13),
  timer: at(15),
  ChaGriSet: at(17)
}

const adapter = await startInstance([anySunSpecDevice])
afterAll(() => adapter.stop())

describeModbus("the SunSpec adapter at a server of pymodbus", () => {
  let server: ModbusServer
  const form = (more: Readonly<Record<string, string>> = {}) => ({
    host: "127.0.0.1",
    port: String(server.port),
    unitId: "1",
    ...more
  })
  const settings = async () =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(points).map(async ([name, address]) => [name, (await server.read(1, address))[0]] as const)
      )
    )
  beforeEach(async () => {
    server = await startModbusServer({
      "1": { holding: registers(home) },
      "2": { holding: { "0": [1, 2, 3] } },
      "3": { holding: registers([common(), vendorModel]) }
    })
  })
  afterEach(() => server.stop())

  it("knows an installation by manufacturer and serial number, wherever its address moves", async () => {
    const linked = await run(adapter.authorization.connect(form({ name: " Garage " })))
    expect(linked).toMatchObject({ externalId: "Acme/SN-1001", name: "Garage", expiresAt: null })
    const other = await startModbusServer({ "7": { holding: registers(home) } })
    try {
      const moved = await run(adapter.authorization.connect({ ...form(), port: String(other.port), unitId: "7" }))
      expect(moved).toMatchObject({ externalId: "Acme/SN-1001", name: "Acme Hybrid 6" })
    } finally {
      await other.stop()
    }
  })

  it("knows an installation without a serial number by its address", async () => {
    const other = await startModbusServer({ "1": { holding: registers([inverter]) } })
    try {
      const linked = await run(adapter.authorization.connect({ ...form(), port: String(other.port) }))
      expect(linked.externalId).toBe(`127.0.0.1:${other.port}:1`)
    } finally {
      await other.stop()
    }
  })

  it("finds the same devices each time, with the commands for which they have registers", async () => {
    const account = await adapter.link(form({ name: "Home" }))
    const devices = await run(adapter.instance.discoverDevices!(account))
    expect(devices).toMatchObject([
      {
        manufacturerDeviceId: "Acme/SN-1001/inverter",
        type: "inverter",
        name: "Home inverter",
        model: "Hybrid 6",
        serialNumber: "SN-1001",
        staticState: { power: 6000 },
        commands: [],
        incompatible: null
      },
      {
        manufacturerDeviceId: "Acme/SN-1001/battery",
        type: "battery",
        staticState: { capacity: 10_000, maxChargeRate: 5000, takesTargetPower: true },
        commands: ["battery:set-reserve", "battery:set-operating-mode"],
        incompatible: null
      },
      { manufacturerDeviceId: "Acme/SN-1001/meter-1", type: "meter", commands: [] }
    ])
    expect(await run(adapter.instance.discoverDevices!(account))).toEqual(devices)
  })

  it("reads every device in the units and signs of the contract", async () => {
    const { observations } = await run(adapter.instance.readDevices!(await adapter.link(form()), []))
    expect(observations.map(({ state }) => state)).toEqual([
      { power: 3000 },
      {
        chargingState: "idle",
        charge: 6350,
        chargePercentage: 63.5,
        whConsumed: null,
        backupReserve: 10
      },
      { power: -2120, importedEnergy: 5000, exportedEnergy: 7000, voltage: 231 }
    ])
    expect(observations.every(({ interventions }) => interventions?.length === 0)).toBe(true)
  })

  it("turns the sign of a meter that counts power from the grid as negative", async () => {
    const account = await adapter.link(form({ meterDirection: "export" }))
    const { observations } = await run(adapter.instance.readDevices!(account, []))
    expect(observations.at(-1)!.state).toMatchObject({ power: 2120 })
  })

  it("reports unknown models once, and remembers where the others are", async () => {
    const account = await adapter.link(form())
    const first = await run(adapter.instance.readDevices!(account, []))
    expect(first.observations.flatMap(({ problems }) => problems)).toEqual([
      "SunSpec models that are not read (unit/model): 1/64110"
    ])
    const memory = JSON.parse(JSON.stringify(first.memory))
    const second = await run(adapter.instance.readDevices!({ ...account, memory }, []))
    expect(second.observations.flatMap(({ problems }) => problems)).toEqual([])
    expect(second.observations.map(({ state }) => state)).toEqual(first.observations.map(({ state }) => state))
    expect(second.memory).toBeUndefined()
  })

  it("has no reading of an inverter that does not report its power, as at night", async () => {
    const account = await adapter.link(form())
    await server.write(1, pointAt(home, 103, 14), [0x8000])
    const { observations } = await run(adapter.instance.readDevices!(account, []))
    expect(observations[0]!.state).toBeNull()
    expect(observations[1]!.state).toMatchObject({ chargePercentage: 63.5 })
  })

  it("raises an alert for an event of the inverter, and resolves it when the event is over", async () => {
    const account = await adapter.link(form())
    const evt1 = pointAt(home, 103, 40)
    await server.write(1, evt1, [0, 1 << 7])
    const hot = await run(adapter.instance.readDevices!(account, []))
    const alert = {
      manufacturerDeviceId: "Acme/SN-1001/inverter",
      externalId: "Acme/SN-1001/inverter:103.Evt1.7",
      type: "TEMPERATURE",
      severity: "WARNING",
      providerCode: "103.Evt1.7"
    }
    expect(hot.alerts).toEqual([expect.objectContaining({ ...alert, resolved: false })])
    await server.write(1, evt1, [0, 0])
    const cool = await run(adapter.instance.readDevices!({ ...account, memory: hot.memory }, []))
    expect(cool.alerts).toEqual([expect.objectContaining({ ...alert, resolved: true })])
    const later = await run(adapter.instance.readDevices!({ ...account, memory: cool.memory }, []))
    expect(later.alerts).toEqual([])
  })

  it("refuses a host without SunSpec, one without devices, and a unit that is not there, each with a sentence", async () => {
    const refusal = async (more: Readonly<Record<string, string>>) => failure(adapter.authorization.connect(form(more)))
    expect(await refusal({ unitId: "2" })).toMatchObject({
      failure: "misconfigured",
      message: expect.stringContaining("unit 2 has no SunSpec map at 40000, 50000, 0")
    })
    expect(await refusal({ unitId: "3" })).toMatchObject({
      failure: "misconfigured",
      message: expect.stringMatching(/It has the models 1 \(common\), and others that are not known: 64110\.$/)
    })
    expect(await refusal({ unitId: "9" })).toMatchObject({ failure: "unreachable" })
    expect(await refusal({ port: String(await freePort()) })).toMatchObject({
      failure: "unreachable",
      intervention: "local_access_disabled"
    })
    for (const wrong of [{ unitId: "0" }, { unitId: "248" }, { port: "0" }, { port: "x" }, { host: " " }]) {
      expect(await refusal(wrong)).toMatchObject({ failure: "misconfigured" })
    }
  })

  it("does not take another device at the address for the linked one", async () => {
    const account = await adapter.link(form())
    const forced = adapter.command(account, { type: "battery:set-operating-mode", input: { operatingMode: "idle" } })
    await run(forced.effect)
    const serial = pointAt(home, 1, 50)
    await server.write(1, serial, [0x5a5a])
    const memory = (await run(adapter.instance.readDevices!(await adapter.link(form()), []))).memory
    for (const known of [null, memory]) {
      const error = await failure(adapter.instance.readDevices!({ ...account, memory: known }, []))
      expect(error).toMatchObject({ failure: "misconfigured", message: expect.stringContaining("Another device") })
    }
    const before = await settings()
    const { effect } = adapter.command(account, { type: "battery:set-reserve", input: { chargePercentage: 30 } })
    expect(await failure(effect)).toMatchObject({ failure: "misconfigured" })
    expect(
      await failure(
        adapter.instance.restore!(account, { device: forced.device, snapshot: forced.saved[0], takenSince: [] })
      )
    ).toMatchObject({
      failure: "misconfigured"
    })
    expect(await settings()).toEqual(before)
  })

  it("reports that local access is off when the device refuses connections", async () => {
    const account = await adapter.link(form())
    await server.stop()
    const battery = { id: "device-1", manufacturerDeviceId: "Acme/SN-1001/battery", type: "battery" } as const
    expect(await run(adapter.instance.readDevices!(account, [battery]))).toMatchObject({
      observations: [
        {
          manufacturerDeviceId: battery.manufacturerDeviceId,
          state: null,
          interventions: [
            {
              code: "local_access_disabled",
              blocks: ["telemetry", "battery:set-reserve", "battery:set-operating-mode"],
              actor: "owner"
            }
          ]
        }
      ]
    })
    const { effect } = adapter.command(account, { type: "battery:set-reserve", input: { chargePercentage: 30 } })
    expect(await failure(effect)).toMatchObject({ failure: "unreachable", intervention: "local_access_disabled" })
  })

  it("writes a reserve that another client reads, and nothing if it is so already", async () => {
    const account = await adapter.link(form())
    const reserve = { type: "battery:set-reserve", input: { chargePercentage: 30 } } as const
    expect(await run(adapter.command(account, reserve).effect)).toMatchObject({ status: "completed", reason: null })
    expect(await server.read(1, points.MinRsvPct)).toEqual([3000])
    expect(await run(adapter.command(account, reserve).effect)).toMatchObject({ reason: "already_so" })
  })

  it("forces a mode with the device's own timer, and restores what was before", async () => {
    const account = await adapter.link(form())
    const before = await settings()
    const charge = adapter.command(account, {
      type: "battery:set-operating-mode",
      input: { operatingMode: "charge", enableGridInteraction: true },
      revertAfter: 900
    })
    expect(await run(charge.effect)).toMatchObject({ status: "completed", reason: null })
    expect(await settings()).toEqual({
      StorCtl_Mod: 3,
      MinRsvPct: 1000,
      OutWRte: 65_536 - 10_000,
      InWRte: 10_000,
      timer: 900,
      ChaGriSet: 1
    })
    expect(charge.saved).toHaveLength(1)
    const [snapshot] = charge.saved

    // The first snapshot holds the settings that another mode changes, too.
    const idle = adapter.command(account, {
      type: "battery:set-operating-mode",
      input: { operatingMode: "idle", minimumBatteryReserve: 40 },
      snapshot
    })
    await run(idle.effect)
    expect(await settings()).toMatchObject({ OutWRte: 0, InWRte: 0, timer: 0, MinRsvPct: 4000, StorCtl_Mod: 3 })
    expect(idle.saved).toEqual([])

    for (let repetition = 0; repetition < 2; repetition++) {
      await run(adapter.instance.restore!(account, { device: idle.device, snapshot, takenSince: [] }))
      expect(await settings()).toEqual(before)
    }
  })

  it("returns to the settings from before by the mode reset, and refuses it where there are none", async () => {
    const account = await adapter.link(form())
    const before = await settings()
    const forced = adapter.command(account, {
      type: "battery:set-operating-mode",
      input: { operatingMode: "discharge" }
    })
    await run(forced.effect)
    const reset = { type: "battery:set-operating-mode", input: { operatingMode: "reset" } } as const
    await run(adapter.command(account, { ...reset, snapshot: forced.saved[0] }).effect)
    expect(await settings()).toEqual(before)
    expect(await failure(adapter.command(account, reset).effect)).toMatchObject({
      failure: "refused",
      commandReason: "precondition_unmet"
    })
  })

  it("restores nothing on a device whose models have moved", async () => {
    const account = await adapter.link(form())
    const forced = adapter.command(account, { type: "battery:set-operating-mode", input: { operatingMode: "idle" } })
    await run(forced.effect)
    const after = await settings()
    await server.write(1, pointAt(home, 124, 0), [123])
    expect(
      await failure(
        adapter.instance.restore!(account, { device: forced.device, snapshot: forced.saved[0], takenSince: [] })
      )
    ).toMatchObject({
      failure: "refused"
    })
    expect(await settings()).toEqual(after)
    expect(
      await failure(adapter.instance.restore!(account, { device: forced.device, snapshot: { x: 1 }, takenSince: [] }))
    ).toMatchObject({
      failure: "contract"
    })
  })
})

describe("a forced mode that fails on its way", () => {
  let device: ScriptedDevice
  const form = () => ({ host: "127.0.0.1", port: String(device.port), unitId: "1" })
  const charge = {
    type: "battery:set-operating-mode",
    input: { operatingMode: "charge", enableGridInteraction: true },
    revertAfter: 900
  } as const
  const writes = () => device.requests.filter(({ code }) => code === 16).map(({ address }) => address)
  beforeEach(async () => {
    device = await startScriptedDevice(mapRegisters(home).map((word, n) => [40_000 + n, word] as const))
  })
  afterEach(() => device.stop())

  it("saves the settings before the first write", async () => {
    const account = await adapter.link(form())
    const command = adapter.command(account, charge)
    device.script = (request) => {
      if (request.code === 16) expect(command.saved).toHaveLength(1)
      return undefined
    }
    await run(command.effect)
    expect(writes()).toEqual([
      points.StorCtl_Mod,
      points.ChaGriSet,
      points.timer,
      points.InWRte,
      points.OutWRte,
      points.StorCtl_Mod
    ])
  })

  it("leaves every register as it was when the device refuses one of the writes", async () => {
    const account = await adapter.link(form())
    const before = new Map(device.registers)
    device.script = (request) =>
      request.code === 16 && request.address === points.OutWRte ? exception(request, 3) : undefined
    const command = adapter.command(account, charge)
    expect(await failure(command.effect)).toMatchObject({
      failure: "refused",
      commandReason: "unsupported_value",
      upstream: { errorCode: "3", errorMessage: "Illegal data value" }
    })
    expect(device.registers).toEqual(before)
    expect(writes().at(-1)).toBe(points.StorCtl_Mod)
  })

  it("keeps the settings for a later restore when the device is lost in between", async () => {
    const account = await adapter.link(form())
    const before = new Map(device.registers)
    device.script = (request) =>
      device.registers.get(points.timer) === 900 && request.code === 16 ? "silent" : undefined
    const command = adapter.command(account, charge)
    expect(await failure(command.effect)).toMatchObject({ failure: "unreachable" })
    expect(device.registers.get(points.timer)).toBe(900)
    device.script = () => undefined
    await run(
      adapter.instance.restore!(account, { device: command.device, snapshot: command.saved[0], takenSince: [] })
    )
    expect(device.registers).toEqual(before)
  })

  it("fails when the device accepts the writes and keeps its own values", async () => {
    const account = await adapter.link(form())
    device.script = (request) =>
      request.code === 16 && request.address === points.InWRte
        ? frame(request, [points.InWRte >> 8, points.InWRte & 0xff, 0, 1])
        : undefined
    device.registers.set(points.InWRte, 4242)
    expect(await failure(adapter.command(account, charge).effect)).toMatchObject({
      failure: "refused",
      message: expect.stringContaining("does not hold the values")
    })
    expect(device.registers.get(points.StorCtl_Mod)).toBe(0)
  })
})
