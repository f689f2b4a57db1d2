import { Effect, Redacted } from "effect"
import type { BuiltInCase } from "../contract/BuiltInCase.ts"
import { startMatterHome } from "./MatterHome.ts"

export const contractCases: ReadonlyArray<BuiltInCase> = [
  {
    slug: "matter",
    settings: { reportSeconds: "1", keepAliveSeconds: "5" },
    wrongSettings: { reportSeconds: "0.5", keepAliveSeconds: "0" },
    start: async () => {
      const home = await startMatterHome()
      const secrets = [home.manualCode]
      let watts = 100
      return {
        link: ({ authorization }) =>
          authorization.kind === "form"
            ? Effect.gen(function* () {
                // A device has a new code for each controller that it is given to.
                const code = yield* Effect.promise(home.openWindow)
                const linked = yield* authorization.connect({ code, batteryCapacity: "10000" })
                secrets.push(code, Redacted.value(linked.credentials.fabric))
                return linked
              })
            : Effect.die("The adapter has no form"),
        secrets: () => secrets,
        report: async () => {
          watts += 1
          await home.set("grid", "electricalPowerMeasurement", { activePower: watts * 1000 })
        },
        sendUnknownValues: async () => {
          // Dry, for which the contract has no word; a state that the station can't tell.
          await home.set("hall", "thermostat", { systemMode: 8 })
          await home.set("station", "energyEvse", { state: null })
          await home.set("grid", "electricalPowerMeasurement", { activePower: null })
        },
        close: home.close
      }
    }
  }
]
