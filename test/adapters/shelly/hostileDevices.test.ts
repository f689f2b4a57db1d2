import { setTimeout } from "node:timers/promises"
import { afterEach, describe, expect, test } from "vitest"
import { plus1pm, pro3em } from "../../support/peers/ShellyDevice.ts"
import { closeAll, type Platform, sendCommand, startPlatform, until } from "./platform.ts"

afterEach(closeAll)

const METER = "shellypro3em-08f9e0000001/em:0"
const NEIGHBOUR = "shellypro3em-08f9e0000002/em:0"

/** A device that is about to misbehave, and another one that must not notice. */
const neighbours = async () => {
  const platform = await startPlatform()
  const [first, second] = [await platform.link(), await platform.link()]
  const device = await platform.dial(first.path, pro3em())
  const neighbour = await platform.dial(second.path, pro3em("08F9E0000002"))
  await until("two readings", () => platform.state(METER) !== undefined && platform.state(NEIGHBOUR) !== undefined)
  return { platform, first, device, neighbour }
}

const goesOn = async (platform: Platform, neighbour: Awaited<ReturnType<typeof neighbours>>["neighbour"]) => {
  neighbour.change("em:0", { total_act_power: 77 })
  await until("the neighbour's reading", () => platform.state(NEIGHBOUR).power === 77)
}

describe("a device that misbehaves", () => {
  test("sends garbage, and goes on with its next valid message", async () => {
    const { device, neighbour, platform } = await neighbours()
    const source = "shellypro3em-08f9e0000001"
    for (const text of [
      "",
      "hello",
      "null",
      "[]",
      "{}",
      "7",
      '"x"',
      "[".repeat(60_000),
      `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`,
      JSON.stringify({ src: 5, method: "NotifyStatus" }),
      JSON.stringify({ src: "../../etc", method: "NotifyStatus", params: {} }),
      JSON.stringify({ src: source, method: 5 }),
      JSON.stringify({ src: source, method: "NotifyStatus", params: [] }),
      JSON.stringify({ src: source, method: "NotifyStatus", params: { "em:0": null, "em:x": {}, "em:1": [] } }),
      JSON.stringify({ src: source, method: "NotifyStatus", params: { "em:0": { a_voltage: "lots", n: { a: {} } } } }),
      JSON.stringify({ src: source, method: "NotifyFrobnication", params: {} }),
      JSON.stringify({ src: source, id: 4711, result: {} }),
      JSON.stringify({ src: source, id: "x", result: {} }),
      JSON.stringify({ src: source, id: 4711, error: "no" }),
      '{"src":"shellypro3em-08f9e0000001","method":"NotifyStatus","params":{"__proto__":{"power":1}}}'
    ])
      device.say(text)
    device.change("em:0", { total_act_power: 5 })
    await until("the reading", () => platform.state(METER).power === 5)
    // A value that is no number is no figure, and not the one from before.
    expect(platform.state(METER).voltage).toBeUndefined()
    await goesOn(platform, neighbour)
  })

  test.each([
    ["a giant message", (say: (data: any) => void) => say("x".repeat(200_000)), 1009],
    ["bytes", (say: (data: any) => void) => say(Buffer.from([1, 2, 3])), 1003]
  ])("is cut off for %s, and may dial again", async (_, send, code) => {
    const { device, first, neighbour, platform } = await neighbours()
    send((data) => device.socket.send(data))
    expect(await device.closed).toMatchObject({ code })
    const again = await platform.dial(first.path, pro3em())
    again.change("em:0", { total_act_power: 6 })
    await until("the reading", () => platform.state(METER).power === 6)
    await goesOn(platform, neighbour)
  })

  test("has numbers beyond the contract, which are left out with a problem", async () => {
    const { device, platform } = await neighbours()
    device.change("emdata:0", { total_act: -5 })
    await until("the problem", () => platform.observations().some(({ problems }) => problems.length > 0))
    const { problems, state } = platform.observations().findLast((one) => one.problems.length > 0)!
    expect(problems).toEqual([expect.stringContaining("importedEnergy has the value -5")])
    expect(state).toMatchObject({ power: -812, exportedEnergy: 922817.04 })
  })

  test("names thousands of components, of which a bounded number is kept", async () => {
    const { device, platform } = await neighbours()
    for (let round = 0; round < 20; round++) {
      const many = Array.from({ length: 50 }, (_, n) => [`em1:${round * 50 + n}`, { act_power: 1, voltage: 230 }])
      device.notify("NotifyStatus", Object.fromEntries(many))
    }
    device.change("em:0", { total_act_power: 8 })
    await until("the reading", () => platform.state(METER).power === 8)
    expect(new Set(platform.observations().map((one) => one.manufacturerDeviceId)).size).toBeLessThanOrEqual(34)
  })

  test("has names that no database stores, and they are cleaned", async () => {
    const platform = await startPlatform()
    const login = await platform.link()
    const model = pro3em()
    const name = `nul \u0000 and half \ud800 ${"x".repeat(500)}`
    await platform.dial(login.path, { ...model, info: { ...model.info, name, app: 7, mac: null } as never })
    await until("the device", () => platform.devices().length === 1)
    const [device] = platform.devices()
    expect(device!.name).toMatch(/^nul {2}and half \ufffd x+$/)
    expect(device!.name.length).toBeLessThanOrEqual(100)
    expect(device!.serialNumber).toBeNull()
  })

  test("sends 1,000 notifications a second for 5 s: few readings, bounded memory, and its neighbour is heard", async () => {
    const { device, neighbour, platform } = await neighbours()
    const before = process.memoryUsage().heapUsed
    const reported = platform.observations().length
    for (let round = 0; round < 50; round++) {
      for (let n = 0; n < 100; n++) device.change("em:0", { total_act_power: round * 100 + n })
      await setTimeout(100)
      if (round % 10 === 0)
        await goesOn(platform, neighbour).then(() => neighbour.change("em:0", { total_act_power: 1 }))
    }
    await goesOn(platform, neighbour)
    // One reading each 20 ms at most in this test; the platform's own pause is 10 s.
    expect(platform.observations().length - reported).toBeLessThan(600)
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100_000_000)
    expect(device.socket.readyState).toBe(device.socket.OPEN)
  })

  test("asks for methods without reading the responses, and its neighbour is heard", async () => {
    const { device, neighbour, platform } = await neighbours()
    device.socket.pause()
    const request = { src: "shellypro3em-08f9e0000001", id: "x".repeat(60), method: "Shelly.GetStatus" }
    for (let n = 0; n < 2_000; n++) device.say(request)
    await goesOn(platform, neighbour)
  })

  test("does not respond to a command, which fails and leaves the next one free", async () => {
    const platform = await startPlatform({ times: { response: 100 } })
    const login = await platform.link({ chargers: "0" })
    const deaf = new Set(["Switch.GetStatus"])
    const device = await platform.dial(login.path, plus1pm(), { deaf })
    await until("a reading", () => platform.observations().length > 0)
    const id = "shellyplus1pm-08f9e0000004/switch:0"
    expect(await sendCommand(platform, login.id, id, "stop-charging")).toMatchObject({
      failure: { failure: "unreachable", message: "The device does not respond" }
    })
    deaf.clear()
    expect(await sendCommand(platform, login.id, id, "stop-charging")).toMatchObject({
      success: { status: "completed", reason: null }
    })
    device.socket.terminate()
    await until("the end", () => device.socket.readyState === device.socket.CLOSED)
    await until("the loss", () => platform.observations().length > 0)
    expect(await sendCommand(platform, login.id, id, "start-charging")).toMatchObject({
      failure: { failure: "unreachable" }
    })
  })
})
