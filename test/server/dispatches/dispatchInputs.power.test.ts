import { decodeCommandInput, restrictions } from "@edp/domain/commands/commandInputs"
import { powerCommand } from "@edp/server/dispatches/dispatchInputs"
import { Arbitrary, Effect, Schema } from "effect"
import { describe, expect, test } from "vitest"

const battery = {
  commands: ["battery:set-operating-mode"] as const,
  staticState: { takesTargetPower: true, maxChargeRate: 3000, maxDischargeRate: 5000 }
}
const charger = {
  commands: ["charger:set-operating-mode"] as const,
  staticState: { takesTargetPower: true, minPower: 1440, maxPower: 7680 }
}

describe("the command for a power", () => {
  test("lets a battery charge below 0, discharge above it, and be idle at 0", () => {
    const command = (power: number) => powerCommand("battery", power, battery)!.input
    expect(command(-2000)).toEqual({ operatingMode: "charge", enableGridInteraction: true, targetPowerW: 2000 })
    expect(command(2000)).toEqual({ operatingMode: "discharge", enableGridInteraction: true, targetPowerW: 2000 })
    expect(command(0)).toEqual({ operatingMode: "idle" })
  })

  test("lets a charger start, and stops it at 0 and below the least power that it can draw", () => {
    const command = (power: number) => powerCommand("charger", power, charger)
    expect(command(3000)).toMatchObject({ input: { operatingMode: "start-charging", targetPowerW: 3000 }, note: null })
    expect(command(0)).toMatchObject({ input: { operatingMode: "stop-charging" }, note: null })
    expect(command(1000)).toMatchObject({ input: { operatingMode: "stop-charging" }, note: "power_not_supported" })
  })

  test("is the mode alone for a device that takes no power", () => {
    const device = { ...battery, staticState: { maxChargeRate: 3000 } }
    expect(powerCommand("battery", -2000, device)).toEqual({
      type: "battery:set-operating-mode",
      input: { operatingMode: "charge", enableGridInteraction: true },
      note: "power_not_supported"
    })
  })

  test("does not exist for a device without the command for its mode", () => {
    expect(powerCommand("battery", 1000, { ...battery, commands: ["battery:set-reserve"] })).toBeUndefined()
  })

  test("is one that the device takes, whatever the power", () => {
    const result = Effect.runSync(
      Arbitrary.checkEffect(
        Arbitrary.schema(Schema.Struct({ power: Schema.Finite, isBattery: Schema.Boolean })),
        ({ isBattery, power }) =>
          Effect.gen(function* () {
            const device = isBattery ? battery : charger
            const { input, type } = powerCommand(isBattery ? "battery" : "charger", power, device)!
            yield* decodeCommandInput(type, input)
            return Object.keys(restrictions(type, input, device)).length === 0
          }),
        { runs: 500 }
      )
    )
    expect(Arbitrary.formatCheckFailure(result)).toBeUndefined()
  })
})
