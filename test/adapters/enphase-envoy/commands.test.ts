import { enphaseAdapter } from "@edp/adapter-enphase-envoy/enphaseAdapter"
import type { LinkedDevice } from "@edp/adapter-kit/Account"
import { type CuttableDevice, dieAtEachWrite, type ForcedStep } from "@edp/adapter-kit/testing/cutWrites"
import { testHost } from "@edp/adapter-kit/testing/TestHost"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { afterEach, describe, expect, it } from "vitest"
import { failure, run } from "../../adapter-kit/modbus/modbusInstance.ts"
import type { GatewayShape } from "../../support/peers/EnphaseGateway.ts"
import { firmware8, withStorage } from "./generations.ts"
import { startGateway, type StartedGateway } from "./startGateway.ts"

const started: Array<StartedGateway> = []
afterEach(async () => {
  for (const one of started.splice(0)) await one.stop()
})
const start = async (shape: GatewayShape = firmware8) => {
  const one = await startGateway(shape)
  started.push(one)
  return { ...one, account: await one.link() }
}

const reserve = (chargePercentage: number) => ({ type: "battery:set-reserve" as const, input: { chargePercentage } })
const mode = (operatingMode: string, more: object = {}) => ({
  type: "battery:set-operating-mode" as const,
  input: { operatingMode, ...more },
  revertAfter: 600
})

const done = { status: "completed", reason: null }

describe("battery:set-reserve", () => {
  it("writes the whole tariff with another reserve in it, and is done once the gateway shows it", async () => {
    const { account, command, gateway, read } = await start()
    const before = structuredClone(gateway.pages["/admin/lib/tariff"])
    expect(await run(command(account, reserve(35)))).toMatchObject(done)
    const { storage_settings: settings, ...tariff } = before.tariff
    expect(gateway.writes).toEqual([{ tariff: { ...tariff, storage_settings: { ...settings, reserved_soc: 35 } } }])
    expect((await run(read(account))).states["battery"]).toMatchObject({ backupReserve: 35 })
    gateway.lines.splice(0)
    expect(await run(command(account, reserve(35)))).toMatchObject({ status: "completed", reason: "already_so" })
    expect(gateway.lines).toEqual(["GET /admin/lib/tariff"])
  })

  it("keeps the mode, also one that nobody knows, and says how it was rounded", async () => {
    const { account, command, gateway } = await start(withStorage({ mode: "savings-mode", opt_schedules: true }))
    const result = await run(command(account, reserve(33.333)))
    expect(result).toMatchObject({ ...done, sentInput: { chargePercentage: 33.3 } })
    expect(gateway.storage).toMatchObject({ mode: "savings-mode", opt_schedules: true, reserved_soc: 33.3 })
  })

  it("fails where the gateway accepts the settings and does not keep them", async () => {
    const { account, command, gateway } = await start()
    gateway.isDeaf = true
    const error = await Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Effect.flip(command(account, reserve(50))))
      for (let read = 0; read < 4; read++) {
        // The settings from before, then those after each pause.
        const held = yield* Effect.promise(() => gateway.hold("/admin/lib/tariff"))
        held.release()
        yield* TestClock.adjust("6 seconds")
      }
      return yield* Fiber.join(fiber)
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)
    expect(error).toMatchObject({ failure: "refused", commandReason: "contradicted_by_state" })
  })

  it("is refused to a user who may not change settings, and leaves the account as it is", async () => {
    const { account, command, gateway, read } = await start()
    gateway.isReadOnly = true
    expect(await failure(command(account, reserve(50)))).toMatchObject({
      failure: "refused",
      commandReason: "scope_missing",
      message: "The gateway does not let this user change its settings"
    })
    expect((await run(read(account))).report.observations).toHaveLength(3)
  })

  it("without settings of batteries is refused", async () => {
    const { account, command, gateway } = await start()
    delete gateway.pages["/admin/lib/tariff"].tariff.storage_settings
    expect(await failure(command(account, reserve(50)))).toMatchObject({ commandReason: "precondition_unmet" })
  })
})

describe("battery:set-operating-mode", () => {
  it.each([
    ["charge", {}, { reserved_soc: 100, charge_from_grid: false }, "charging"],
    [
      "charge",
      { maximumBatteryReserve: 80, enableGridInteraction: true },
      { reserved_soc: 80, charge_from_grid: true },
      "charging"
    ],
    ["discharge", {}, { reserved_soc: 20, charge_from_grid: false }, "discharging"],
    ["discharge", { minimumBatteryReserve: 15 }, { reserved_soc: 15, charge_from_grid: false }, "discharging"],
    ["idle", {}, { reserved_soc: 46, charge_from_grid: false }, "idle"]
  ])(
    "%s with %j sets the reserve, the batteries follow, and reset restores all settings",
    async (name, input, written, chargingState) => {
      const { account, command, gateway, instance, read } = await start(
        withStorage({ mode: "economy", charge_from_grid: true })
      )
      const before = structuredClone(gateway.storage)
      const saved: Array<unknown> = []
      expect(await run(command(account, mode(name, input), saved))).toMatchObject(done)
      expect(gateway.storage).toEqual({ ...before, mode: "self-consumption", opt_schedules: false, ...written })
      expect((await run(read(account))).states["battery"]).toMatchObject({
        chargingState,
        strategy: "self_consumption"
      })
      expect(saved).toEqual([{ mode: "economy", reserve: 20, chargeFromGrid: true, optimized: false }])
      expect(await run(command(account, { ...mode(name, input), snapshot: saved[0] }))).toMatchObject({
        reason: "already_so"
      })
      expect(await run(command(account, { ...mode("reset"), snapshot: saved[0] }))).toMatchObject(done)
      expect(gateway.storage).toEqual(before)
      const device = { id: "1", manufacturerDeviceId: `${account.externalId}/battery`, type: "battery" as const }
      expect(await run(instance.restore!(account, { device, snapshot: saved[0], takenSince: [] }))).toMatchObject({
        reason: "already_so"
      })
    }
  )

  it("switches Enphase's planning off, waits for what the batteries do, and restores the planning", async () => {
    const { account, command, gateway, instance, read } = await start(withStorage({ opt_schedules: true }))
    const saved: Array<unknown> = []
    const request = mode("charge")
    expect(await run(command(account, request, saved))).toMatchObject({ status: "accepted" })
    const { report } = await run(read(account))
    const seen = report.observations.find(({ manufacturerDeviceId }) => manufacturerDeviceId.endsWith("/battery"))!
    expect(instance.confirms!(request, seen, { chargingState: "discharging" })).toBe("met")
    await run(command(account, { ...mode("reset"), snapshot: saved[0] }))
    expect(gateway.storage).toMatchObject({ opt_schedules: true, reserved_soc: 20 })
  })

  it("is not confirmed where the cloud has written its own settings again", async () => {
    const { account, command, gateway, instance, read } = await start(withStorage({ opt_schedules: true }))
    const original = structuredClone(gateway.pages["/admin/lib/tariff"])
    const request = mode("charge")
    await run(command(account, request))
    gateway.pages["/admin/lib/tariff"] = original
    for (const device of gateway.pages["/ivp/ensemble/power"]["devices:"]) device.real_power_mw = 512_000
    const { report } = await run(read(account))
    const seen = report.observations.find(({ manufacturerDeviceId }) => manufacturerDeviceId.endsWith("/battery"))!
    expect(instance.confirms!(request, seen, { chargingState: "discharging" })).toBe("contrary")
  })

  it("changes no planning of firmware that has none", async () => {
    const shape = structuredClone(firmware8) as any
    delete shape.pages["/admin/lib/tariff"].tariff.storage_settings.opt_schedules
    const { account, command, gateway } = await start(shape)
    await run(command(account, mode("charge")))
    expect(gateway.storage).not.toHaveProperty("opt_schedules")
    expect(gateway.storage).toMatchObject({ reserved_soc: 100 })
  })

  it.each([
    [mode("charge", { maximumBatteryReserve: 40 }), "The batteries are charged as far as they may be"],
    [mode("discharge", { minimumBatteryReserve: 46 }), "The batteries are discharged as far as they may be"],
    [mode("reset"), "There are no settings to return to"]
  ])("%j that can do nothing is refused, and writes nothing", async (request, message) => {
    const { account, command, gateway } = await start()
    const saved: Array<unknown> = []
    expect(await failure(command(account, request, saved))).toMatchObject({
      commandReason: "precondition_unmet",
      message
    })
    expect([saved, gateway.writes]).toEqual([[], []])
  })

  it("is refused where the state of charge is not known", async () => {
    const { account, command, gateway } = await start()
    gateway.pages["/ivp/ensemble/secctrl"] = {}
    expect(await failure(command(account, mode("charge")))).toMatchObject({
      message: "The state of charge is not known"
    })
  })

  it("keeps a reserve that was set meanwhile when it ends", async () => {
    const { account, command, gateway, instance } = await start()
    const saved: Array<unknown> = []
    await run(command(account, mode("charge"), saved))
    await run(command(account, { ...reserve(44), snapshot: saved[0] }))
    const device = { id: "1", manufacturerDeviceId: `${account.externalId}/battery`, type: "battery" as const }
    await run(instance.restore!(account, { device, snapshot: saved[0], takenSince: [reserve(44)] }))
    expect(gateway.storage).toMatchObject({ mode: "self-consumption", reserved_soc: 44, charge_from_grid: false })
  })
})

it("a process that dies before or after any write leaves settings that the next one restores", async () => {
  const { account, gateway } = await start(withStorage({ mode: "economy" }))
  const device: LinkedDevice = { id: "1", manufacturerDeviceId: `${account.externalId}/battery`, type: "battery" }
  const cuttable: CuttableDevice = {
    start: Effect.map(enphaseAdapter.create({}, testHost().host), (instance) => ({ instance, account, device })),
    cutAt: (write, arrives) => {
      let left = write
      return new Promise((reached) => {
        const cut = async () => {
          left -= 1
          if (left !== 0) return
          reached()
          await new Promise(() => {})
        }
        gateway.beforeWrite = arrives ? () => Promise.resolve() : cut
        gateway.afterWrite = arrives ? cut : () => Promise.resolve()
      })
    },
    settings: () => Promise.resolve(structuredClone(gateway.storage))
  }
  const steps: ReadonlyArray<ForcedStep> = [
    mode("charge"),
    mode("idle"),
    mode("discharge", { minimumBatteryReserve: 12 })
  ]
  expect(await dieAtEachWrite(cuttable, steps)).toBe(4)
})
