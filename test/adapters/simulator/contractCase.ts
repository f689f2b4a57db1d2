import { Effect, Redacted } from "effect"
import type { ContractPeer } from "@edp/adapter-kit/testing/ContractCase"
import type { BuiltInCase } from "../contract/BuiltInCase.ts"
import { decide, exchange, type Instance, PUBLIC_URL } from "./simulator.ts"

export const contractCases: ReadonlyArray<BuiltInCase> = [
  {
    slug: "simulator",
    settings: {},
    wrongSettings: {},
    start: async () => {
      const secrets: Array<string> = []
      const link = (account: string): ContractPeer["link"] =>
        Effect.fnUntraced(function* (instance: Instance) {
          const { parameters } = yield* decide(instance, account)
          const linked = yield* exchange(instance, parameters)
          const { accessToken, refreshToken } = linked.credentials
          secrets.push(Redacted.value(accessToken))
          if (refreshToken !== null) secrets.push(Redacted.value(refreshToken))
          return linked
        })
      return {
        publicUrl: PUBLIC_URL,
        link: link("sunny"),
        secrets: () => secrets,
        linkThrottled: link("rate-limited"),
        close: async () => undefined
      }
    }
  }
]
