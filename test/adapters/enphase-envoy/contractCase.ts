import { Effect } from "effect"
import type { BuiltInCase } from "../contract/BuiltInCase.ts"
import { EnlightenServer } from "../../support/peers/EnlightenServer.ts"
import { EnphaseGateway } from "../../support/peers/EnphaseGateway.ts"
import { firmware8 } from "./generations.ts"
import { form, now } from "./startGateway.ts"

export const contractCases: ReadonlyArray<BuiltInCase> = [
  {
    slug: "enphase",
    settings: {
      loginUrl: "https://enlighten.enphaseenergy.com/login/login.json?",
      tokenUrl: "https://entrez.enphaseenergy.com/tokens"
    },
    wrongSettings: { loginUrl: "http://enlighten.example.com", tokenUrl: "entrez.example.com" },
    start: async () => {
      const gateway = new EnphaseGateway(firmware8)
      await gateway.start()
      const cloud = new EnlightenServer(now)
      cloud.own(gateway)
      await cloud.start()
      return {
        settings: cloud.settings(),
        link: ({ authorization }) =>
          authorization.kind === "form"
            ? authorization.connect(form(gateway, { username: cloud.user.name, password: cloud.user.password }))
            : Effect.die("The adapter has no form"),
        secrets: () => [cloud.user.password, ...cloud.given],
        sendUnknownValues: async () => {
          gateway.storage["mode"] = "party"
          gateway.pages["/ivp/ensemble/power"]["devices:"][0].real_power_mw = "lots"
          gateway.pages["/ivp/ensemble/secctrl"].ENC_agg_soc = "half"
          gateway.pages["/ivp/meters/readings"][0].activePower = null
          gateway.pages["/ivp/meters/readings"][1].actEnergyDlvd = -3
        },
        refuse: async () => {
          gateway.tokens.clear()
          cloud.user.password = "another-one"
        },
        close: async () => {
          await gateway.stop()
          await cloud.stop()
        }
      }
    }
  }
]
