import {
  batteryCommands,
  forcedSettings,
  planOperatingMode,
  planReserve,
  takesPower
} from "@edp/adapter-sunspec/commands"
import { type FoundModel, walkDevice } from "@edp/adapter-sunspec/walk"
import { isRefused, type PlanResult, type WritePlan } from "@edp/adapter-sunspec/writePlan"
import type { RegisterBlock } from "@edp/adapter-kit/modbus/ModbusClient"
import { differing, hasTakenEffect, isWithin, restoring } from "@edp/adapter-kit/modbus/registerWrites"
import { Arbitrary, Effect, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { deviceAt, mapRegisters, model, type ModelFixture, runReads } from "./sunSpecMap.ts"

const storage = model(124, {
  StorCtl_Mod: 0,
  MinRsvPct: 500,
  MinRsvPct_SF: -2,
  OutWRte: 10_000,
  InWRte: 10_000,
  InOutWRte_SF: -2,
  InOutWRte_RvrtTms: 0,
  ChaGriSet: 0
})
const power = model(704, { WSetEna: 0, WSetMod: 0, WSet: 0, WSet_SF: 0, WSetEnaRvrt: 1, WSetRvrtTms: 0 })
const ratings = model(702, { WChaRteMax: 33, WDisChaRteMax: 50, W_SF: 2 })

const found = (fixtures: ReadonlyArray<ModelFixture>): ReadonlyArray<FoundModel> =>
  runReads(walkDevice(), deviceAt(40_000, mapRegisters(fixtures))).models

const accepted = (result: PlanResult): WritePlan => {
  if (isRefused(result)) throw new Error(result.message)
  return result
}

const writtenRanges = ({ writes }: WritePlan) => writes.map(({ address, words }) => ({ address, count: words.length }))

const steps = (result: PlanResult) => accepted(result).writes.map(({ point, value }) => [point, value])

/** Registers that take writes. */
const memory = (fixtures: ReadonlyArray<ModelFixture>) => {
  const registers = [...mapRegisters(fixtures)]
  return {
    registers,
    read: ({ address, count }: { address: number; count: number }): RegisterBlock => ({
      address,
      words: registers.slice(address - 40_000, address - 40_000 + count)
    }),
    write: (all: ReadonlyArray<RegisterBlock>) => {
      for (const { address, words } of all) registers.splice(address - 40_000, words.length, ...words)
    }
  }
}

describe("a forced mode by model 124", () => {
  it.each([
    ["charge", 100, -100],
    ["discharge", -100, 100],
    ["idle", 0, 0]
  ] as const)(
    "writes the limits of %s while none is in effect, and turns them on last",
    (operatingMode, inward, outward) => {
      const result = planOperatingMode(found([storage]), {
        operatingMode,
        enableGridInteraction: true,
        revertAfter: 900
      })
      expect(steps(result)).toEqual([
        ["StorCtl_Mod", 0],
        ...(operatingMode === "charge" ? [["ChaGriSet", 1]] : []),
        ["InOutWRte_RvrtTms", 900],
        ["InWRte", inward],
        ["OutWRte", outward],
        ["StorCtl_Mod", 3]
      ])
      expect(accepted(result).deviceTimer).toBe(900)
    }
  )

  it("writes percent in the scale of the device, negative ones in two's complement", () => {
    const { writes } = accepted(planOperatingMode(found([storage]), { operatingMode: "charge" }))
    expect(writes.find(({ point }) => point === "OutWRte")).toMatchObject({
      address: 40_014,
      words: [0x10000 - 10_000]
    })
    expect(writes.find(({ point }) => point === "ChaGriSet")?.words).toEqual([0])
  })

  it("turns off a timer that an earlier mode left, also where the timer is too short for the mode", () => {
    const models = found([storage])
    const forever = accepted(planOperatingMode(models, { operatingMode: "idle" }))
    expect(forever.writes.find(({ point }) => point === "InOutWRte_RvrtTms")?.value).toBe(0)
    expect(forever.deviceTimer).toBeUndefined()
    const longer = accepted(planOperatingMode(models, { operatingMode: "idle", revertAfter: 86_400 }))
    expect(longer.writes.find(({ point }) => point === "InOutWRte_RvrtTms")?.value).toBe(0)
    expect(longer.deviceTimer).toBeUndefined()
  })

  it("sets the bounds of the charge where the device has them, and refuses them elsewhere", () => {
    const bounds = { operatingMode: "discharge", minimumBatteryReserve: 20, maximumBatteryReserve: 90 } as const
    expect(planOperatingMode(found([storage]), bounds)).toMatchObject({ refused: "unsupported_value" })
    const both = found([storage, model(802, { SocRsvMax: 100, SoCRsvMin: 5, SoC_SF: 0 })])
    expect(steps(planOperatingMode(both, bounds))).toContainEqual(["SocRsvMax", 90])
    expect(steps(planOperatingMode(both, bounds))).toContainEqual(["MinRsvPct", 20])
    expect(planOperatingMode(both, { ...bounds, maximumBatteryReserve: 20 })).toHaveProperty("refused")
  })
})

describe("a forced mode by model 704", () => {
  it.each([
    ["charge", -3300],
    ["discharge", 5000],
    ["idle", 0]
  ] as const)("sets the largest power of %s in watts, with the device's timer", (operatingMode, watts) => {
    const result = planOperatingMode(found([ratings, power]), {
      operatingMode,
      enableGridInteraction: true,
      revertAfter: 86_400
    })
    expect(steps(result)).toEqual([
      ["WSetEna", 0],
      ["WSetMod", 1],
      ["WSet", watts],
      ["WSetEnaRvrt", 0],
      ["WSetRvrtTms", 86_400],
      ["WSetEna", 1]
    ])
    expect(accepted(result).deviceTimer).toBe(86_400)
  })

  it("is refused where charging can't be kept to solar power, or the largest power is not known", () => {
    expect(planOperatingMode(found([ratings, power]), { operatingMode: "charge" })).toMatchObject({
      refused: "unsupported_value"
    })
    expect(planOperatingMode(found([power]), { operatingMode: "discharge" })).toMatchObject({
      refused: "precondition_unmet"
    })
  })
})

describe("a target power", () => {
  const asked = { enableGridInteraction: true, targetPowerW: 2000 } as const
  const rated = (more: Readonly<Record<string, number>> = {}) =>
    model(124, {
      StorCtl_Mod: 0,
      WChaMax: 50,
      WChaMax_SF: 2,
      OutWRte: 10_000,
      InWRte: 10_000,
      InOutWRte_SF: -2,
      ChaGriSet: 0,
      ...more
    })

  it("is a percentage of the rated power by model 124, from both sides", () => {
    const plan = (operatingMode: "charge" | "discharge", ...models: ReadonlyArray<ModelFixture>) =>
      steps(planOperatingMode(found([rated(), ...models]), { operatingMode, ...asked })).filter(([point]) =>
        String(point).endsWith("WRte")
      )
    expect(plan("charge")).toEqual([
      ["InWRte", 40],
      ["OutWRte", -40]
    ])
    expect(plan("discharge")).toEqual([
      ["InWRte", -40],
      ["OutWRte", 40]
    ])
    // A rated power of its own for discharging makes its rate a share of that.
    const discharges = model(120, { MaxDisChaRte: 8000, MaxDisChaRte_SF: 0 })
    expect(plan("charge", discharges)).toEqual([
      ["InWRte", 40],
      ["OutWRte", -25]
    ])
  })

  it("is in the registers in the scale of the device, and no more than all of it", () => {
    const { writes } = accepted(planOperatingMode(found([rated()]), { operatingMode: "discharge", ...asked }))
    expect(writes.find(({ point }) => point === "OutWRte")?.words).toEqual([4000])
    const most = planOperatingMode(found([rated()]), { operatingMode: "discharge", ...asked, targetPowerW: 60_000 })
    expect(steps(most)).toContainEqual(["OutWRte", 100])
  })

  it("is a number of watts by model 704, also where the largest power is not known", () => {
    const plan = (operatingMode: "charge" | "discharge") =>
      steps(planOperatingMode(found([power]), { operatingMode, ...asked }))
    expect(plan("charge")).toContainEqual(["WSet", -2000])
    expect(plan("discharge")).toContainEqual(["WSet", 2000])
  })

  it("is taken where the device reports what its rates refer to, or counts in watts", () => {
    expect(takesPower(found([rated()]))).toBe(true)
    expect(takesPower(found([power]))).toBe(true)
    expect(takesPower(found([storage]))).toBe(false)
    expect(takesPower(found([model(802, { SoC: 5, SoC_SF: 0 })]))).toBe(false)
    expect(planOperatingMode(found([storage]), { operatingMode: "charge", ...asked })).toMatchObject({
      refused: "unsupported_value"
    })
  })
})

describe("commands", () => {
  it("are offered where the device has their registers", () => {
    expect(batteryCommands(found([storage]))).toEqual(["battery:set-reserve", "battery:set-operating-mode"])
    expect(batteryCommands(found([ratings, power]))).toEqual(["battery:set-operating-mode"])
    expect(batteryCommands(found([model(802, { SoC: 5, SoC_SF: 0 })]))).toEqual([])
    expect(planReserve(found([]), 20)).toMatchObject({ refused: "unsupported_value" })
    expect(planOperatingMode(found([]), { operatingMode: "idle" })).toMatchObject({ refused: "unsupported_value" })
  })

  it("write the reserve rounded to the device's scale, within 0 to 100 percent", () => {
    expect(accepted(planReserve(found([storage]), 12.345)).writes[0]).toMatchObject({ address: 40_009, words: [1235] })
    for (const value of [-1, 101, Number.NaN]) expect(planReserve(found([storage]), value)).toHaveProperty("refused")
  })

  it("leave every register as it was after the restore, however many modes came one over the other", () => {
    const Input = Schema.Struct({
      operatingMode: Schema.Literals(["charge", "discharge", "idle"]),
      enableGridInteraction: Schema.Boolean,
      revertAfter: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 60, maximum: 86_400 }))),
      minimumBatteryReserve: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 })))
    })
    const result = Effect.runSync(
      Arbitrary.checkEffect(
        Arbitrary.schema(Schema.Struct({ inputs: Schema.NonEmptyArray(Input), der: Schema.Boolean })),
        ({ der, inputs }) =>
          Effect.sync(() => {
            const fixtures = der ? [ratings, power] : [storage]
            const device = memory(fixtures)
            const before = [...device.registers]
            const places = forcedSettings(found(fixtures))
            const snapshot = places.map(device.read)
            for (const input of inputs) {
              const plan = planOperatingMode(found(fixtures), input)
              if (isRefused(plan)) continue
              if (!plan.writes.every((write) => isWithin(snapshot, write))) return false
              device.write(plan.writes)
              if (hasTakenEffect(plan.writes, writtenRanges(plan).map(device.read)) !== true) return false
            }
            device.write(restoring(differing(snapshot, places.map(device.read))))
            return device.registers.every((word, n) => word === before[n])
          }),
        { runs: 300 }
      )
    )
    expect(Arbitrary.formatCheckFailure(result)).toBeUndefined()
  })

  it("have not taken effect while a register differs, and are unknown while one was not read", () => {
    const plan = accepted(planReserve(found([storage]), 30))
    expect(hasTakenEffect(plan.writes, [{ address: 40_009, words: [3000] }])).toBe(true)
    expect(hasTakenEffect(plan.writes, [{ address: 40_009, words: [500] }])).toBe(false)
    expect(hasTakenEffect(plan.writes, [])).toBeUndefined()
  })

  it("have taken effect also where the device already counts its timer down", () => {
    const plan = accepted(planOperatingMode(found([storage]), { operatingMode: "idle", revertAfter: 900 }))
    const after = (seconds: number) =>
      hasTakenEffect(
        plan.writes,
        plan.writes.map(({ address, point, words }) => ({
          address,
          words: point === "InOutWRte_RvrtTms" ? [seconds] : point === "StorCtl_Mod" ? [3] : words
        }))
      )
    expect([after(900), after(899), after(0), after(901)]).toEqual([true, true, false, false])
  })
})
