import {
  operatingState,
  refusal,
  storageValue,
  sumValue,
  toPayloads,
  useValue
} from "@edp/server/grid/reports/reportValues"
import { describe, expect, test } from "vitest"

const HOUR = 3_600_000
const kwh = (n: number) => BigInt(Math.round(n * 1e9))

describe("a reported value", () => {
  test("is energy in kWh or mean power in kW, and estimated where readings are missing", () => {
    expect(useValue("USAGE", { amount: kwh(1.5), coverage: 1 }, HOUR)).toEqual({ value: 1.5, quality: "OK" })
    expect(useValue("DEMAND", { amount: kwh(1.5), coverage: 0.95 }, HOUR / 2)).toEqual({
      value: 3,
      quality: "ESTIMATED"
    })
  })

  test("that is missing is said to be missing, never 0", () => {
    expect(toPayloads("USAGE", useValue("USAGE", { amount: null, coverage: 0 }, HOUR))).toEqual([
      { type: "DATA_QUALITY", values: ["MISSING"] }
    ])
  })

  test("for several resources is their sum, and bad where one of them is missing", () => {
    const uses = [
      { amount: kwh(1), coverage: 1 },
      { amount: kwh(-0.25), coverage: 1 }
    ]
    expect(sumValue("USAGE", uses, HOUR)).toEqual({ value: 0.75, quality: "OK" })
    expect(sumValue("USAGE", [...uses, { amount: null, coverage: 0.5 }], HOUR)).toEqual({ value: 0.75, quality: "BAD" })
    expect(sumValue("USAGE", [], HOUR).value).toBeUndefined()
  })

  test("for batteries weighs charges by capacity and sums powers", () => {
    const batteries = [
      { staticState: { capacity: 10_000, maxChargeRate: 5000 }, state: { chargePercentage: 100 } },
      { staticState: { capacity: 30_000 }, state: { chargePercentage: 20 } }
    ]
    expect(storageValue("STORAGE_CHARGE_LEVEL", batteries)).toEqual({ value: 0.4, quality: "OK" })
    expect(storageValue("STORAGE_USABLE_CAPACITY", batteries)).toEqual({ value: 40, quality: "OK" })
    expect(storageValue("STORAGE_MAX_CHARGE_POWER", batteries)).toEqual({ value: 5, quality: "BAD" })
    expect(storageValue("STORAGE_CHARGE_LEVEL", []).value).toBeUndefined()
  })

  test("for a state follows the dispatch", () => {
    expect(["running", "opted_out", "failed", undefined].map((state) => operatingState(state))).toEqual([
      "RUNNING_CURTAILED",
      "RUNNING_OPTED_OUT",
      "ERROR",
      "NORMAL"
    ])
    const raised = [
      { kind: "share", type: "charger", watts: 4000 },
      { kind: "actions", actions: { battery: { operatingMode: "charge" } } },
      { kind: "actions", actions: { battery: { targetPowerW: -500 } } },
      { kind: "actions", actions: { charger: { targetPowerW: 7000 } } }
    ] as const
    for (const directive of raised) expect(operatingState("running", [directive])).toBe("RUNNING_HEIGHTENED")
    const lowered = { kind: "actions", actions: { battery: { targetPowerW: 500 } } } as const
    expect(operatingState("done", [lowered])).toBe("RUNNING_CURTAILED")
  })
})

describe("a report that can't be made", () => {
  test.each([
    [{ payloadType: "UP_REGULATION_AVAILABLE" }, "The platform does not measure UP_REGULATION_AVAILABLE"],
    [{ payloadType: "USAGE", historical: false }, "The platform makes no forecasts"],
    [{ payloadType: "USAGE", units: "THERMS" }, "USAGE is reported in KWH, not in THERMS"],
    [{ payloadType: "BASELINE" }, "BASELINE is reported for all resources together: ask for aggregate true"]
  ])("says why: %j", (descriptor, why) => {
    expect(refusal(descriptor)).toBe(why)
  })

  test("is none of those that the platform measures", () => {
    expect(refusal({ payloadType: "USAGE", units: "KWH" })).toBeUndefined()
    expect(refusal({ payloadType: "BASELINE", aggregate: true })).toBeUndefined()
  })
})
