import { discovered, observed } from "@edp/adapter-blueprint/responses"
import { describe, expect, it } from "vitest"

const system = { id: "b1", name: "Garage", model: "Acme 10", capacityKwh: 10 }
const live = { at: "2026-05-02T14:30:10Z", stateOfCharge: 63, batteryKw: 1.2, reserve: 20, mode: "self" }

describe("a battery of the blueprint", () => {
  it("has our units and signs: watts, negative while it charges", () => {
    expect(observed(system, live)).toMatchObject({
      observedAt: Date.UTC(2026, 4, 2, 14, 30, 10),
      state: {
        chargePercentage: 63,
        charge: 6300,
        chargeRate: -1200,
        chargingState: "charging",
        backupReserve: 20,
        strategy: "self_consumption",
        whConsumed: null
      },
      staticState: { capacity: 10_000 },
      problems: []
    })
    expect(observed(system, { ...live, batteryKw: 0 }).state).toMatchObject({ chargeRate: 0, chargingState: "idle" })
  })

  it("has no state without its charge, and reports a mode that is not known", () => {
    expect(observed(system, { ...live, stateOfCharge: null }).state).toBeNull()
    expect(observed(system, { ...live, batteryKw: null }).state).not.toHaveProperty("chargeRate")
    expect(observed(system, { ...live, mode: "quantum" })).toMatchObject({
      state: { chargePercentage: 63 },
      problems: ['The mode "quantum" is not known']
    })
  })

  it("is discovered with its identity", () => {
    expect(discovered(system)).toMatchObject({ type: "battery", serialNumber: null, staticState: { capacity: 10_000 } })
  })
})
