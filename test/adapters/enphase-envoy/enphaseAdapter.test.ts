import { afterEach, describe, expect, it } from "vitest"
import { failure, run } from "../../adapter-kit/modbus/modbusInstance.ts"
import { accessToken } from "../../support/peers/EnlightenServer.ts"
import type { GatewayShape } from "../../support/peers/EnphaseGateway.ts"
import { firmware3, firmware5, firmware7, firmware8, withoutTransformers, withStorage } from "./generations.ts"
import { DAY, fingerprint, giveToken, now, startGateway, type StartedGateway } from "./startGateway.ts"

const started: Array<StartedGateway> = []
afterEach(async () => {
  for (const one of started.splice(0)) await one.stop()
})
const start = async (shape: GatewayShape) => {
  const one = await startGateway(shape)
  started.push(one)
  return one
}

const battery = {
  chargingState: "discharging",
  charge: 4600,
  chargePercentage: 46,
  whConsumed: null,
  chargeRate: 1024,
  backupReserve: 20,
  strategy: "self_consumption"
}

describe("a gateway of each generation is linked, found and read", () => {
  it.each<[string, GatewayShape, Readonly<Record<string, object>>]>([
    ["firmware 3", firmware3, { inverter: { power: 1270, lifetimeEnergyGenerated: 10_279_087 } }],
    ["firmware 5 without meters", firmware5, { inverter: { power: 7907, lifetimeEnergyGenerated: 133_798_553 } }],
    [
      "firmware 7 with meters",
      firmware7,
      {
        inverter: { power: 488.925, lifetimeEnergyGenerated: 3_183_793.885 },
        meter: {
          power: -36,
          importedEnergy: 3_738_205.282,
          exportedEnergy: 1_776_768.769,
          voltage: 235.201,
          current: 2.745
        }
      }
    ],
    [
      "a model that measures, without transformers",
      withoutTransformers,
      { inverter: { power: 5521, lifetimeEnergyGenerated: 32_465_106 } }
    ],
    [
      "firmware 8 with batteries",
      firmware8,
      {
        inverter: { power: 3120.4, lifetimeEnergyGenerated: 13_431_334.7 },
        battery,
        meter: { power: 1755, importedEnergy: 4_998_251.825, exportedEnergy: 253_960.783, voltage: 123.5 }
      }
    ]
  ])("%s", async (_, shape, states) => {
    const { gateway, instance, link, read } = await start(shape)
    const account = await link()
    expect(account.externalId).toBe(shape.serial)
    const found = await run(instance.discoverDevices!(account))
    expect(found.map(({ incompatible, type }) => [type, incompatible])).toEqual(
      Object.keys(states).map((type) => [type, null])
    )
    const first = await run(read(account))
    expect(first.states).toEqual(states)
    expect(first.report.observations.flatMap(({ problems }) => problems)).toEqual([])
    expect(first.report.observations.every(({ observedAt }) => observedAt <= now())).toBe(true)
    gateway.lines.splice(0)
    expect((await run(read(first.next))).states).toEqual(states)
    // The meters hardly change and are not read again.
    expect(gateway.lines).not.toContain("GET /ivp/meters")
    expect(new Set(gateway.lines).size).toBe(gateway.lines.length)
    expect(gateway.together).toBe(1)
  })

  it("lists the batteries as one, with their capacity, rated power and commands", async () => {
    const { gateway, instance, link } = await start(firmware8)
    const account = await link({ token: giveToken(gateway), name: "Casa" })
    const found = await run(instance.discoverDevices!(account))
    expect(found.find(({ type }) => type === "battery")).toMatchObject({
      manufacturerDeviceId: "202300060606/battery",
      name: "Casa battery",
      rawModel: "836-01826-r76",
      staticState: { capacity: 10_000, numberOfBatteries: 2, maxChargeRate: 7680, maxDischargeRate: 7680 },
      commands: ["battery:set-reserve", "battery:set-operating-mode"]
    })
  })

  it("has no command for batteries whose settings the gateway does not show", async () => {
    const { gateway, instance, link } = await start(firmware8)
    const account = await link()
    delete gateway.pages["/admin/lib/tariff"]
    const found = await run(instance.discoverDevices!(account))
    expect(found.find(({ type }) => type === "battery")).toMatchObject({ commands: [], incompatible: null })
  })

  it("follows a gateway whose meter measures the home: it computes the power at the grid, and no energies", async () => {
    const shape = structuredClone(firmware7) as any
    shape.pages["/ivp/meters"][1].measurementType = "total-consumption"
    shape.pages["/production.json"] = {
      production: [],
      consumption: [
        { type: "eim", activeCount: 1, measurementType: "total-consumption", readingTime: 1_795_999_990, wNow: 476.6 },
        { type: "eim", activeCount: 1, measurementType: "net-consumption", readingTime: 1_795_999_990, wNow: -12.3 }
      ]
    }
    const { link, read } = await start(shape)
    expect((await run(read(await link()))).states["meter"]).toEqual({ power: -12 })
  })
})

describe("a reading", () => {
  it("has a charging battery as negative, export as negative, and no power at night as 0", async () => {
    const { gateway, link, read } = await start(firmware8)
    for (const device of gateway.pages["/ivp/ensemble/power"]["devices:"]) device.real_power_mw = -1_500_000
    gateway.pages["/ivp/meters/readings"][0].activePower = -3.2
    gateway.pages["/ivp/meters/readings"][1].activePower = -820.4
    const { states } = await run(read(await link()))
    expect(states).toMatchObject({
      battery: { chargingState: "charging", chargeRate: -3000 },
      inverter: { power: 0 },
      meter: { power: -820 }
    })
  })

  it.each([
    ["economy", "time_of_use"],
    ["savings-mode", "time_of_use"],
    ["backup", "backup"]
  ])("shows the mode %s as %s", async (mode, strategy) => {
    const { link, read } = await start(withStorage({ mode }))
    expect((await run(read(await link()))).states["battery"]).toMatchObject({ strategy })
  })

  it("tells a mode that it does not know, and the rest as usual", async () => {
    const { link, read } = await start(withStorage({ mode: "party" }))
    const { report, states } = await run(read(await link()))
    expect(states["battery"]).toMatchObject({ strategy: "unknown", backupReserve: 20 })
    expect(report.observations.flatMap(({ problems }) => problems)).toEqual([
      'The mode "party" of the batteries is not known'
    ])
  })

  it("leaves out the power of batteries of which one is missing, and is none without their charge", async () => {
    const { gateway, link, read } = await start(firmware8)
    const account = await link()
    gateway.pages["/ivp/ensemble/power"]["devices:"].pop()
    const { states } = await run(read(account))
    expect(states["battery"]).toEqual({ ...battery, chargeRate: undefined, chargingState: "unknown" })
    expect("chargeRate" in states["battery"]).toBe(false)
    Object.assign(gateway.pages["/ivp/ensemble/secctrl"], { ENC_agg_avail_energy: 0, Enc_max_available_capacity: 0 })
    expect((await run(read(account))).states["battery"]).toBeNull()
  })

  it("is none while old firmware shows zeros after its start", async () => {
    const { gateway, link, read } = await start(firmware3)
    const account = await link()
    const page = gateway.pages["/api/v1/production"]
    for (const name of Object.keys(page)) page[name] = 0
    expect(await failure(read(account))).toMatchObject({ failure: "contract" })
  })

  it("announces the end of a pasted token a month before, and that it is over", async () => {
    const { gateway, link, read } = await start(firmware7)
    const account = await link({ token: giveToken(gateway, 20 * DAY) })
    const { next, report } = await run(read(account))
    expect(report.alerts).toMatchObject([
      { type: "CONFIGURATION", resolved: false, title: expect.stringMatching(/token .* ends on 20\d\d-\d\d-\d\d/) }
    ])
    const renewed = { ...(await link()), memory: next.memory }
    const again = await run(read(renewed))
    expect(again.report.alerts).toMatchObject([{ externalId: report.alerts[0]!.externalId, resolved: true }])
    expect((await run(read(again.next))).report.alerts).toEqual([])
  })
})

describe("the form", () => {
  it.each([
    [{}, "token is required, or the username and the password of Enlighten"],
    [
      { token: "abc" },
      "token must be an access token from entrez.enphaseenergy.com: three parts with points between them"
    ],
    [{ username: "ada@example.com" }, "username and password are required together"],
    [{ firmware: "8", token: accessToken("1", 1) }, "firmware must be 7 or older"],
    [{ fingerprint: "ab" }, "fingerprint must be a SHA-256 fingerprint: 32 bytes in hexadecimal"],
    [{ host: "http://envoy" }, "host must be a name or an IP address, without a scheme and a port"],
    [{ port: "70000" }, "Port must be an integer from 1 to 65535"],
    [{ firmware: "older" }, "fingerprint is for firmware 7 and later: earlier ones have no certificate"],
    [{ firmware: "older", fingerprint: "", token: accessToken("1", 1) }, "token is for firmware 7 and later"],
    [{ firmware: "older", fingerprint: "", username: "installer" }, "password is required for a user other than envoy"],
    [{ firmware: "older", fingerprint: "", username: "a:b", password: "c" }, "username must not have a colon"]
  ])("with %j is refused, and nothing is called", async (more, message) => {
    const { connect, gateway } = await start(firmware7)
    expect(await failure(connect(more as Record<string, string>))).toMatchObject({ failure: "misconfigured", message })
    expect(gateway.lines).toEqual([])
  })

  it("takes a token of this gateway alone", async () => {
    const { connect, gateway } = await start(firmware7)
    const foreign = await failure(connect({ token: accessToken("122299999999", now() + DAY) }))
    expect(foreign.message).toBe("The access token is for the gateway 122299999999, and this is 122200030303")
    const unknown = await failure(connect({ token: accessToken(gateway.shape.serial, now() + DAY) }))
    expect(unknown).toMatchObject({
      failure: "misconfigured",
      message: expect.stringContaining("The gateway refuses the access token. Get one from entrez.enphaseenergy.com")
    })
    const ended = await failure(connect({ token: accessToken(gateway.shape.serial, Date.UTC(2026, 0, 5, 12)) }))
    expect(ended.message).toContain("The access token ended on 2026-01-05")
    expect(JSON.stringify([foreign, unknown, ended])).not.toContain("c2lnbmF0dXJl")
  })

  it("says which firmware the gateway has where the other one was chosen", async () => {
    const as = (serial: string, firmware: string) =>
      `<envoy_info><device><sn>${serial}</sn><software>D${firmware}</software></device></envoy_info>`
    const older = await start(firmware5)
    older.gateway.respondOnce("/info", (response) => void response.end(as(firmware5.serial, "7.6.175")))
    const newer = await failure(older.connect())
    expect(newer.message).toBe("The gateway has firmware 7.6.175: choose firmware 7 and later")
    const { connect, gateway } = await start(firmware7)
    gateway.respondOnce("/info", (response) => void response.end(as(firmware7.serial, "5.0.62")))
    const refused = await failure(connect({ token: giveToken(gateway) }))
    expect(refused.message).toBe("The gateway has firmware 5.0.62: choose firmware before 7")
  })

  it("shows the fingerprint of the certificate, and sends nothing before it is confirmed", async () => {
    const { connect, gateway } = await start(firmware7)
    const token = giveToken(gateway)
    const unknown = await failure(connect({ token, fingerprint: "" }))
    expect(unknown).toMatchObject({ failure: "misconfigured", message: expect.stringContaining(fingerprint) })
    const other = await failure(connect({ token, fingerprint: "ab".repeat(32) }))
    expect(other.message).toContain("another fingerprint")
    expect(gateway.lines).toEqual([])
    expect(await run(connect({ token }))).toMatchObject({ externalId: firmware7.serial, expiresAt: null })
  })

  it("takes no other device for a gateway", async () => {
    const { connect, gateway } = await start(firmware7)
    gateway.respondOnce("/info", (response) => void response.end("<html>router</html>"))
    expect(await failure(connect({ token: giveToken(gateway) }))).toMatchObject({ failure: "contract" })
  })
})

describe("a sign-in at Enlighten", () => {
  const login = { username: "ada@example.com", password: "canary-password-4711" }

  it("fetches the token, which is renewed before it ends and after the gateway refuses it", async () => {
    const { cloud, connect, gateway, instance, link, read } = await start(firmware8)
    const { expiresAt } = await run(connect(login))
    expect(expiresAt! - now()).toBeGreaterThan(364 * DAY)
    const account = await link(login)
    expect((await run(read(account))).report.observations).toHaveLength(3)
    gateway.tokens.clear()
    expect(await failure(read(account))).toMatchObject({ failure: "token_refused" })
    expect(await failure(instance.discoverDevices!(account))).toMatchObject({ failure: "token_refused" })
    const renewed = await run(instance.refresh!(account))
    expect(renewed.expiresAt! - now()).toBeGreaterThan(364 * DAY)
    expect((await run(read({ ...account, credentials: renewed.credentials }))).report.observations).toHaveLength(3)
    expect(cloud.given).toHaveLength(3)
  })

  it("uses a pasted token first, and the sign-in once that has ended", async () => {
    const { cloud, connect, gateway } = await start(firmware7)
    const linked = await run(connect({ ...login, token: giveToken(gateway, 5 * DAY) }))
    expect(cloud.given).toEqual([])
    expect(linked.expiresAt! - now()).toBeLessThan(6 * DAY)
  })

  it.each<[string, (cloud: StartedGateway["cloud"]) => unknown, string, string]>([
    [
      "a wrong password",
      (cloud) => (cloud.user.password = "x"),
      "grant_lost",
      "Enlighten refuses the user name or the password"
    ],
    ["a second factor", (cloud) => (cloud.hasSecondFactor = true), "grant_lost", "second factor"],
    ["a failure", (cloud) => (cloud.status = 502), "vendor_fault", "Enlighten responds with status 502"],
    ["too many calls", (cloud) => (cloud.status = 429), "throttled", "Enlighten asks for a pause"]
  ])("with %s is told in words, at the form and later", async (_, change, kind, message) => {
    const { cloud, connect, instance, link } = await start(firmware7)
    const account = await link(login)
    change(cloud)
    const later = await failure(instance.refresh!(account))
    expect(later).toMatchObject({ failure: kind, message: expect.stringContaining(message) })
    const atForm = await failure(connect(login))
    expect(atForm.failure).toBe(kind === "grant_lost" ? "misconfigured" : kind)
    expect(JSON.stringify([later, atForm])).not.toContain(login.password)
  })

  it("gives no token to a person who does not own the gateway", async () => {
    const { connect, gateway } = await start(firmware7)
    Object.assign(gateway.shape, { serial: "122200039999" })
    const refused = await failure(connect(login))
    expect(refused.message).toBe("Enlighten gives this user no access token for the gateway 122200039999")
  })
})

describe("a gateway before firmware 7", () => {
  it("is entered by the digest login of its own user where it asks for one", async () => {
    const locked = { ...firmware5, locked: ["/api/v1/production"] }
    const { connect, gateway, link, read } = await start(locked)
    const account = await link()
    expect((await run(read(account))).states["inverter"]).toMatchObject({ power: 7907 })
    gateway.user.password = "changed-0815"
    expect(await failure(read(account))).toMatchObject({
      failure: "grant_lost",
      message: "The gateway refuses the user name or the password"
    })
    const wrong = await failure(connect())
    expect(wrong).toMatchObject({
      failure: "misconfigured",
      message: "The gateway refuses the user name or the password"
    })
    expect(await run(connect({ username: "envoy", password: "changed-0815" }))).toMatchObject({
      externalId: locked.serial
    })
  })

  it("asks for another login once its firmware has got tokens", async () => {
    const { gateway, instance, link } = await start(firmware5)
    const account = await link()
    gateway.respondOnce("/info", (response) => {
      response.end(
        `<envoy_info><device><sn>${firmware5.serial}</sn><software>D7.3.130</software></device></envoy_info>`
      )
    })
    expect(await failure(instance.discoverDevices!(account))).toMatchObject({
      failure: "grant_lost",
      message: "The gateway has firmware 7.3.130 now, which needs another login: connect it again"
    })
  })
})
