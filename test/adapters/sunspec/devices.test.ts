import { readingSchemas } from "@edp/domain/devices/DeviceState"
import { defaultSettings, mapDevices, type SunSpecSettings } from "@edp/adapter-sunspec/devices"
import { walkDevice } from "@edp/adapter-sunspec/walk"
import { Arbitrary, Effect, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { deviceAt, mapRegisters, model, type ModelFixture, runReads } from "./sunSpecMap.ts"

const devices = (fixtures: ReadonlyArray<ModelFixture>, settings: Partial<SunSpecSettings> = {}) =>
  mapDevices(runReads(walkDevice(), deviceAt(40_000, mapRegisters(fixtures))), { ...defaultSettings, ...settings })

const only = (fixtures: ReadonlyArray<ModelFixture>, settings: Partial<SunSpecSettings> = {}) => {
  const [device, ...others] = devices(fixtures, settings)
  expect(others).toEqual([])
  return device!.observation
}

describe("the inverter of a map", () => {
  it("has the generated power and counter, scaled", () => {
    const { missing, state } = only([model(103, { W: 415, W_SF: 1, WH: 1234, WH_SF: 2 })])
    expect({ missing, state }).toEqual({ missing: [], state: { power: 4150, lifetimeEnergyGenerated: 123_400 } })
  })

  it("is the same by floats and by the newer DER models", () => {
    expect(only([model(113, { W: 4150, WH: 123_400 })]).state).toEqual({
      power: 4150,
      lifetimeEnergyGenerated: 123_400
    })
    const der = only([
      model(701, { W: 415, W_SF: 1, TotWhInj: 1234, TotWh_SF: 2 }),
      model(702, { WMaxRtg: 60, WMax: 50, W_SF: 2 })
    ])
    expect(der).toMatchObject({
      state: { power: 4150, lifetimeEnergyGenerated: 123_400 },
      staticState: { power: 5000 }
    })
  })

  it("does not generate what its battery discharges, nor counts it", () => {
    const [inverter] = devices([
      model(103, { W: 2900, W_SF: 0, WH: 5, WH_SF: 0 }),
      model(802, { W: 3000, W_SF: 0, SoC: 50, SoC_SF: 0 })
    ])
    expect(inverter!.observation.state).toEqual({ power: 0 })
    const [hybrid, battery] = devices(
      [
        model(103, { W: 2900, W_SF: 0 }),
        model(124, { ChaState: 50, ChaState_SF: 0 }),
        model(160, { DCW_SF: 0, N: 3 }, [{ DCW: 1200 }, { DCW: 0 }, { DCW: 1800 }])
      ],
      { batteryInputs: { charge: 2, discharge: 3 } }
    )
    expect(hybrid!.observation.state).toEqual({ power: 1200 })
    expect(battery!.observation.state).toMatchObject({ chargeRate: 1800, chargingState: "discharging" })
  })

  const hybrid = (...more: ReadonlyArray<ModelFixture>) =>
    devices([model(103, { W: 2900, W_SF: 0, WH: 5, WH_SF: 0 }), ...more])[0]!.observation

  it.each([
    ["discharges", 3],
    ["charges", 4],
    ["is tested", 7],
    ["does not tell", undefined]
  ])("has no generated power while a battery whose power is unknown %s", (_, ChaSt) => {
    const battery = model(124, { ChaState: 50, ChaState_SF: 0, ...(ChaSt !== undefined && { ChaSt }) })
    expect(hybrid(battery)).toMatchObject({ state: {}, missing: ["power"] })
    const unnamed = model(160, { DCW_SF: 0, N: 2 }, [{ DCW: 1200 }, { DCW: 1800 }])
    expect(hybrid(battery, unnamed)).toMatchObject({ state: {}, missing: ["power"] })
  })

  it.each([1, 2, 5, 6])("generates what its AC side has while no power flows at its battery (state %i)", (ChaSt) => {
    expect(hybrid(model(124, { ChaState: 50, ChaState_SF: 0, ChaSt })).state).toEqual({ power: 2900 })
  })

  it("has the power of its solar ports by model 714, or what its AC side has beside the port of its battery", () => {
    const capacity = model(713, { SoC: 45, Pct_SF: 0 })
    expect(hybrid(capacity)).toMatchObject({ state: {}, missing: ["power"] })
    const ports = (...blocks: ReadonlyArray<ModelFixture["points"]>) =>
      model(714, { NPrt: blocks.length, DCW_SF: 1 }, blocks)
    const sun = [
      { PrtTyp: 1, DCW: 80 },
      { PrtTyp: 1, DCW: 40 }
    ]
    expect(hybrid(capacity, ports(...sun, { PrtTyp: 2, DCW: 180 })).state).toEqual({ power: 1200 })
    expect(hybrid(capacity, ports({ PrtTyp: 2, DCW: 180 })).state).toEqual({ power: 1100 })
    expect(hybrid(capacity, ports({ PrtTyp: 2, DCW: -100 })).state).toEqual({ power: 3900 })
    const [, battery] = devices([model(103, { W: 1, W_SF: 0 }), capacity, ports({ PrtTyp: 2, DCW: -100 })])
    expect(battery!.observation.state).toMatchObject({ chargeRate: -1000, chargingState: "charging" })
  })

  it("generates nothing while it draws, and leaves out a power that is not implemented", () => {
    expect(only([model(103, { W: -7, W_SF: 0 })]).state).toEqual({ power: 0 })
    expect(only([model(103, { WH: 5, WH_SF: 0 })])).toMatchObject({
      state: { lifetimeEnergyGenerated: 5 },
      missing: ["power"]
    })
    expect(only([model(103, { W: 100 })]).missing).toEqual(["power"])
  })
})

describe("the battery of a map", () => {
  it("has its charge by model 124 and its nameplate", () => {
    const { missing, staticState, state } = only([
      model(120, { WHRtg: 10_000, WHRtg_SF: 0, MaxDisChaRte: 5, MaxDisChaRte_SF: 3 }),
      model(124, {
        ChaState: 425,
        ChaState_SF: -1,
        ChaSt: 6,
        MinRsvPct: 10,
        MinRsvPct_SF: 0,
        WChaMax: 3300,
        WChaMax_SF: 0
      })
    ])
    expect(missing).toEqual([])
    expect(state).toEqual({
      chargingState: "idle",
      charge: 4250,
      chargePercentage: 42.5,
      whConsumed: null,
      backupReserve: 10
    })
    expect(staticState).toEqual({ capacity: 10_000, maxChargeRate: 3300, maxDischargeRate: 5000 })
  })

  it.each([
    ["discharge", 2000, "discharging", 2000],
    ["charge", 2000, "charging", -2000],
    ["discharge", -2000, "charging", -2000],
    ["discharge", 20, "idle", 20]
  ] as const)("that counts %s as positive and reports %i W is %s", (batteryPositive, W, chargingState, chargeRate) => {
    const { state } = only([model(802, { W, W_SF: 0, SoC: 50, SoC_SF: 0 })], { batteryPositive })
    expect(state).toMatchObject({ chargingState, chargeRate })
  })

  it("has its charge by model 713 and lacks the charge without any capacity", () => {
    expect(only([model(713, { WHRtg: 135, WHAvail: 61, SoC: 45, WH_SF: 2, Pct_SF: 0 })])).toMatchObject({
      state: { charge: 6100, chargePercentage: 45, chargingState: "unknown" },
      staticState: { capacity: 13_500 },
      missing: []
    })
    expect(only([model(713, { SoC: 45, Pct_SF: 0 })]).missing).toEqual(["charge"])
  })

  it("leaves out a percentage that the contract does not allow, and reports it", () => {
    const { problems, state } = only([model(802, { SoC: 130, SoC_SF: 0 })])
    expect(state).not.toHaveProperty("chargePercentage")
    expect(problems).toEqual(["chargePercentage has the value 130, which the contract does not allow"])
  })
})

describe("the meters of a map", () => {
  const meter = model(203, { W: -1500, W_SF: 0, TotWhImp: 10, TotWhExp: 20, TotWh_SF: 3, PhV: 2305, V_SF: -1 })

  it("import as positive, and exchange power and counters by their settings", () => {
    const plain = { power: -1500, importedEnergy: 10_000, exportedEnergy: 20_000, voltage: 230.5 }
    expect(only([meter]).state).toEqual(plain)
    expect(only([meter], { meterPositive: "export" }).state).toEqual({ ...plain, power: 1500 })
    expect(only([meter], { swapMeterCounters: true }).state).toEqual({
      ...plain,
      importedEnergy: 20_000,
      exportedEnergy: 10_000
    })
  })

  it("have the identity of the common model in front of them", () => {
    const found = devices([
      model(1, { Mn: "Acme", Md: "Hybrid", SN: "1" }),
      model(103, { W: 1, W_SF: 0 }),
      model(1, { Mn: "Metra", Md: "M3", SN: "2" }),
      meter,
      model(1, { Mn: "Metra", Md: "M3", SN: "3" }),
      meter
    ])
    expect(found.map(({ key, manufacturerName, serialNumber }) => [key, manufacturerName, serialNumber])).toEqual([
      ["inverter", "Acme", "1"],
      ["meter-1", "Metra", "2"],
      ["meter-2", "Metra", "3"]
    ])
  })
})

describe("any registers", () => {
  it("give fields that the contract allows, and no number that is not finite", () => {
    const word = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xffff }))
    const ids = [103, 113, 124, 160, 203, 213, 701, 702, 713, 802]
    const result = Effect.runSync(
      Arbitrary.checkEffect(
        Arbitrary.schema(Schema.Array(word).check(Schema.isMinLength(40), Schema.isMaxLength(160))),
        (words) =>
          Effect.sync(() =>
            mapDevices({
              models: ids.map((id, n) => ({
                id,
                address: 40_002 + 500 * n,
                length: words.length - 2,
                registers: [id, words.length - 2, ...words.slice(n), ...words.slice(0, n)]
              }))
            }).every(({ observation: { state, type } }) =>
              Object.entries(state).every(([field, value]) =>
                Schema.is((readingSchemas[type].fields as Record<string, Schema.Top>)[field]!)(value)
              )
            )
          ),
        { runs: 200 }
      )
    )
    expect(Arbitrary.formatCheckFailure(result)).toBeUndefined()
  })
})
