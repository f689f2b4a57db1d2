import { manufacturerSlug } from "@edp/adapter-templates/DeviceTemplate"
import type { HttpTemplate } from "@edp/adapter-templates/HttpTemplate"
import { httpTemplateAdapter } from "@edp/adapter-templates/HttpTemplateAdapter"
import { readTemplate } from "@edp/adapter-templates/readTemplate"
import type { AccountReport } from "@edp/adapter-kit/Account"
import type { AdapterInstance, CommandRequest } from "@edp/adapter-kit/ManufacturerAdapter"
import { testAccount, testHost } from "@edp/adapter-kit/testing/TestHost"
import { Effect, Schema, Scope } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { failure, run } from "../../adapter-kit/modbus/modbusInstance.ts"
import { type HttpDevice, PASSWORD, startHttpDevice } from "../../support/peers/HttpDevice.ts"
import { localhostCertificate } from "../../support/peers/localhostCertificate.ts"
import { fingerprint, httpForm, httpTemplates } from "./httpForms.ts"

const find = (slug: string) => httpTemplates.find((one) => one.slug === slug)!

const devices: Array<HttpDevice> = []
afterEach(async () => {
  for (const device of devices.splice(0)) await device.close()
})

/** An adapter of one template, and a device in the shape of its fixture. */
const start = async (template: HttpTemplate) => {
  const device = await startHttpDevice(template, template.tls === "required" ? localhostCertificate : undefined)
  devices.push(device)
  const adapter = httpTemplateAdapter({
    slug: manufacturerSlug(template),
    name: template.manufacturer,
    templates: [template]
  })
  const instance: AdapterInstance<any> = await run(
    Effect.provideService(adapter.create({}, testHost().host), Scope.Scope, Scope.makeUnsafe())
  )
  const { authorization } = instance
  if (authorization.kind !== "form") throw new Error("The adapter has no form")
  const form = (more: Readonly<Record<string, string>> = {}) => httpForm(template, device.port, more)
  const connect = (more?: Readonly<Record<string, string>>) => authorization.connect(form(more))
  const link = async () => {
    const { credentials, externalId } = await run(connect())
    const stored = JSON.stringify(Schema.encodeSync(adapter.credentials)(credentials))
    return testAccount(externalId, Schema.decodeUnknownSync(adapter.credentials)(JSON.parse(stored)))
  }
  const account = await link()
  device.lines.splice(0)
  const read = (): Effect.Effect<AccountReport, any> => instance.readDevices!(account, [])
  const command = (
    key: string,
    request: Pick<CommandRequest, "type" | "input"> & Partial<CommandRequest>,
    saved: Array<unknown> = []
  ) =>
    instance.sendCommand!(account, {
      id: "command-1",
      device: { id: "device-1", manufacturerDeviceId: `${account.externalId}/${key}`, type: "battery" },
      revertAfter: null,
      state: null,
      snapshot: null,
      takenSince: [],
      saveSnapshot: (snapshot) => Effect.sync(() => void saved.push(JSON.parse(JSON.stringify(snapshot)))),
      ...request
    })
  const writes = () => device.lines.splice(0).filter((line) => !reads(template).some((path) => line.startsWith(path)))
  return { account, authorization, command, connect, device, instance, read, writes }
}

/** The beginnings of the lines of requests that read, with their inputs. */
const reads = ({ fixture, requests }: HttpTemplate) =>
  Object.values(requests).map(({ method = "GET", path }) =>
    `${method} ${path}`.replaceAll(/\{(\w+)\}/g, (_, name: string) => fixture.inputs?.[name] ?? "")
  )

/** A template with other parts. */
const changed = (slug: string, parts: object): HttpTemplate => {
  const result = readTemplate({ ...structuredClone(find(slug)), ...parts })
  if ("problems" in result) throw new Error(JSON.stringify(result.problems))
  return result.template as HttpTemplate
}

describe("a template over HTTP, at a device in the shape of its fixture", () => {
  it.each(httpTemplates.map((template) => [template.slug, template] as const))(
    "%s is linked, found and read, with one request for each response, and sends its commands as they are documented",
    async (_, template) => {
      const { account, command, device, instance, read, writes } = await start(template)
      const { expected, sends = [], serialNumber } = template.fixture
      if (serialNumber !== undefined) expect(account.externalId).toBe(serialNumber)
      const { observations } = await run(read())
      expect(device.lines.splice(0)).toHaveLength(Object.keys(template.requests).length)
      expect(
        observations.map(({ manufacturerDeviceId, problems, state }) => [manufacturerDeviceId, state, problems])
      ).toEqual(Object.entries(expected).map(([key, { state }]) => [`${account.externalId}/${key}`, state, []]))
      const found = await run(instance.discoverDevices!(account))
      expect(
        found.map(({ incompatible, manufacturerDeviceId, type }) => [manufacturerDeviceId, type, incompatible])
      ).toEqual(template.devices.map(({ key, type }) => [`${account.externalId}/${key}`, type, null]))
      for (const [n, { commands }] of template.devices.entries()) {
        expect(found[n]!.commands).toEqual(Object.keys(commands ?? {}))
      }
      writes()
      const before = structuredClone(device.responses)
      for (const { command: type, device: key, input, requests } of sends) {
        const saved: Array<unknown> = []
        await run(command(key, { type: type as CommandRequest["type"], input, revertAfter: 600 }, saved))
        expect(writes()).toEqual(requests)
        if (!type.endsWith("set-operating-mode")) continue
        const again = {
          snapshot: saved[0],
          device: { id: "1", manufacturerDeviceId: `${account.externalId}/${key}`, type: "battery" as const }
        }
        await run(instance.restore!(account, { ...again, takenSince: [] }))
        await run(instance.restore!(account, { ...again, takenSince: [] }))
        // A reserve that another command has set stays.
        const shown = JSON.stringify(device.responses)
        const reserve = sends.some(({ command: other }) => other === "battery:set-reserve")
        if (!reserve) expect(JSON.parse(shown)).toEqual(before)
        writes()
      }
    }
  )

  it("has no value where the device reports null, and none where a part of a sum is missing", async () => {
    const { device, read } = await start(find("fronius-solar-api"))
    Object.assign(device.responses["flow"].Body.Data.Site, { P_Akku: null, P_PV: null })
    const [inverter, battery] = (await run(read())).observations
    expect(inverter!.state).toBeNull()
    expect(battery!.state).toMatchObject({ chargingState: "unknown", chargePercentage: 62.4 })
    expect(battery!.state).not.toHaveProperty("chargeRate")

    const meter = await start(find("youless"))
    meter.device.responses["energy"][0].n2 = null
    const [shown] = (await run(meter.read())).observations
    expect(shown!.state).toMatchObject({ power: -1104 })
    expect(shown!.state).not.toHaveProperty("exportedEnergy")
  })

  it("subtracts what flows back where the device counts it, and takes the whole register where it has no such one", async () => {
    for (const [slug, field, net] of [
      ["shelly-rpc-pm", "importedEnergy", 211.025],
      ["shelly-rpc-charging-outlet", "lifetimeEnergyCharged", 420_110]
    ] as const) {
      const { device, read } = await start(find(slug))
      const state = async () => (await run(read())).observations[0]!.state
      expect(await state()).toHaveProperty(field, net)
      const all = device.responses["switch"].aenergy.total
      // Nothing is known of the direction where the second register has no value.
      device.responses["switch"].ret_aenergy.total = null
      expect(await state()).not.toHaveProperty(field)
      delete device.responses["switch"].ret_aenergy
      expect(await state()).toHaveProperty(field, all)
      delete device.responses["switch"].aenergy
      expect(await state()).not.toHaveProperty(field)
    }
  })

  it("sends nothing that is so already, and keeps settings of later commands when a mode ends", async () => {
    const { account, command, device, instance, writes } = await start(find("zendure-solarflow"))
    const reserve = { type: "battery:set-reserve", input: { chargePercentage: 10 } } as const
    expect(await run(command("battery", reserve))).toMatchObject({ status: "completed", reason: "already_so" })
    expect(writes()).toEqual([])
    const saved: Array<unknown> = []
    const charge = { type: "battery:set-operating-mode", input: { operatingMode: "charge" }, revertAfter: 600 } as const
    expect(await run(command("battery", charge, saved))).toMatchObject({ status: "completed", reason: null })
    const idle = { ...charge, input: { operatingMode: "idle" }, snapshot: saved[0] }
    await run(command("battery", idle, saved))
    expect(saved).toHaveLength(1)
    await run(command("battery", { ...charge, input: { operatingMode: "reset" }, snapshot: saved[0] }))
    expect(device.responses["report"].properties).toMatchObject({ acMode: 2, inputLimit: 0, outputLimit: 300 })
    const unknown = await failure(
      instance.restore!(account, {
        device: { id: "1", manufacturerDeviceId: `${account.externalId}/battery`, type: "battery" },
        snapshot: { of: "another adapter" },
        takenSince: []
      })
    )
    expect(unknown.failure).toBe("contract")
  })

  it("refuses a mode whose settings the device does not show, before anything is sent", async () => {
    const { command, device, writes } = await start(find("sonnenbatterie"))
    delete device.responses["settings"].EM_OperatingMode
    const error = await failure(
      command("battery", { type: "battery:set-operating-mode", input: { operatingMode: "idle" }, revertAfter: 60 })
    )
    expect(error).toMatchObject({ failure: "refused", commandReason: "precondition_unmet" })
    expect(writes()).toEqual([])
  })
})

it.each(["sessy-battery", "sonnenbatterie", "zendure-solarflow"])(
  "the settings from before a mode come back at %s, wherever the mode and its end are cut off",
  async (slug) => {
    const { account, command, device, instance } = await start(find(slug))
    const before = structuredClone(device.responses)
    const input = { operatingMode: "charge", targetPowerW: 500 }
    const linked = { id: "1", manufacturerDeviceId: `${account.externalId}/battery`, type: "battery" as const }
    for (let cut = 0; cut <= 3; cut++) {
      const saved: Array<unknown> = []
      device.takeWrites(cut)
      const charge = { type: "battery:set-operating-mode", input, revertAfter: 600 } as const
      await Effect.runPromise(Effect.result(command("battery", charge, saved)))
      expect(saved).toHaveLength(1)
      const request = { device: linked, snapshot: saved[0], takenSince: [] }
      for (let again = 0; again <= 2; again++) {
        device.takeWrites(again)
        await Effect.runPromise(Effect.result(instance.restore!(account, request)))
      }
      device.takeWrites(Number.POSITIVE_INFINITY)
      await run(instance.restore!(account, request))
      expect(device.responses).toEqual(before)
    }
  }
)

describe("the login to a device", () => {
  const login = { path: "/login", method: "POST" }
  it.each([
    ["basic", { kind: "basic" }],
    ["digest", { kind: "digest" }],
    ["digest with the device's user name", { kind: "digest", username: "admin" }],
    ["bearer", { kind: "bearer" }],
    ["header", { kind: "header", header: "X-Api-Key", prefix: "Key " }],
    [
      "a form with a token",
      {
        kind: "login",
        request: { ...login, form: { user: "{username}", pass: "{password}" } },
        token: "token",
        prefix: "Token "
      }
    ],
    [
      "JSON with a cookie",
      {
        kind: "login",
        request: { ...login, json: { login: { user: "{username}", pass: "{password}" } } },
        cookie: "sid"
      }
    ]
  ])("by %s is renewed when it ends, and lost when it is refused", async (_, authentication) => {
    const { connect, device, read } = await start(changed("go-e-charger", { authentication }))
    await run(read())
    await run(read())
    device.forgetLogins()
    expect((await run(read())).observations[0]!.state).toMatchObject({ chargerWattage: 7207 })
    const wrong = await failure(connect({ password: "wrong-password" }))
    expect(wrong).toMatchObject({ failure: "misconfigured", message: expect.stringContaining("refuses the login") })
    device.refuse()
    const lost = await failure(read())
    expect(lost.failure).toBe("grant_lost")
    expect(JSON.stringify([lost, wrong])).not.toContain(PASSWORD)
  })

  it("is optional where the template says so, and asked for where it does not", async () => {
    const { connect } = await start(find("sessy-battery"))
    expect((await failure(connect({ password: "" }))).message).toBe("password is required")
    const token = await start(changed("go-e-charger", { authentication: { kind: "bearer" } }))
    expect((await failure(token.connect({ password: "snow ☃" }))).message).toContain("can't have in its headers")
    const open = await start(
      changed("shelly-rpc-pm", { authentication: { kind: "digest", username: "admin", optional: true } })
    )
    expect((await failure(open.connect({ password: "" }))).message).toContain("refuses the login")
  })
})

describe("a device with TLS", () => {
  it("shows the fingerprint of a certificate that nobody vouches for, and is linked with it alone", async () => {
    const { connect, device, read } = await start(changed("opendtu", { tls: "required" }))
    const unknown = await failure(connect({ fingerprint: "" }))
    expect(unknown).toMatchObject({ failure: "misconfigured", message: expect.stringContaining(fingerprint()) })
    const other = await failure(connect({ fingerprint: "ab".repeat(32) }))
    expect(other.message).toContain("another fingerprint")
    expect(device.lines).toEqual([])
    expect((await run(read())).observations).toHaveLength(1)
  })
})

describe("a device that responds in another way", () => {
  it.each([
    [429, { "retry-after": "120" }, "no", "throttled"],
    [503, {}, "no", "vendor_fault"],
    [404, {}, "no", "contract"],
    [200, {}, "<html>", "contract"]
  ])("with status %i fails as what it is", async (status, headers, body, wanted) => {
    const { device, read } = await start(find("opendtu"))
    device.respondOnce(status, headers as Record<string, string>, body)
    expect((await failure(read())).failure).toBe(wanted)
    expect((await run(read())).observations).toHaveLength(1)
  })

  it("lacks what a request gives that its model does not have", async () => {
    const { device, instance, account, read } = await start(find("openems"))
    delete device.responses["capacity"]
    expect((await run(read())).observations.map(({ state }) => state === null)).toEqual([true, false, false])
    expect(await run(instance.discoverDevices!(account))).toHaveLength(3)
  })

  it("is not taken for the linked one with another serial number, and is no device of a kind whose values it lacks", async () => {
    const { connect, device, read } = await start(find("go-e-charger"))
    device.responses["status"].sse = "999999"
    expect(await failure(read())).toMatchObject({
      failure: "misconfigured",
      message: "Another device responds at the address: 999999 in place of 201234"
    })
    device.responses["status"] = { other: 1 }
    expect(await failure(connect())).toMatchObject({
      failure: "misconfigured",
      message: expect.stringContaining("none of the values of go-e Charger")
    })
  })
})

it.each([
  [{ host: "http://device" }, "host must be a name or an IP address, without a scheme and a port"],
  [{ host: "device/path" }, "host must be a name or an IP address, without a scheme and a port"],
  [{ port: "0" }, "Port must be an integer from 1 to 65535"],
  [{ model: "other" }, "model must be one of iotawatt"],
  [{ series: "" }, "series is required"],
  [{ series: "a\nb" }, "series must be a text of at most 4096 characters, without line breaks"],
  [{ fingerprint: "ab" }, "fingerprint must be a SHA-256 fingerprint: 32 bytes in hexadecimal"],
  [{ fingerprint: "ab".repeat(32) }, "fingerprint needs encryption (tls)"]
])("a form with %j is refused", async (wrong, message) => {
  const { connect } = await start(find("iotawatt"))
  expect(await failure(connect(wrong))).toMatchObject({ failure: "misconfigured", message })
})
