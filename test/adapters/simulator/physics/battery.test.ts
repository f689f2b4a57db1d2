import type { BatteryProfile } from "@edp/adapter-simulator/physics/battery"
import type { SetBatteryMode } from "@edp/adapter-simulator/physics/batteryCommands"
import { describe, expect, it } from "@effect/vitest"
import {
  type SimulatedSite,
  advanceBy,
  advanceTo,
  begin,
  give,
  happen,
  home,
  HOUR,
  midnight,
  MINUTE,
  read
} from "./sites.ts"

const mode = (site: SimulatedSite, input: SetBatteryMode, revertAfter?: number) =>
  give(site, "battery", {
    type: "battery:set-operating-mode",
    input,
    ...(revertAfter === undefined ? {} : { revertAfter })
  })

const reserve = (site: SimulatedSite, chargePercentage: number) =>
  give(site, "battery", { type: "battery:set-reserve", input: { chargePercentage } })

const battery = (site: SimulatedSite) => read(site, "battery").state

const own = (changes: Partial<BatteryProfile>) => begin({ battery: { ...home.battery, ...changes } })

describe("the strategies", () => {
  it("self-consumption serves the home at night down to the reserve and stores the sun by day", () => {
    const night = advanceTo(begin({ vehicle: { ...home.vehicle, initialPercentage: 80 } }), midnight + 4 * HOUR)
    expect(battery(night).chargingState).toBe("discharging")
    expect(battery(night).gridPower).toBe(0)
    const morning = advanceTo(begin(), midnight + 6 * HOUR)
    expect(battery(morning).chargePercentage).toBeCloseTo(20, 0)
    let site = morning
    let stored = 0
    for (let hour = 6; hour < 15; hour++) {
      site = advanceTo(site, midnight + hour * HOUR)
      if (battery(site).chargingState === "charging") stored++
    }
    expect(stored).toBeGreaterThan(2)
    expect(battery(site).chargePercentage).toBeGreaterThan(60)
  })

  it("time-of-use charges from the grid off-peak if it may, keeps the charge and discharges at the peak", () => {
    const site = advanceTo(own({ strategy: "time_of_use", chargesFromGrid: true }), midnight + HOUR)
    expect(battery(site).chargeRate).toBe(-2500)
    expect(battery(advanceTo(site, midnight + 6 * HOUR)).chargePercentage).toBeCloseTo(90, 0)
    expect(battery(advanceTo(site, midnight + 6.5 * HOUR)).chargingState).not.toBe("discharging")
    expect(battery(advanceTo(site, midnight + 16.5 * HOUR)).chargingState).toBe("discharging")
  })

  it("backup never discharges", () => {
    let site = own({ strategy: "backup" })
    for (let hour = 1; hour <= 24; hour++) {
      site = advanceTo(site, midnight + hour * HOUR)
      expect(battery(site).chargingState).not.toBe("discharging")
    }
    expect(site.state.energy.discharged).toBe(0)
  })
})

describe("battery:set-reserve", () => {
  it("stops discharging at the reserve", () => {
    const site = advanceBy(reserve(begin(), 45).site, 4 * HOUR)
    expect(battery(site).backupReserve).toBe(45)
    expect(battery(site).chargePercentage).toBeGreaterThanOrEqual(45)
    expect(battery(site).chargePercentage).toBeLessThan(45.1)
  })

  it("is already so with the same reserve, and refuses what is no percentage", () => {
    expect(reserve(begin(), 20).result).toMatchObject({ status: "accepted", reason: "already_so" })
    for (const value of [-1, 101, Number.NaN])
      expect(reserve(begin(), value).result).toMatchObject({ status: "refused", reason: "unsupported_value" })
  })

  it("under a forced mode becomes the reserve that is restored", () => {
    const forced = mode(begin(), { operatingMode: "discharge", minimumBatteryReserve: 5 }, 600).site
    expect(battery(forced).backupReserve).toBe(5)
    const site = advanceBy(reserve(forced, 33).site, 11 * MINUTE)
    expect(battery(site).backupReserve).toBe(33)
    expect(read(site, "battery").forcedMode).toBeNull()
  })
})

describe("battery:set-operating-mode", () => {
  it("charges at the full rate from the grid if it may, up to the maximum, and slower above 90 %", () => {
    const site = mode(begin(), { operatingMode: "charge", enableGridInteraction: true, maximumBatteryReserve: 80 }).site
    expect(battery(advanceBy(site, MINUTE)).chargeRate).toBe(-5000)
    const full = advanceBy(site, 2 * HOUR)
    expect(battery(full).chargePercentage).toBeCloseTo(80, 1)
    expect(battery(full).chargingState).toBe("idle")
    const free = mode(begin(), { operatingMode: "charge", enableGridInteraction: true }).site
    const at95 = Array.from({ length: 120 }, (_, minute) => battery(advanceBy(free, minute * MINUTE))).find(
      ({ chargePercentage }) => chargePercentage > 95
    )
    expect(-at95!.chargeRate!).toBeGreaterThan(500)
    expect(-at95!.chargeRate!).toBeLessThan(3000)
  })

  it("charges from the sun alone by default", () => {
    const night = advanceBy(mode(begin(), { operatingMode: "charge" }).site, MINUTE)
    expect(battery(night).chargeRate).toBe(0)
    const noon = begin({ startsAt: midnight + 11 * HOUR })
    const { state } = advanceBy(mode(noon, { operatingMode: "charge" }).site, MINUTE)
    expect(state.flows.battery).toBeLessThan(-1000)
    expect(state.flows.battery).toBe(-Math.min(5000, Math.max(0, state.flows.solar - state.flows.load)))
  })

  it("discharges for the home, and into the grid only if it may, down to the minimum", () => {
    const site = advanceTo(begin({ vehicle: { ...home.vehicle, initialPercentage: 80 } }), midnight + MINUTE)
    const served = advanceBy(mode(site, { operatingMode: "discharge" }).site, MINUTE)
    expect(battery(served).chargeRate).toBe(battery(served).loadPower)
    const exported = advanceBy(mode(site, { operatingMode: "discharge", enableGridInteraction: true }).site, MINUTE)
    expect(battery(exported).chargeRate).toBe(4000)
    expect(battery(exported).gridStatus).toBe("exporting")
    const low = { operatingMode: "discharge", enableGridInteraction: true, minimumBatteryReserve: 10 } as const
    const empty = advanceBy(mode(site, low).site, 3 * HOUR)
    expect(battery(empty).chargePercentage).toBeCloseTo(10, 1)
  })

  it("keeps to a target power, and stays below it where the sun or the home allow no more", () => {
    const grid = { enableGridInteraction: true, targetPowerW: 1200 } as const
    const power = (input: SetBatteryMode, site = begin()) =>
      battery(advanceBy(mode(site, input).site, MINUTE)).chargeRate
    expect(power({ operatingMode: "charge", ...grid })).toBe(-1200)
    expect(power({ operatingMode: "discharge", ...grid })).toBe(1200)
    expect(power({ operatingMode: "charge", targetPowerW: 1200 })).toBe(0)
    expect(power({ operatingMode: "charge", targetPowerW: 300 }, begin({ startsAt: midnight + 11 * HOUR }))).toBe(-300)
    const limited = mode(begin(), { operatingMode: "charge", ...grid }).site
    expect(power({ operatingMode: "charge", enableGridInteraction: true }, limited)).toBe(-5000)
  })

  it("idles", () => {
    const site = advanceBy(mode(begin(), { operatingMode: "idle" }).site, 5 * HOUR)
    expect(battery(site)).toMatchObject({ chargingState: "idle", chargeRate: 0, charge: battery(begin()).charge })
  })

  it("ends after revertAfter with the settings from before the first mode", () => {
    const first = mode(begin(), { operatingMode: "discharge", minimumBatteryReserve: 10 }, 3600).site
    const second = mode(advanceBy(first, 30 * MINUTE), { operatingMode: "idle", minimumBatteryReserve: 40 }, 600).site
    expect(battery(second).backupReserve).toBe(40)
    const holding = advanceBy(second, 9 * MINUTE)
    expect(read(holding, "battery").forcedMode).toEqual({ mode: "idle", until: midnight + 40 * MINUTE })
    const ended = advanceBy(second, 10 * MINUTE)
    expect(read(ended, "battery").forcedMode).toBeNull()
    expect(battery(ended)).toMatchObject({ backupReserve: 20, strategy: "self_consumption" })
  })

  it("resets to the settings from before, for 24 hours after the mode began", () => {
    expect(mode(begin(), { operatingMode: "reset" }).result).toMatchObject({
      status: "refused",
      reason: "precondition_unmet"
    })
    const forced = mode(begin(), { operatingMode: "charge", minimumBatteryReserve: 60 }).site
    const reset = mode(advanceBy(forced, HOUR), { operatingMode: "reset" })
    expect(reset.result).toMatchObject({ status: "accepted", reason: null })
    expect(battery(reset.site).backupReserve).toBe(20)
    expect(mode(reset.site, { operatingMode: "reset" }).result.reason).toBe("already_so")
    expect(mode(advanceBy(reset.site, 24 * HOUR), { operatingMode: "reset" }).result.reason).toBe("precondition_unmet")
  })

  it("counts the 24 hours from the first of several modes over each other", () => {
    const first = mode(begin(), { operatingMode: "charge" }).site
    const second = mode(advanceBy(first, 10 * HOUR), { operatingMode: "idle" }, 600).site
    expect(mode(advanceBy(second, 13 * HOUR), { operatingMode: "reset" }).result.reason).toBe("already_so")
    expect(mode(advanceBy(second, 15 * HOUR), { operatingMode: "reset" }).result.reason).toBe("precondition_unmet")
  })

  it("refuses a minimum that is not below the maximum", () => {
    const input = { operatingMode: "charge", minimumBatteryReserve: 50, maximumBatteryReserve: 50 } as const
    expect(mode(begin(), input).result.reason).toBe("unsupported_value")
  })
})

it("a full cycle returns the round-trip efficiency", () => {
  const charged = advanceBy(
    mode(own({ initialPercentage: 20 }), { operatingMode: "charge", enableGridInteraction: true }).site,
    6 * HOUR
  )
  const emptied = advanceBy(mode(charged, { operatingMode: "discharge", enableGridInteraction: true }).site, 6 * HOUR)
  const { energy } = emptied.state
  expect(battery(emptied).chargePercentage).toBeCloseTo(20, 1)
  expect(energy.discharged / energy.charged).toBeCloseTo(0.9, 2)
})

describe("storm mode", () => {
  const storm = (site: SimulatedSite, hours: number) =>
    happen(site, {
      type: "fault",
      deviceId: null,
      fault: { kind: "storm_mode" },
      until: site.state.asOf + hours * HOUR
    })

  it("raises the reserve and charges to full from any source, and then leaves everything as it was", () => {
    const site = storm(begin(), 4)
    expect(battery(site)).toMatchObject({ isStormModeActive: true, isStormModeEnabled: true, backupReserve: 100 })
    expect(battery(advanceBy(site, MINUTE)).chargeRate).toBe(-5000)
    expect(battery(advanceBy(site, 3.9 * HOUR)).chargePercentage).toBeGreaterThan(99)
    const over = advanceBy(site, 4 * HOUR + MINUTE)
    expect(battery(over)).toMatchObject({ isStormModeActive: false, backupReserve: 20, chargingState: "discharging" })
  })

  it("refuses commands while it holds, and goes before a forced mode that holds", () => {
    const forced = mode(begin(), { operatingMode: "discharge", enableGridInteraction: true }, 7200).site
    const site = storm(forced, 1)
    expect(reserve(site, 50).result).toMatchObject({ status: "refused", reason: "precondition_storm_mode" })
    expect(mode(site, { operatingMode: "reset" }).result.reason).toBe("precondition_storm_mode")
    expect(battery(advanceBy(site, MINUTE)).chargingState).toBe("charging")
    expect(battery(advanceBy(site, HOUR + MINUTE)).chargeRate).toBe(4000)
  })

  it("does not concern a battery that has it disabled", () => {
    const site = storm(own({ stormModeEnabled: false }), 4)
    expect(battery(site)).toMatchObject({ isStormModeActive: false, isStormModeEnabled: false, backupReserve: 20 })
    expect(reserve(site, 50).result.status).toBe("accepted")
  })
})
