import type { AnyManufacturerAdapter } from "@edp/adapter-kit/ManufacturerAdapter"
import { makeDrivers, modbusTemplateAdapters } from "@edp/server/adapters/templateAdapters"
import type { ModbusTemplate } from "@edp/adapter-templates/DeviceTemplate"
import { readTemplate } from "@edp/adapter-templates/readTemplate"
import { shippedTemplates } from "@edp/adapter-templates/templateFiles"
import { afterEach, describe, expect, it } from "vitest"
import { describeModbus, type ModbusRegisters, startModbusServer } from "../../support/peers/ModbusServer.ts"
import { failure, run, startInstance } from "../../adapter-kit/modbus/modbusInstance.ts"
import { fixtureForm, fixtureRegisters, type LocalTemplate, modbusTemplates } from "./fixtureRegisters.ts"

const find = (slug: string) => modbusTemplates.find((one) => one.slug === slug)!

const stops: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** The template's driver at work, and a server with registers. */
const start = async (templates: ReadonlyArray<LocalTemplate>, registers: ModbusRegisters) => {
  const adapter = await startInstance(templates.flatMap(makeDrivers))
  const server = await startModbusServer(registers)
  stops.push(adapter.stop, server.stop)
  const form = (more: Readonly<Record<string, string>> = {}) => ({
    host: "127.0.0.1",
    port: String(server.port),
    ...more
  })
  return { adapter, server, form }
}

describeModbus("a template at a server of pymodbus", () => {
  it.each(modbusTemplates.map((template) => [template.slug, template] as const))(
    "%s reads exactly the states of its fixture, of the devices that it finds",
    async (_, template) => {
      const { adapter, form } = await start([template], fixtureRegisters(template))
      const account = await adapter.link(form(fixtureForm(template)))
      const devices = await run(adapter.instance.discoverDevices!(account))
      const { observations } = await run(adapter.instance.readDevices!(account, []))
      const expected = Object.entries(template.fixture.expected)
      expect(devices.map(({ manufacturerDeviceId }) => manufacturerDeviceId)).toEqual(
        expected.map(([key]) => `${account.externalId}/${key}`)
      )
      expect(devices.map(({ incompatible }) => incompatible)).toEqual(expected.map(() => null))
      expect(observations.map(({ manufacturerDeviceId, state }) => [manufacturerDeviceId, state])).toEqual(
        expected.map(([key, { missing = [], state }]) => [
          `${account.externalId}/${key}`,
          missing.length === 0 ? state : null
        ])
      )
      if (template.fixture.serialNumber !== undefined) expect(account.externalId).toBe(template.fixture.serialNumber)
    }
  )

  it("reads a device at the unit id that the person entered", async () => {
    const template = find("sma-inverter")
    const { adapter, form } = await start([template], fixtureRegisters(template, { "3": 126 }))
    expect(await failure(adapter.authorization.connect(form()))).toMatchObject({ failure: "unreachable" })
    const account = await adapter.link(form({ unitId: "126" }))
    expect((await run(adapter.instance.readDevices!(account, []))).observations).toHaveLength(1)
  })

  it("links an installation that lacks one of the template's units", async () => {
    const template = find("fronius-gen24")
    const { "200": _, ...inverterAlone } = fixtureRegisters(template)
    const { adapter, form } = await start([template], inverterAlone)
    const account = await adapter.link(form())
    const devices = await run(adapter.instance.discoverDevices!(account))
    expect(devices.map(({ type }) => type)).toEqual(["inverter", "battery"])
  })

  it("refuses a device that has none of the registers", async () => {
    const template = find("victron-gx")
    const { adapter, form } = await start([template], { "100": { holding: { "5": [1] } } })
    expect(await failure(adapter.authorization.connect(form()))).toMatchObject({
      failure: "misconfigured",
      message: expect.stringContaining("none of the registers of Victron GX")
    })
  })

  it("cannot use a battery whose capacity nobody knows", async () => {
    const template = find("victron-gx")
    const { adapter, form } = await start([template], fixtureRegisters(template))
    const devices = await run(adapter.instance.discoverDevices!(await adapter.link(form())))
    expect(devices.map(({ incompatible, type }) => [type, incompatible === null])).toEqual([
      ["battery", false],
      ["inverter", true],
      ["meter", true]
    ])
  })

  it("does not take another device at the address for the linked one", async () => {
    const template = find("victron-gx")
    const { adapter, form, server } = await start([template], fixtureRegisters(template))
    const account = await adapter.link(form())
    await server.write(100, 800, [0x7a7a])
    expect(await failure(adapter.instance.readDevices!(account, []))).toMatchObject({
      failure: "misconfigured",
      message: expect.stringContaining("Another device")
    })
  })

  it("writes a command that another client reads, in the device's scale, and nothing if it is so already", async () => {
    const template = find("victron-gx")
    const { adapter, form, server } = await start([template], fixtureRegisters(template))
    const account = await adapter.link(form(fixtureForm(template)))
    const reserve = { type: "battery:set-reserve", input: { chargePercentage: 35 } } as const
    expect(await run(adapter.command(account, reserve).effect)).toMatchObject({ status: "completed", reason: null })
    expect(await server.read(100, 2901)).toEqual([350])
    expect(await run(adapter.command(account, reserve).effect)).toMatchObject({ reason: "already_so" })
    const { observations } = await run(adapter.instance.readDevices!(account, []))
    expect(observations[0]!.state).toMatchObject({ backupReserve: 35 })
    const inverter = adapter.command(account, reserve, "inverter")
    expect(await failure(inverter.effect)).toMatchObject({ failure: "refused", commandReason: "unsupported_value" })
  })

  it("restores the registers of a forced mode", async () => {
    const forced = { address: 3700, type: "int16", input: "operatingMode", values: { charge: -1, idle: 0 } }
    const result = readTemplate({
      ...(find("victron-gx") as ModbusTemplate),
      devices: (find("victron-gx") as ModbusTemplate).devices.map((device) =>
        device.key === "battery" ? { ...device, commands: { "battery:set-operating-mode": [forced] } } : device
      )
    })
    if ("problems" in result) throw new Error(JSON.stringify(result.problems))
    const template = result.template as ModbusTemplate
    const registers = fixtureRegisters(template)
    const { adapter, form, server } = await start([template], {
      "100": { holding: { ...registers["100"]!.holding, "3700": [77] } }
    })
    const account = await adapter.link(form())
    const charge = adapter.command(account, { type: "battery:set-operating-mode", input: { operatingMode: "charge" } })
    await run(charge.effect)
    expect(await server.read(100, 3700)).toEqual([65_535])
    await run(adapter.instance.restore!(account, { device: charge.device, snapshot: charge.saved[0], takenSince: [] }))
    expect(await server.read(100, 3700)).toEqual([77])
    const unknown = adapter.command(account, {
      type: "battery:set-operating-mode",
      input: { operatingMode: "discharge" }
    })
    expect(await failure(unknown.effect)).toMatchObject({ commandReason: "unsupported_value" })
  })

  it("writes a target power, or that of a mode without one, and reports that it takes them", async () => {
    const steps = [
      { address: 3700, type: "int16", input: "operatingMode", values: { charge: -1, discharge: 1, idle: 0 } },
      { address: 3701, type: "uint16", input: "targetPowerW", scale: 0.1, otherwise: 500 }
    ]
    const result = readTemplate({
      ...(find("victron-gx") as ModbusTemplate),
      devices: (find("victron-gx") as ModbusTemplate).devices.map((device) =>
        device.key === "battery" ? { ...device, commands: { "battery:set-operating-mode": steps } } : device
      )
    })
    if ("problems" in result) throw new Error(JSON.stringify(result.problems))
    const template = result.template as ModbusTemplate
    const registers = fixtureRegisters(template)
    const { adapter, form, server } = await start([template], {
      "100": { holding: { ...registers["100"]!.holding, "3700": [77, 123] } }
    })
    const account = await adapter.link(form(fixtureForm(template)))
    const [battery] = await run(adapter.instance.discoverDevices!(account))
    expect(battery!.staticState).toMatchObject({ takesTargetPower: true })
    const type = "battery:set-operating-mode" as const
    const slow = adapter.command(account, { type, input: { operatingMode: "charge", targetPowerW: 2000 } })
    await run(slow.effect)
    expect(await server.read(100, 3700, 2)).toEqual([65_535, 200])
    const full = adapter.command(account, { type, input: { operatingMode: "charge" }, snapshot: slow.saved[0] })
    await run(full.effect)
    expect(await server.read(100, 3701)).toEqual([500])
    await run(adapter.instance.restore!(account, { device: slow.device, snapshot: slow.saved[0], takenSince: [] }))
    expect(await server.read(100, 3700, 2)).toEqual([77, 123])
  })

  it("is chosen by the person where a manufacturer has several", async () => {
    const sma = find("sma-inverter") as ModbusTemplate
    const other: ModbusTemplate = {
      ...sma,
      slug: "sma-other",
      name: "SMA other",
      devices: [{ ...sma.devices[0]!, key: "other" }]
    }
    const { adapter, form } = await start([sma, other], fixtureRegisters(sma))
    expect(adapter.authorization.fields[0]).toMatchObject({
      name: "model",
      kind: "choice",
      choices: [{ value: "sma-inverter" }, { value: "sma-other" }]
    })
    const account = await adapter.link(form({ model: "sma-other" }))
    const [device] = await run(adapter.instance.discoverDevices!(account))
    expect(device!.manufacturerDeviceId).toBe("3004567890/other")
  })
})

describe("the adapters of templates", () => {
  it("are one for each manufacturer, with its name, slug, types and commands", () => {
    const adapters = modbusTemplateAdapters(shippedTemplates) as ReadonlyArray<AnyManufacturerAdapter>
    expect(adapters.map(({ manifest }) => manifest)).toMatchObject([
      { slug: "fronius", name: "Fronius", deviceTypes: ["inverter", "battery", "meter"], authorization: "form" },
      { slug: "sma", name: "SMA", deviceTypes: ["inverter"], commands: [] },
      {
        slug: "victron-energy",
        name: "Victron Energy",
        deviceTypes: ["battery", "inverter", "meter"],
        commands: ["battery:set-reserve"]
      }
    ])
  })
})
