import type { AnyManufacturerAdapter } from "@edp/adapter-kit/ManufacturerAdapter"
import { makeDrivers, modbusTemplateAdapters } from "@edp/server/adapters/templateAdapters"
import type { ModbusTemplate } from "@edp/adapter-templates/DeviceTemplate"
import { readTemplate } from "@edp/adapter-templates/readTemplate"
import { shippedTemplates } from "@edp/adapter-templates/templateFiles"
import type { Duration } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { CommandRequest } from "@edp/adapter-kit/ManufacturerAdapter"
import { localhostCertificate } from "../../support/peers/localhostCertificate.ts"
import {
  describeModbus,
  type ModbusRegisters,
  type ModbusServer,
  startModbusServer,
  startModbusServers
} from "../../support/peers/ModbusServer.ts"
import { startScriptedDevice } from "../../support/peers/scriptedModbusDevice.ts"
import { failure, run, startInstance } from "../../adapter-kit/modbus/modbusInstance.ts"
import { fixtureForm, fixtureRegisters, type LocalTemplate, modbusTemplates } from "./fixtureRegisters.ts"
import { fingerprint } from "./httpForms.ts"

const find = (slug: string) => modbusTemplates.find((one) => one.slug === slug)!

const stops: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** The template's driver at work, at a server. */
const startAt = async (templates: ReadonlyArray<LocalTemplate>, server: ModbusServer, idle: Duration.Input = 0) => {
  const adapter = await startInstance(templates.flatMap(makeDrivers), { idle })
  stops.push(adapter.stop)
  const form = (more: Readonly<Record<string, string>> = {}) => ({
    host: "127.0.0.1",
    port: String(server.port),
    ...more
  })
  return { adapter, server, form }
}

/** The template's driver at work, and a server with registers. */
const start = async (templates: ReadonlyArray<LocalTemplate>, registers: ModbusRegisters) => {
  const server = await startModbusServer(registers)
  stops.push(server.stop)
  return startAt(templates, server)
}

/** A Victron GX whose battery has a forced mode. */
const victronWithMode = (steps: ReadonlyArray<object>) => {
  const template = structuredClone(find("victron-gx")) as any
  template.devices[0].commands = { "battery:set-operating-mode": steps }
  template.fixture.sends = [{ device: "battery", command: "battery:set-operating-mode", input: {}, registers: {} }]
  const result = readTemplate(template)
  if ("problems" in result) throw new Error(JSON.stringify(result.problems))
  return result.template as ModbusTemplate
}

describeModbus("a template at a server of pymodbus", () => {
  let servers: ReadonlyArray<ModbusServer>
  beforeAll(async () => {
    servers = await startModbusServers(
      modbusTemplates.map((template) => ({ registers: fixtureRegisters(template, moved) }))
    )
  })
  afterAll(() => servers[0]!.stop())

  /** The other client takes no unit id of 248; a person enters another one then. */
  const moved: Readonly<Record<string, number>> = { "248": 1 }

  /** The registers of a place such as `1/holding/300`, as another client reads them. */
  const registersAt = (server: ModbusServer, place: string, count: number) => {
    const [unit = "", , address] = place.split("/")
    return server.read(moved[unit] ?? Number(unit), Number(address), count)
  }

  it.each(modbusTemplates.map((template, n) => [template.slug, template, n] as const))(
    "%s is linked, found and read, sends its commands as they are documented, and restores what it had",
    async (_, template, n) => {
      const { adapter, form, server } = await startAt([template], servers[n]!, "2 seconds")
      const [unit = ""] = Object.keys(template.fixture.registers)[0]!.split("/")
      const unitId = moved[unit]
      const account = await adapter.link(
        form({ ...fixtureForm(template), ...(unitId !== undefined && { unitId: String(unitId) }) })
      )
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
      for (const { command: type, device, input, registers } of template.fixture.sends ?? []) {
        const isBattery = type.startsWith("battery")
        const before = await Promise.all(
          Object.entries(registers).map(([place, words]) => registersAt(server, place, words.length))
        )
        const sent = adapter.command(
          account,
          { type: type as CommandRequest["type"], input, revertAfter: isBattery ? 600 : null },
          device
        )
        await run(sent.effect)
        for (const [place, words] of Object.entries(registers)) {
          expect([place, await registersAt(server, place, words.length)]).toEqual([place, words])
        }
        if (type !== "battery:set-operating-mode") continue
        await run(adapter.instance.restore!(account, { device: sent.device, snapshot: sent.saved[0], takenSince: [] }))
        expect(
          await Promise.all(Object.entries(registers).map(([place, words]) => registersAt(server, place, words.length)))
        ).toEqual(before)
      }
    }
  )

  it("is reached as on a serial line over TCP, and by TLS with the certificate that a person confirmed", async () => {
    const template = find("eastron-sdm120") as ModbusTemplate
    const registers = fixtureRegisters(template)
    const folder = mkdtempSync(join(tmpdir(), "edp-modbus-"))
    const files = [join(folder, "certificate.pem"), join(folder, "key.pem")]
    writeFileSync(files[0]!, localhostCertificate.cert)
    writeFileSync(files[1]!, localhostCertificate.key)
    stops.push(async () => rmSync(folder, { recursive: true }))
    const [serial, tls] = await startModbusServers(
      [
        { registers, transport: "serial" },
        { registers, transport: "tls" }
      ],
      files
    )
    stops.push(serial!.stop)
    const { adapter } = await startAt([{ ...template, transports: ["tcp", "serial", "tls"] }], serial!)
    const form = (port: number, more: object) => ({ host: "127.0.0.1", port: String(port), ...more })
    const state = async (values: Readonly<Record<string, string>>) =>
      (await run(adapter.instance.readDevices!(await adapter.link(values), []))).observations[0]!.state
    expect(await state(form(serial!.port, { transport: "serial" }))).toEqual(template.fixture.expected["meter"]!.state)
    const secured = { transport: "tls", fingerprint: fingerprint() }
    expect(await state(form(tls!.port, secured))).toEqual(template.fixture.expected["meter"]!.state)
    const refusals = [{ transport: "tls" }, { transport: "tls", fingerprint: "00" }, { transport: "radio" }]
    for (const [n, message] of [fingerprint(), "32 bytes", "must be one of tcp, serial, tls"].entries()) {
      expect(await failure(adapter.authorization.connect(form(tls!.port, refusals[n]!)))).toMatchObject({
        failure: "misconfigured",
        message: expect.stringContaining(message)
      })
    }
  })

  it("writes and restores each register by the function that the template names", async () => {
    const template = find("huawei-sun2000-hybrid")
    const device = await startScriptedDevice(
      Object.entries(fixtureRegisters(template)["1"]!.holding!).flatMap(([address, words]) =>
        words.map((word, n) => [Number(address) + n, word] as const)
      )
    )
    const adapter = await startInstance(makeDrivers(template))
    stops.push(adapter.stop, device.stop)
    const account = await adapter.link({ host: "127.0.0.1", port: String(device.port) })
    const written = () =>
      device.requests.splice(0).flatMap(({ address, code }) => (code === 3 ? [] : [[address, code]]))
    written()
    const charge = adapter.command(account, { type: "battery:set-operating-mode", input: { operatingMode: "charge" } })
    await run(charge.effect)
    expect(written()).toEqual([
      [47_246, 6],
      [47_083, 6],
      [47_247, 16],
      [47_100, 6]
    ])
    await run(adapter.instance.restore!(account, { device: charge.device, snapshot: charge.saved[0], takenSince: [] }))
    // The power was the same before.
    expect(written()).toEqual([
      [47_100, 6],
      [47_083, 6],
      [47_246, 6]
    ])
  })

  it("accepts a command to a register that can't be read, and refuses to force a mode by it", async () => {
    const template = find("keba-p30")
    const { adapter, form } = await start([template], fixtureRegisters(template))
    const account = await adapter.link(form())
    const startCharging = { type: "charger:set-operating-mode", input: { operatingMode: "start-charging" } } as const
    expect(await run(adapter.command(account, startCharging, "charger").effect)).toMatchObject({ status: "accepted" })
    const forced = adapter.command(account, { ...startCharging, revertAfter: 600 }, "charger")
    expect(await failure(forced.effect)).toMatchObject({ commandReason: "precondition_unmet" })
  })

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
    const template = victronWithMode([forced])
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
    const template = victronWithMode(steps)
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
    const found = (slug: string) => adapters.find(({ manifest }) => manifest.slug === slug)?.manifest
    expect(found("fronius")).toMatchObject({ name: "Fronius", deviceTypes: ["inverter", "battery", "meter"] })
    expect(found("sma")).toMatchObject({ name: "SMA", authorization: "form", commands: [] })
    expect(found("huawei")).toMatchObject({ commands: ["battery:set-reserve", "battery:set-operating-mode"] })
    expect(new Set(adapters.map(({ manifest }) => manifest.slug)).size).toBe(adapters.length)
  })
})
