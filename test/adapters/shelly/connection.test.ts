import { afterEach, describe, expect, test } from "vitest"
import { rawConversation, repliesIn } from "../../support/rawConversation.ts"
import { plus1pm, pro3em, type ShellyModel } from "../../support/peers/ShellyDevice.ts"
import { closeAll, type PlatformOptions, startPlatform, until } from "./platform.ts"

afterEach(closeAll)

const METER = "shellypro3em-08f9e0000001/em:0"
const OTHER = "shellypro3em-08f9e0000002/em:0"

const linked = async (options: PlatformOptions = {}) => {
  const platform = await startPlatform(options)
  return { platform, login: await platform.link() }
}

const connected = async (options: PlatformOptions = {}, model: ShellyModel = pro3em()) => {
  const { login, platform } = await linked(options)
  const device = await platform.dial(login.path, model)
  await until("a reading", () => platform.observations().length > 0)
  return { device, login, platform }
}

describe("the address of a device", () => {
  test("is shown with the steps at the device, and the account keeps no more than a hash of its secret", async () => {
    const { login } = await linked()
    expect(login.address).toMatch(/^wss:\/\/energy\.example\.com\/inbound\/shelly\/[2-9A-HJ-NP-Z]{10}-[0-9a-f]{32}$/)
    const secrets = login.instructions.filter(({ secret }) => secret).map(({ value }) => value!)
    expect(secrets[0]).toBe(login.address)
    const call = new URL(secrets[1]!)
    expect(call.pathname).toBe("/rpc/Ws.SetConfig")
    expect(JSON.parse(call.searchParams.get("config")!)).toEqual({
      enable: true,
      server: login.address,
      ssl_ca: "ca.pem"
    })
    expect(JSON.stringify(login.account)).not.toContain(login.path.slice(-32))
  })

  test("is the same 401 for an unknown id, a wrong secret, another device's secret and none", async () => {
    const { login, platform } = await linked()
    const other = await platform.link()
    const dial = async (path: string) => {
      const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`
      const key = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"
      const [reply] = repliesIn(await rawConversation(platform.http, head + key))
      const { date: _, "x-request-id": __, ...headers } = reply!.headers
      return { ...reply!, headers }
    }
    const base = `/inbound/shelly/${login.id}`
    const refusals = await Promise.all([
      dial(`/inbound/shelly/AAAAAAAAAA-${login.path.slice(-32)}`),
      dial(`${base}-${"0".repeat(32)}`),
      dial(`${base}-${other.path.slice(-32)}`),
      dial(base),
      dial("/inbound/shelly/"),
      dial(`${login.path}0`),
      dial(`/inbound/shelly/x/${login.id}-${login.path.slice(-32)}`)
    ])
    expect(refusals[0]).toMatchObject({ status: 401, text: expect.stringContaining("UNAUTHENTICATED") })
    for (const refusal of refusals) expect(refusal).toEqual(refusals[0])
  })

  test("is limited per caller where it is wrong, which does not hold back the devices behind the same router", async () => {
    const { login, platform } = await linked({ env: { EDP_RATE_LIMIT_AUTH_FAILURES: "2" } })
    const wrong = login.path.replace(/-.*/, `-${"0".repeat(32)}`)
    await expect(platform.dial(wrong, pro3em())).rejects.toThrow("HTTP 401")
    await expect(platform.dial(wrong, pro3em())).rejects.toThrow("HTTP 401")
    await expect(platform.dial(wrong, pro3em())).rejects.toThrow("HTTP 429")
    await platform.dial(login.path, pro3em())
    await until("a reading", () => platform.state(METER) !== undefined)
  })

  test("is refused with 503 when the instance holds as many devices as it may", async () => {
    const { login, platform } = await connected({ settings: { maxConnections: "1" } })
    const other = await platform.link()
    await expect(platform.dial(other.path, pro3em("08F9E0000002"))).rejects.toThrow("HTTP 503")
    // A device that dials again replaces its own connection.
    await platform.dial(login.path, pro3em())
  })

  test.each([
    ["offers json-rpc", ["json-rpc"], "json-rpc"],
    ["offers nothing", [], ""]
  ])("opens for a device that %s", async (_, protocols, taken) => {
    const { login, platform } = await linked()
    const device = await platform.dial(login.path, pro3em(), { protocols })
    expect(device.socket.protocol).toBe(taken)
    await until("a reading", () => platform.state(METER) !== undefined)
  })
})

describe("the connection of a device", () => {
  test("reports its devices and their first state", async () => {
    const { device, platform } = await connected()
    expect(platform.devices()).toEqual([
      {
        manufacturerDeviceId: METER,
        type: "meter",
        name: "Main meter",
        model: "Shelly Pro3EM",
        serialNumber: "08F9E0000001",
        rawType: "em:0",
        rawModel: "SPEM-003CEBEU",
        modelYear: null,
        staticState: null,
        commands: [],
        incompatible: null
      }
    ])
    expect(platform.state(METER)).toEqual({
      power: -812,
      current: 3.53,
      voltage: 231.6,
      importedEnergy: 1834211.57,
      exportedEnergy: 922817.04
    })
    expect(device.asked("Shelly.GetDeviceInfo")).toHaveLength(1)
    // Its status is known already.
    expect(device.asked("Shelly.GetStatus")).toEqual([])
  })

  test("overlays changes over what is known", async () => {
    const { device, platform } = await connected()
    device.change("em:0", { total_act_power: 1500.4 })
    await until("the change", () => platform.state(METER).power === 1500)
    expect(platform.state(METER)).toMatchObject({ voltage: 231.6, importedEnergy: 1834211.57 })
    device.change("emdata:0", { total_act: 1834212 })
    await until("the register", () => platform.state(METER).importedEnergy === 1834212)
    // A device that can't measure says so by null: no figure, and not the last one.
    const before = platform.observations().length
    device.change("em:0", { total_act_power: null, a_act_power: null })
    device.change("emdata:0", { total_act: 1834213 })
    device.change("em:0", { total_act_power: 7, a_act_power: 7 })
    await until("the next reading", () => platform.state(METER).power === 7)
    expect(
      platform
        .observations()
        .slice(before)
        .map(({ state }) => (state as any).power)
    ).toEqual([7])
  })

  test("asks a device that announces nothing who it is and for its status", async () => {
    const { login, platform } = await linked()
    const device = await platform.dial(login.path, pro3em(), { isSilent: true })
    await until("a reading", () => platform.state(METER) !== undefined)
    expect(device.asked("Shelly.GetStatus")).toHaveLength(1)
  })

  test("asks a quiet device for its status, so that an unchanged state is one that it has shown again", async () => {
    const { device, platform } = await connected({ times: { poll: 100, repeatAfter: 150 } })
    await until("more readings", () => platform.observations().length >= 4)
    expect(device.asked("Shelly.GetStatus").length).toBeGreaterThanOrEqual(3)
    const times = platform.observations().map(({ observedAt }) => observedAt)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
  })

  test("ends for a device that does not say who it is, or what it is", async () => {
    const { login, platform } = await linked({ times: { identify: 200, response: 100, announce: 50 } })
    const all = new Set(["Shelly.GetDeviceInfo", "Shelly.GetStatus"])
    const nobody = await platform.dial(login.path, pro3em(), { isSilent: true, deaf: all })
    expect(await nobody.closed).toMatchObject({ code: 1008, reason: "The device does not say who it is" })
    const mute = await platform.dial(login.path, pro3em(), { isSilent: true, deaf: new Set(["Shelly.GetStatus"]) })
    expect(await mute.closed).toMatchObject({ code: 1001 })
    await platform.dial(login.path, pro3em())
    await until("a reading", () => platform.state(METER) !== undefined)
  })

  test("ends for a device that stops responding", async () => {
    const { login, platform } = await linked({ times: { poll: 100, response: 100 } })
    const deaf = await platform.dial(login.path, pro3em(), { deaf: new Set(["Shelly.GetStatus"]) })
    expect(await deaf.closed).toMatchObject({ code: 1001, reason: "No response" })
  })

  test("ends for a device that sends no pong", async () => {
    const { login, platform } = await linked({ times: { ping: 100 } })
    const frozen = await platform.dial(login.path, pro3em(), { isFrozen: true })
    expect(await frozen.closed).toMatchObject({ code: 1006 })
  })

  test("tells a device that asks for a method that there is none", async () => {
    const { device } = await connected()
    device.say({ id: 7, src: "shellypro3em-08f9e0000001", method: "Shelly.GetStatus", params: {} })
    await until("the response", () => device.received.some(({ error }) => error !== undefined))
    expect(device.received.at(-1)).toEqual({
      id: 7,
      src: "edp",
      dst: "shellypro3em-08f9e0000001",
      error: { code: 404, message: "There is no such method" }
    })
  })

  test("is replaced when the same device dials again, which goes on", async () => {
    const { device, login, platform } = await connected()
    const again = await platform.dial(login.path, pro3em())
    expect(await device.closed).toMatchObject({ code: 1008, reason: "The device has another connection" })
    again.change("em:0", { total_act_power: 42 })
    await until("the change", () => platform.state(METER).power === 42)
  })

  test("is not open to a second device with the same address, which does not touch the first", async () => {
    const { device, login, platform } = await connected()
    for (let attempt = 0; attempt < 3; attempt++) {
      const thief = await platform.dial(login.path, pro3em("08F9E0000002"))
      expect(await thief.closed).toMatchObject({ code: 1008, reason: "The address belongs to another device" })
    }
    device.change("em:0", { total_act_power: 42 })
    await until("the change", () => platform.state(METER).power === 42)
    expect(platform.state(OTHER)).toBeUndefined()
    expect(platform.logged.filter((line) => line.includes("address of another device"))).toHaveLength(1)
    // The address stays with the device, also while it is away.
    device.socket.terminate()
    const thief = await platform.dial(login.path, pro3em("08F9E0000002"))
    expect(await thief.closed).toMatchObject({ code: 1008, reason: "The address belongs to another device" })
  })

  test("takes messages of the device that it began with alone", async () => {
    const { device, platform } = await connected()
    const params = { ts: 1, "em:0": { total_act_power: 9 } }
    device.say({ src: "shellypro3em-08f9e0000002", dst: "ws", method: "NotifyStatus", params })
    device.change("em:0", { total_act_power: 42 })
    await until("the change", () => platform.state(METER).power === 42)
    expect(platform.observations().some(({ state }) => (state as any).power === 9)).toBe(false)
  })

  test("ends with its account, and with its secret", async () => {
    const { device, login, platform } = await connected({ times: { check: 50 } })
    platform.accounts.delete(login.id)
    expect(await device.closed).toMatchObject({ code: 1008, reason: "The device's account has ended" })
    await expect(platform.dial(login.path, pro3em())).rejects.toThrow("HTTP 401")
  })

  test("ends at once when the account is disconnected, and a new device may have a new address", async () => {
    const { device, login, platform } = await connected()
    await platform.run(platform.instance.revoke!(platform.accounts.get(login.id)! as never))
    expect(await device.closed).toMatchObject({ code: 1008 })
    const fresh = await platform.link()
    await platform.dial(fresh.path, pro3em("08F9E0000002"))
    await until("a reading", () => platform.state(OTHER) !== undefined)
  })

  test("reports everything again once the person has finished the link", async () => {
    const platform = await startPlatform({ times: { checkPending: 50 } })
    const login = await platform.link({ pending: true })
    await platform.dial(login.path, pro3em())
    await until("the devices", () => platform.devices().length === 1)
    const before = platform.reports.length
    platform.accounts.set(login.id, { ...platform.accounts.get(login.id)!, pending: false })
    await until("another report", () => platform.reports.length > before)
    const { report } = platform.reports[before]!
    expect(report.devices).toHaveLength(1)
    expect(report.observations).toHaveLength(1)
  })
})

describe("a device that is away", () => {
  test("is reported as unreachable after a while, and its next reading ends that", async () => {
    const { device, login, platform } = await connected({ times: { lostAfter: 100 } })
    device.socket.terminate()
    await until("the loss", () => platform.observations().at(-1)?.isUnreachable === true)
    expect(platform.observations().at(-1)).toMatchObject({ manufacturerDeviceId: METER, state: null })
    await platform.dial(login.path, pro3em())
    await until("a reading", () => platform.state(METER) !== null)
  })

  test("is not reported where it is back in time", async () => {
    const { device, login, platform } = await connected({ times: { lostAfter: 300 } })
    device.socket.terminate()
    const again = await platform.dial(login.path, pro3em())
    await until("the second connection", () => again.requests.length > 0)
    const since = platform.observations().length
    let power = 0
    await until("half a second of readings", () => {
      again.change("em:0", { total_act_power: ++power })
      return platform.observations().length > since + 10
    })
    expect(platform.observations().some(({ isUnreachable }) => isUnreachable === true)).toBe(false)
  })

  test("goes on at another instance, and commands find out which one", async () => {
    const first = await startPlatform()
    const login = await first.link({ chargers: "0" })
    const second = await startPlatform({ shared: first })
    const model = plus1pm()
    const device = await first.dial(login.path, model)
    await until("a reading", () => first.observations().length > 0)
    const send = (platform: typeof first) =>
      platform.run(
        platform.instance.sendCommand!(first.accounts.get(login.id)! as never, {
          id: "c",
          device: { id: "d", manufacturerDeviceId: `${model.id}/switch:0`, type: "charger" },
          type: "charger:set-operating-mode",
          input: { operatingMode: "start-charging" },
          revertAfter: null,
          state: null,
          snapshot: null,
          takenSince: [],
          saveSnapshot: undefined as never
        })
      )
    await expect(send(second)).rejects.toMatchObject({ failure: "elsewhere" })
    device.socket.terminate()
    await second.dial(login.path, model)
    await until("the move", () => second.reports.length > 1)
    expect(await send(second)).toMatchObject({ status: "completed", reason: "already_so" })
    await expect(send(first)).rejects.toMatchObject({ failure: "elsewhere" })
  })

  test("is asked to dial again when the instance stops, which does not wait for it", async () => {
    const { device, login, platform } = await connected()
    await platform.stop()
    expect(await device.closed).toMatchObject({ code: 1012 })
    const next = await startPlatform({ shared: platform })
    const before = next.observations().length
    await next.dial(login.path, pro3em())
    await until("a reading", () => next.observations().length > before)
  })
})
