import {
  fitSite,
  type ModeCommand,
  type PowerLimits,
  presentShare,
  type SiteDevice
} from "@edp/server/commands/site-limits/siteRoom"
import { restrictions } from "@edp/domain/commands/commandInputs"
import { describe, expect, test } from "vitest"
import { Random } from "../../../support/Random.ts"

const now = Date.UTC(2026, 6, 1, 18)
const minutes = (n: number) => n * 60_000

const device = (id: string, more: Partial<SiteDevice> = {}): SiteDevice => ({
  id,
  siteId: "site",
  type: "battery",
  staticState: { maxChargeRate: 5000, maxDischargeRate: 5000 },
  at: null,
  state: null,
  open: [],
  forced: null,
  ...more
})
const smart = (id: string, more: Partial<SiteDevice> = {}) =>
  device(id, { staticState: { maxChargeRate: 5000, maxDischargeRate: 5000, takesTargetPower: true }, ...more })

const mode = (deviceId: string, input: object, type: ModeCommand["type"] = "battery:set-operating-mode") => ({
  deviceId,
  type,
  input: { ...input }
})
const charge = { operatingMode: "charge" }
const discharge = { operatingMode: "discharge", enableGridInteraction: true }
const imports = (maxImportW: number | null): PowerLimits => ({ maxImportW, maxExportW: null })

const fit = (limits: PowerLimits, devices: ReadonlyArray<SiteDevice>, commands: ReadonlyArray<ModeCommand>) => {
  const fitted = fitSite(limits, devices, commands, now)
  return commands.map((command) => fitted.get(command)?.input)
}

describe("the room of a site", () => {
  test("is given to its devices in the order of their ids, however the commands are ordered", () => {
    const devices = [device("a"), device("b")]
    expect(fit(imports(5000), devices, [mode("b", charge), mode("a", charge)])).toEqual([undefined, charge])
  })

  test("lowers the power of a device that takes one, and leaves out any other", () => {
    const rest = { ...charge, targetPowerW: 2500 }
    expect(fit(imports(7500), [device("a"), smart("b")], [mode("a", charge), mode("b", charge)])).toEqual([
      charge,
      rest
    ])
    expect(fit(imports(7500), [smart("a"), device("b")], [mode("a", charge), mode("b", charge)])).toEqual([
      charge,
      undefined
    ])
  })

  test("does not lower a power below the least that the device can draw", () => {
    const staticState = { takesTargetPower: true, minPower: 1440, maxPower: 7680 }
    const start = mode("c", { operatingMode: "start-charging" }, "charger:set-operating-mode")
    const charger = device("c", { type: "charger", staticState })
    expect(fit(imports(1439.9), [charger], [start])).toEqual([undefined])
    expect(fit(imports(1440.9), [charger], [start])).toEqual([{ operatingMode: "start-charging", targetPowerW: 1440 }])
  })

  test("is not needed to stop, to be idle, or to discharge for the home alone", () => {
    const commands = [
      mode("a", { operatingMode: "idle" }),
      mode("b", { operatingMode: "discharge" }),
      mode("c", { operatingMode: "reset" })
    ]
    const devices = [device("a"), device("b"), device("c")]
    expect(fit({ maxImportW: 0, maxExportW: 0 }, devices, commands)).toEqual(commands.map(({ input }) => input))
  })

  test("is what devices have left that are forced to charge, were commanded to, or charge by their newest reading", () => {
    const charging = { chargingState: "charging", chargeRate: -2000 }
    const asks = mode("z", { ...charge })
    const left = (other: Partial<SiteDevice>) => fit(imports(6000), [device("a", other), smart("z")], [asks])[0]
    expect(left({})).toEqual(charge)
    expect(left({ forced: { ...charge, targetPowerW: 3000 } })).toEqual({ ...charge, targetPowerW: 3000 })
    expect(left({ open: [{ input: charge, startsAt: now }] })).toEqual({ ...charge, targetPowerW: 1000 })
    expect(left({ at: new Date(now - minutes(15)), state: charging })).toEqual({ ...charge, targetPowerW: 4000 })
    expect(left({ at: new Date(now - minutes(16)), state: charging })).toEqual(charge)
    // The last command counts, also before the device shows it.
    const stopped = { open: [{ input: { operatingMode: "idle" }, startsAt: now }] }
    expect(left({ ...stopped, forced: charge, at: new Date(now), state: charging })).toEqual(charge)
  })

  test("counts a command that begins later, and goes on counting the mode until then", () => {
    const later = { input: { ...charge, targetPowerW: 1000 }, startsAt: now + minutes(30) }
    expect(presentShare(smart("a", { open: [later] }), now).draws).toBe(1000)
    expect(presentShare(smart("a", { open: [later], forced: charge }), now).draws).toBe(5000)
  })

  test("is used up by a device whose power nobody knows", () => {
    const unknown = device("a", { staticState: null })
    const commands = [mode("a", charge), mode("b", charge)]
    expect(fit(imports(100_000), [unknown, device("b")], commands)).toEqual([undefined, charge])
    expect(fit(imports(100_000), [{ ...unknown, forced: charge }, device("b")], [commands[1]!])).toEqual([undefined])
    // A reading that shows its power is enough.
    const state = { chargingState: "charging", chargeRate: -2500 }
    const shown = device("a", { staticState: null, at: new Date(now), state })
    expect(fit(imports(7500), [shown, device("b")], commands)).toEqual([charge, charge])
  })

  test("is made by what stops in the same moment, whatever its id", () => {
    const devices = [device("a"), device("b", { forced: charge })]
    const commands = [mode("a", charge), mode("b", { operatingMode: "idle" })]
    expect(fit(imports(5000), devices, commands)).toEqual([charge, { operatingMode: "idle" }])
  })

  test("does not keep a device from drawing less than before, even while the limit is exceeded", () => {
    const devices = [device("a", { forced: charge }), smart("b", { forced: charge })]
    const less = { ...charge, targetPowerW: 3000 }
    expect(fit(imports(4000), devices, [mode("b", less)])).toEqual([less])
  })

  test("is separate for import and export", () => {
    const commands = [mode("a", charge), mode("b", discharge), mode("c", discharge)]
    const devices = [device("a"), device("b"), smart("c")]
    expect(fit({ maxImportW: 5000, maxExportW: 6000 }, devices, commands)).toEqual([
      charge,
      discharge,
      { ...discharge, targetPowerW: 1000 }
    ])
  })
})

describe("any commands for any devices", () => {
  const draw = (random: Random) => {
    const power = () => 100 * (1 + random.below(80))
    const input = (type: SiteDevice["type"]) => {
      const asked = random.chance(0.3) ? { targetPowerW: power() } : {}
      if (type !== "battery") {
        return random.chance(0.7) ? { operatingMode: "start-charging", ...asked } : { operatingMode: "stop-charging" }
      }
      const operatingMode = random.pick(["charge", "discharge", "idle", "reset"])
      const isPowered = operatingMode === "charge" || operatingMode === "discharge"
      return { operatingMode, enableGridInteraction: random.chance(0.7), ...(isPowered ? asked : {}) }
    }
    const devices = Array.from({ length: 1 + random.below(6) }, (_, n): SiteDevice => {
      const type = random.pick(["battery", "battery", "charger", "vehicle"] as const)
      const rated = { maxChargeRate: power(), maxDischargeRate: power(), maxPower: power(), minPower: 1000 }
      const known = random.chance(0.8) ? rated : {}
      return device(`d${n}`, {
        type,
        staticState: { ...known, takesTargetPower: random.chance(0.5) },
        at: random.chance(0.5) ? new Date(now - minutes(random.below(30))) : null,
        state: { chargingState: random.pick(["charging", "idle", "discharging"]), chargeRate: -power() },
        open: Array.from({ length: random.below(3) }, (__, index) => ({
          input: input(type),
          startsAt: now + minutes(20 * (index - 1))
        })),
        forced: random.chance(0.3) ? input(type) : null
      })
    })
    const some = devices.filter(() => random.chance(0.7))
    const commands = some.map(({ id, type }) => mode(id, input(type), `${type}:set-operating-mode`))
    const limit = () => (random.chance(0.2) ? null : power() * random.below(4))
    return { devices, commands, limits: { maxImportW: limit(), maxExportW: limit() } }
  }

  const total = (devices: ReadonlyArray<SiteDevice>, direction: "draws" | "exports") =>
    devices.reduce((sum, one) => sum + presentShare(one, now)[direction], 0)

  test("ask for no more than the limits together, or for no more than before where that exceeded them", () => {
    const seen = { lowered: 0, skipped: 0, whole: 0 }
    for (let run = 0; run < 5000; run++) {
      const { commands, devices, limits } = draw(new Random(run))
      const fitted = fitSite(limits, devices, commands, now)
      const inputs = new Map(commands.map((command) => [command.deviceId, fitted.get(command)?.input]))
      const after = devices.map((one): SiteDevice => {
        const input = inputs.get(one.id)
        return input === undefined ? one : { ...one, open: [{ input, startsAt: now }] }
      })
      for (const [limit, direction] of [
        [limits.maxImportW, "draws"],
        [limits.maxExportW, "exports"]
      ] as const) {
        const [used, before] = [total(after, direction), total(devices, direction)]
        if (limit !== null) expect(used <= Math.max(limit, before), `${run} ${direction} ${used}`).toBe(true)
      }
      for (const command of commands) {
        const { input } = fitted.get(command) ?? {}
        const outcome = input === undefined ? "skipped" : input === command.input ? "whole" : "lowered"
        seen[outcome]++
        const { staticState } = devices.find(({ id }) => id === command.deviceId)!
        if (outcome === "lowered") expect(restrictions(command.type, input!, { staticState })).toEqual({})
      }
    }
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(300)
  })

  test("stay as they are without limits", () => {
    for (let run = 0; run < 500; run++) {
      const { commands, devices } = draw(new Random(run))
      const fitted = fitSite({ maxImportW: null, maxExportW: null }, devices, commands, now)
      for (const command of commands) expect(fitted.get(command)).toBe(command)
    }
  })
})
