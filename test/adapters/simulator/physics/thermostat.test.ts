import type { DeviceCommand } from "@edp/adapter-simulator/physics/commands"
import type { SetThermostatMode } from "@edp/adapter-simulator/physics/thermostatCommands"
import { describe, expect, it } from "@effect/vitest"
import {
  type SimulatedSite,
  advanceBy,
  advanceTo,
  begin,
  give,
  home,
  HOUR,
  midnight,
  MINUTE,
  order,
  read
} from "./sites.ts"

const mode = (input: SetThermostatMode, revertAfter?: number): DeviceCommand => ({
  type: "thermostat:set-operating-mode",
  input,
  ...(revertAfter === undefined ? {} : { revertAfter })
})
const pause: DeviceCommand = { type: "thermostat:pause-schedule", input: {} }
const resume: DeviceCommand = { type: "thermostat:resume-schedule", input: {} }
const fan = (fanMode: "auto" | "on" | "off" | "circulate"): DeviceCommand => ({
  type: "thermostat:set-fan-mode",
  input: { fanMode }
})
const state = (site: SimulatedSite) => read(site, "thermostat").state

/** Midnight of a cold day, and of a hot one at noon. */
const winter = () => begin({ startsAt: Date.UTC(2026, 0, 14, 8) })
const summer = () => begin({ startsAt: Date.UTC(2026, 6, 20, 20), climate: { ...home.climate, meanTemperature: 75 } })

const everyMinute = (site: SimulatedSite, minutes: number) =>
  Array.from({ length: minutes }, () => (site = advanceBy(site, MINUTE)))

describe("the house", () => {
  it("is held at the heating setpoint in winter and at the cooling setpoint in summer, within a degree", () => {
    const heated = advanceBy(order(winter(), "thermostat", mode({ operatingMode: "heat", heatTarget: 70 })), 3 * HOUR)
    for (const site of everyMinute(heated, 120)) {
      expect(Math.abs(state(site).ambientTemperature - 70)).toBeLessThan(1)
      expect(site.state.thermostat!.activity).not.toBe("cooling")
    }
    const cooled = advanceBy(order(summer(), "thermostat", mode({ operatingMode: "cool", coolTarget: 74 })), 3 * HOUR)
    for (const site of everyMinute(cooled, 120)) expect(Math.abs(state(site).ambientTemperature - 74)).toBeLessThan(1)
  })

  it("drifts to the outdoor temperature when off, and draws nothing", () => {
    const off = advanceBy(order(winter(), "thermostat", mode({ operatingMode: "off" })), 5 * HOUR)
    expect(state(off).ambientTemperature).toBeLessThan(state(winter()).ambientTemperature - 2)
    expect(state(off).ambientTemperature).toBeGreaterThan(off.state.flows.outdoors)
    expect(off.state.flows.thermostat).toBe(0)
    expect(state(off)).not.toHaveProperty("heatTarget")
    expect(state(off)).not.toHaveProperty("coolTarget")
  })

  it("uses the rated power while it heats, at the site's bus", () => {
    const warmer = order(winter(), "thermostat", mode({ operatingMode: "heat", heatTarget: 75 }))
    const heating = everyMinute(warmer, 10).find((site) => site.state.thermostat!.activity === "heating")!
    expect(heating.state.flows.thermostat).toBe(2600)
    expect(heating.state.flows.load).toBeGreaterThan(2600)
  })

  it("needs less in eco, whose setpoints are wide", () => {
    const eco = order(winter(), "thermostat", mode({ operatingMode: "eco" }))
    expect(state(eco)).toMatchObject({ operatingMode: "eco", heatTarget: 62, coolTarget: 84 })
    const used = (site: SimulatedSite) => advanceBy(site, 12 * HOUR).state.energy.load
    expect(used(eco)).toBeLessThan(used(winter()))
  })
})

describe("thermostat:set-operating-mode", () => {
  it.each<[string, SetThermostatMode]>([
    ["heat without its target", { operatingMode: "heat" }],
    ["cool without its target", { operatingMode: "cool", heatTarget: 70 }],
    ["auto with targets in the wrong order", { operatingMode: "auto", heatTarget: 75, coolTarget: 75 }],
    ["auto with one target", { operatingMode: "auto", heatTarget: 65 }],
    ["a target beyond the limits", { operatingMode: "heat", heatTarget: 86 }]
  ])("refuses %s", (_, input) => {
    expect(give(begin(), "thermostat", mode(input)).result).toMatchObject({
      status: "refused",
      reason: "unsupported_value"
    })
  })

  it("refuses a mode that the thermostat does not have", () => {
    const site = begin({ thermostat: { ...home.thermostat, allowedModes: ["heat", "off"] } })
    expect(give(site, "thermostat", mode({ operatingMode: "cool", coolTarget: 75 })).result.reason).toBe(
      "unsupported_value"
    )
  })

  it("is already so with the same mode and targets", () => {
    const same = mode({ operatingMode: "auto", heatTarget: 64, coolTarget: 79 })
    expect(give(begin(), "thermostat", same).result.reason).toBe("already_so")
  })

  it("holds its targets until the next period of the schedule", () => {
    const held = order(begin(), "thermostat", mode({ operatingMode: "auto", heatTarget: 60, coolTarget: 82 }))
    const target = (site: SimulatedSite) => [state(site).heatTarget, state(site).coolTarget]
    expect(target(advanceTo(held, midnight + 5 * HOUR))).toEqual([60, 82])
    expect(target(advanceTo(held, midnight + 6 * HOUR + MINUTE))).toEqual([68, 76])
  })

  it("with an end restores the settings from before", () => {
    const first = order(begin(), "thermostat", mode({ operatingMode: "cool", coolTarget: 70 }, 3600))
    expect(read(first, "thermostat").forcedMode).toEqual({ mode: "cool", until: midnight + HOUR })
    const second = order(advanceBy(first, 30 * MINUTE), "thermostat", mode({ operatingMode: "off" }, 3600))
    expect(state(second).operatingMode).toBe("off")
    const ended = advanceBy(second, HOUR)
    expect(state(ended)).toMatchObject({ operatingMode: "auto", heatTarget: 64, coolTarget: 79 })
    expect(read(ended, "thermostat").forcedMode).toBeNull()
  })
})

describe("the schedule", () => {
  it("changes the targets at its periods, past midnight too", () => {
    const target = (hours: number) => state(advanceTo(begin(), midnight + hours * HOUR + MINUTE)).heatTarget
    expect([target(0), target(5), target(6), target(21), target(22), target(29)]).toEqual([64, 64, 68, 68, 64, 64])
  })

  it("keeps its targets while it is paused, and takes those of the present period when it is resumed", () => {
    const paused = advanceTo(order(begin(), "thermostat", pause), midnight + 12 * HOUR)
    expect(state(paused).heatTarget).toBe(64)
    expect(give(paused, "thermostat", pause).result.reason).toBe("already_so")
    const resumed = order(paused, "thermostat", resume)
    expect(state(resumed).heatTarget).toBe(68)
    expect(give(resumed, "thermostat", resume).result.reason).toBe("already_so")
    expect(state(advanceTo(resumed, midnight + 22 * HOUR + MINUTE)).heatTarget).toBe(64)
  })

  it("cannot be paused or resumed where there is none", () => {
    const site = begin({ thermostat: { ...home.thermostat, schedule: [] } })
    for (const command of [pause, resume])
      expect(give(site, "thermostat", command).result.reason).toBe("precondition_unmet")
  })
})

describe("thermostat:set-fan-mode", () => {
  const quiet = () => order(begin(), "thermostat", mode({ operatingMode: "off" }))
  const fanMinutes = (site: SimulatedSite) =>
    everyMinute(site, 60).filter((one) => one.state.flows.thermostat === 300).length

  it("runs the fan always, for a third of each hour, or with heating and cooling alone", () => {
    expect(fanMinutes(order(quiet(), "thermostat", fan("on")))).toBe(60)
    expect(fanMinutes(order(quiet(), "thermostat", fan("circulate")))).toBe(20)
    expect(fanMinutes(quiet())).toBe(0)
    expect(state(order(quiet(), "thermostat", fan("on"))).fanMode).toBe("on")
  })

  it("is already so with the same mode, and refuses one that the thermostat does not have", () => {
    expect(give(begin(), "thermostat", fan("auto")).result.reason).toBe("already_so")
    expect(give(begin(), "thermostat", fan("off")).result.reason).toBe("unsupported_value")
  })
})
