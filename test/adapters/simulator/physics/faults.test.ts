import { commandSlugs } from "@edp/domain/devices/DeviceType"
import type { DeviceCommand } from "@edp/adapter-simulator/physics/commands"
import { distortReading, type Fault, faultsInForce } from "@edp/adapter-simulator/physics/faults"
import { describe, expect, it } from "@effect/vitest"
import { type SimulatedSite, advanceBy, begin, give, happen, HOUR, midnight, MINUTE, read } from "./sites.ts"

const commands: { readonly [Slug in DeviceCommand["type"]]: Extract<DeviceCommand, { type: Slug }> } = {
  "battery:set-reserve": { type: "battery:set-reserve", input: { chargePercentage: 30 } },
  "battery:set-operating-mode": { type: "battery:set-operating-mode", input: { operatingMode: "idle" } },
  "charger:set-operating-mode": { type: "charger:set-operating-mode", input: { operatingMode: "stop-charging" } },
  "thermostat:set-operating-mode": { type: "thermostat:set-operating-mode", input: { operatingMode: "off" } },
  "thermostat:set-fan-mode": { type: "thermostat:set-fan-mode", input: { fanMode: "on" } },
  "thermostat:pause-schedule": { type: "thermostat:pause-schedule", input: {} },
  "thermostat:resume-schedule": { type: "thermostat:resume-schedule", input: {} },
  "vehicle:check-pairing-status": { type: "vehicle:check-pairing-status", input: {} },
  "vehicle:set-charge-limit": { type: "vehicle:set-charge-limit", input: { chargeLimit: 90 } },
  "vehicle:set-operating-mode": { type: "vehicle:set-operating-mode", input: { operatingMode: "stop-charging" } }
}
const deviceOfCommand = (slug: string) => slug.split(":")[0]!

const withFault = (fault: Fault, deviceId: string | null, until: number | null = midnight + HOUR): SimulatedSite =>
  happen(begin(), { type: "fault", deviceId, fault, until })

describe("every command", () => {
  it.each(commandSlugs)("%s is accepted, and refused by an unreachable device without effect", (slug) => {
    expect(give(begin(), deviceOfCommand(slug), commands[slug]).result.status).toBe("accepted")
    const site = withFault({ kind: "offline" }, null)
    const given = give(site, deviceOfCommand(slug), commands[slug])
    expect(given.result).toMatchObject({ status: "refused", reason: "unreachable" })
    expect({ ...given.site.state, applied: 0 }).toEqual({ ...site.state, applied: 0 })
    expect(give(advanceBy(site, HOUR), deviceOfCommand(slug), commands[slug]).result.status).toBe("accepted")
  })

  it.each(commandSlugs)("%s can be refused by the script", (slug) => {
    const refused = withFault({ kind: "refuses_command", command: slug, reason: "contradicted_by_state" }, null)
    for (const other of commandSlugs) {
      const { result } = give(refused, deviceOfCommand(other), commands[other])
      expect(result.reason === "contradicted_by_state").toBe(other === slug)
    }
  })

  it.each(commandSlugs)("%s is refused by a device of another kind, and by one that the site does not have", (slug) => {
    for (const deviceId of ["meter", "nothing"])
      expect(give(begin(), deviceId, commands[slug]).result).toMatchObject({ status: "refused", reason: "refused" })
  })
})

describe("a scripted fault", () => {
  it("begins and ends at its instants and concerns its device alone", () => {
    const site = withFault({ kind: "offline" }, "battery", midnight + 90_000)
    expect(read(site, "battery").onlineStatus).toBe("offline")
    expect(read(site, "meter").onlineStatus).toBe("online")
    expect(read(advanceBy(site, 89_999), "battery").onlineStatus).toBe("offline")
    expect(read(advanceBy(site, 90_000), "battery").onlineStatus).toBe("online")
  })

  it("holds until it is ended if it has no end", () => {
    const site = advanceBy(withFault({ kind: "token_revoked" }, null, null), 48 * HOUR)
    expect(faultsInForce(site.state.faults, "meter", site.state.asOf)).toEqual([{ kind: "token_revoked" }])
    const ended = happen(site, { type: "fault_ended", deviceId: null, kind: "token_revoked" })
    expect(read(ended, "meter").faults).toEqual([])
  })

  it("is shown to the adapter with its data and slows a device's responses", () => {
    const limited: Fault = { kind: "rate_limited", retryAfterSeconds: 30 }
    expect(read(withFault(limited, "meter"), "meter").faults).toEqual([limited])
    const slow = withFault({ kind: "slow", latencySeconds: 12 }, "battery")
    expect(give(slow, "battery", commands["battery:set-reserve"]).result.latencySeconds).toBe(12)
  })

  it("distorts a reading on its way", () => {
    const faults: ReadonlyArray<Fault> = [
      { kind: "partial_fields", fields: ["voltage"] },
      { kind: "wrong_units", fields: ["power"], factor: 0.001 }
    ]
    expect(distortReading({ power: 1500, voltage: 240, current: 6 }, faults)).toEqual({ power: 1.5, current: 6 })
    const reading = { power: 1500 }
    expect(distortReading(reading, [])).toBe(reading)
  })
})

describe("a counter reset", () => {
  it("makes the counters of its device begin at 0 and leaves the others and the differences alone", () => {
    const before = advanceBy(begin(), 12 * HOUR)
    const site = happen(before, { type: "counter_reset", deviceId: "meter" })
    expect(read(before, "meter").state.importedEnergy).toBeGreaterThan(1000)
    expect(read(site, "meter").state).toMatchObject({ importedEnergy: 0, exportedEnergy: 0 })
    expect(read(site, "inverter").state).toEqual(read(before, "inverter").state)
    const later = advanceBy(site, MINUTE)
    const { importedEnergy, exportedEnergy, power } = read(later, "meter").state
    expect(importedEnergy! - exportedEnergy!).toBeCloseTo(power / 60, 1)
  })
})
