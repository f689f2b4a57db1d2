import { Effect } from "effect"
import { afterEach, describe, expect, test } from "vitest"
import { plus1pm } from "../../support/peers/ShellyDevice.ts"
import { closeAll, sendCommand, startPlatform, until } from "./platform.ts"

afterEach(closeAll)

const SWITCH = "shellyplus1pm-08f9e0000004/switch:0"

/** A relay with a charging cable, on or off. */
const outlet = async (
  isOn: boolean,
  options: Parameters<Awaited<ReturnType<typeof startPlatform>>["dial"]>[2] = {}
) => {
  const platform = await startPlatform()
  const login = await platform.link({ chargers: "0" })
  const model = plus1pm()
  if (!isOn) Object.assign(model.status["switch:0"], { output: false, apower: 0, current: 0 })
  const device = await platform.dial(login.path, model, options)
  await until("a reading", () => platform.observations().length > 0)
  const saved: Array<unknown> = []
  return {
    platform,
    device,
    model,
    saved,
    send: (mode: "start-charging" | "stop-charging", more: Parameters<typeof sendCommand>[4] = {}) =>
      sendCommand(platform, login.id, SWITCH, mode, {
        snapshot: saved[0] ?? null,
        saveSnapshot: (snapshot) => Effect.sync(() => void saved.push(snapshot)),
        ...more
      }),
    restore: (snapshot: unknown = saved[0]) =>
      platform.run(
        Effect.result(
          platform.instance.restore!(platform.accounts.get(login.id)! as never, {
            device: { id: "device-1", manufacturerDeviceId: SWITCH, type: "charger" },
            snapshot,
            takenSince: []
          })
        )
      )
  }
}

const completed = { success: { status: "completed", reason: null } }
const alreadySo = { success: { status: "completed", reason: "already_so" } }

describe("a switch that supplies a charging cable", () => {
  test("is a charger with its command, and its state", async () => {
    const { platform } = await outlet(true)
    expect(platform.devices()).toMatchObject([
      { type: "charger", name: "Shelly Plus1PM", commands: ["charger:set-operating-mode"], incompatible: null }
    ])
    expect(platform.state(SWITCH)).toEqual({
      chargingState: "charging",
      chargerWattage: 2204.6,
      chargerVoltage: 228.1,
      chargerCurrent: 9.7,
      lifetimeEnergyCharged: 420110.5
    })
  })

  test("starts and stops, each completed by its status alone, which is reported", async () => {
    const { device, platform, send } = await outlet(true)
    expect(await send("stop-charging")).toMatchObject(completed)
    expect(device.asked("Switch.Set")).toEqual([{ id: 0, on: false }])
    await until("the state", () => platform.state(SWITCH).chargingState === "idle")
    expect(await send("start-charging")).toMatchObject(completed)
    expect(device.asked("Switch.Set")).toEqual([
      { id: 0, on: false },
      { id: 0, on: true }
    ])
    await until("the state", () => platform.state(SWITCH).chargingState === "charging")
  })

  test("is sent nothing for what it shows already", async () => {
    const { device, send } = await outlet(false)
    expect(await send("stop-charging")).toMatchObject(alreadySo)
    expect(await send("stop-charging", { revertAfter: 600 })).toMatchObject(alreadySo)
    expect(device.asked("Switch.Set")).toEqual([])
    expect(device.asked("Switch.GetStatus")).toHaveLength(2)
  })

  test("is only accepted where the status does not show it: a relay that is stuck completes nothing", async () => {
    const { device, platform, send } = await outlet(true, { isStuck: true })
    expect(await send("stop-charging")).toMatchObject({ success: { status: "accepted" } })
    expect(device.asked("Switch.GetStatus").length).toBeGreaterThan(2)
    const { confirms } = platform.instance
    const shows = (chargingState: string) =>
      confirms!(
        { type: "charger:set-operating-mode", input: { operatingMode: "stop-charging" } },
        { state: { chargingState } } as never,
        null
      )
    expect(["charging", "idle", "unknown"].map(shows)).toEqual(["contrary", "met", "pending"])
  })

  test("is refused in the device's words, and with a reason", async () => {
    const { send } = await outlet(true, { errors: { "Switch.Set": { code: -114, message: "Resource unavailable" } } })
    expect(await send("stop-charging")).toMatchObject({
      failure: {
        failure: "refused",
        commandReason: "refused",
        upstream: { errorCode: "-114", errorMessage: "Resource unavailable" }
      }
    })
  })

  test("that asks for a password is refused without the nonce of its challenge", async () => {
    const message = JSON.stringify({
      auth_type: "digest",
      nonce: 1772366400,
      nc: 1,
      realm: "shelly",
      algorithm: "SHA-256"
    })
    const { send } = await outlet(true, { errors: { "Switch.GetStatus": { code: 401, message } } })
    const result = await send("stop-charging")
    expect(result).toMatchObject({ failure: { failure: "refused", upstream: { errorCode: "401" } } })
    expect(JSON.stringify(result)).not.toContain("nonce")
  })

  test("takes no power, no other command, and none for what is no switch", async () => {
    const { device, platform, send } = await outlet(true)
    const refused = { failure: { failure: "refused", commandReason: "unsupported_value" } }
    expect(await send("start-charging", { input: { operatingMode: "start-charging", targetPowerW: 5 } })).toMatchObject(
      refused
    )
    expect(await send("start-charging", { type: "battery:set-reserve" })).toMatchObject(refused)
    const id = [...platform.accounts.keys()][0]!
    expect(await sendCommand(platform, id, "shellyplus1pm-08f9e0000004/em:0", "stop-charging")).toMatchObject(refused)
    expect(device.asked("Switch.Set")).toEqual([])
  })
})

describe("a forced mode of a switch", () => {
  test("stores what was before once, sets the device's own timer, and restores it once, however often it is told to", async () => {
    const { device, restore, saved, send } = await outlet(true)
    expect(await send("stop-charging", { revertAfter: 600 })).toMatchObject(completed)
    expect(saved).toEqual([{ operatingMode: "start-charging" }])
    expect(device.asked("Switch.Set")).toEqual([{ id: 0, on: false, toggle_after: 600 }])
    expect(await restore()).toMatchObject(completed)
    expect(device.asked("Switch.Set").at(-1)).toEqual({ id: 0, on: true })
    expect(await restore()).toMatchObject(alreadySo)
    expect(device.asked("Switch.Set")).toHaveLength(2)
  })

  test("that follows another one sets no timer, which would turn to the first one", async () => {
    const { device, model, restore, saved, send } = await outlet(true)
    await send("stop-charging", { revertAfter: 600 })
    expect(await send("start-charging", { revertAfter: 300 })).toMatchObject(completed)
    expect(device.asked("Switch.Set").at(-1)).toEqual({ id: 0, on: true })
    expect(model.status["switch:0"].timer_started_at).toBeUndefined()
    expect(saved).toHaveLength(1)
    expect(await restore()).toMatchObject(alreadySo)
  })

  test("ends with a command without an end, which takes the device's timer away", async () => {
    const { device, model, send } = await outlet(true)
    await send("stop-charging", { revertAfter: 600 })
    expect(model.status["switch:0"].timer_started_at).toBeDefined()
    // It is off, but its timer would turn it on.
    expect(await send("stop-charging")).toMatchObject(completed)
    expect(device.asked("Switch.Set").at(-1)).toEqual({ id: 0, on: false })
    expect(model.status["switch:0"].timer_started_at).toBeUndefined()
  })

  test("refuses a snapshot of another adapter, and begins none where the switch does not say whether it is on", async () => {
    const { device, model, restore, saved, send } = await outlet(true)
    expect(await restore({ of: "another adapter" })).toMatchObject({ failure: { failure: "contract" } })
    delete model.status["switch:0"].output
    expect(await send("stop-charging", { revertAfter: 600 })).toMatchObject({
      failure: { failure: "refused", commandReason: "precondition_unmet" }
    })
    expect(saved).toEqual([])
    expect(device.asked("Switch.Set")).toEqual([])
  })
})
