import { Effect } from "effect"
import type { BuiltInCase } from "../contract/BuiltInCase.ts"
import { form, startCasa, TOKEN } from "./casa.ts"

export const contractCases: ReadonlyArray<BuiltInCase> = [
  {
    slug: "home-assistant",
    settings: { reportSeconds: "1" },
    wrongSettings: { reportSeconds: "0.5" },
    start: async () => {
      const peer = await startCasa()
      let watts = 100
      return {
        link: ({ authorization }) =>
          authorization.kind === "form"
            ? authorization.connect(form(peer.port))
            : Effect.die("The adapter has no form"),
        secrets: () => [TOKEN],
        report: async () => {
          watts += 1
          peer.set("sensor.grid_power", String(watts / 1000))
        },
        sendUnknownValues: async () => {
          peer.set("sensor.grid_power", "lots")
          peer.set("climate.hall", "defrost", { fan_mode: "turbo", current_temperature: "warm" })
          peer.set("switch.wallbox", "blinking")
        },
        refuse: async () => {
          peer.setToken("another-one")
          peer.drop()
        },
        close: peer.close
      }
    }
  }
]
