import { Effect } from "effect"
import type { ContractPeer } from "@edp/adapter-kit/testing/ContractCase"
import type { BuiltInCase } from "../contract/BuiltInCase.ts"
import { ACME_KEY, acmeCloud } from "../../support/peers/acmeCloud.ts"

export const contractCases: ReadonlyArray<BuiltInCase> = [
  {
    slug: "blueprint",
    settings: { apiUrl: "https://api.acme.example.com" },
    wrongSettings: { apiUrl: "ftp://api.acme.example.com" },
    start: async () => {
      const cloud = acmeCloud()
      const link: ContractPeer["link"] = ({ authorization }) => {
        cloud.unthrottle()
        return authorization.kind === "form" ? authorization.connect({ key: ACME_KEY }) : Effect.die("There is no form")
      }
      return {
        http: cloud.http,
        link,
        secrets: () => [ACME_KEY],
        linkThrottled: (instance, platform) => Effect.tap(link(instance, platform), () => Effect.sync(cloud.throttle)),
        sendUnknownValues: async () => void cloud.sendUnknownValues(),
        refuse: async () => void cloud.refuse(),
        close: async () => undefined
      }
    }
  }
]
