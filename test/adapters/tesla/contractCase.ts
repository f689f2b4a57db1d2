import { generateKeyPairSync } from "node:crypto"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import { Effect, Redacted } from "effect"
import type { TeslaCredentials } from "@edp/adapter-tesla/signIn"
import type { AdapterInstance } from "@edp/adapter-kit/ManufacturerAdapter"
import { TeslaServer, teslaClient } from "../../support/peers/TeslaServer.ts"
import { UserAgent } from "../../support/UserAgent.ts"
import type { BuiltInCase } from "../contract/BuiltInCase.ts"

const redirectUri = "http://127.0.0.1:9/oauth/callback"
const publicKey = generateKeyPairSync("ec", { namedCurve: "prime256v1" })
  .publicKey.export({ type: "spki", format: "pem" })
  .toString()

export const contractCases: ReadonlyArray<BuiltInCase> = [
  {
    slug: "tesla",
    settings: {
      clientId: teslaClient.id,
      clientSecret: teslaClient.secret,
      region: "na",
      baseUrl: "https://fleet-api.prd.na.vn.cloud.tesla.com",
      authUrl: "https://auth.tesla.com/oauth2/v3/authorize",
      tokenUrl: "https://fleet-auth.prd.vn.cloud.tesla.com/oauth2/v3/token",
      commandBaseUrl: "https://proxy.example.com:4443",
      keyDomain: "energy.example.com",
      publicKey
    },
    wrongSettings: {
      clientId: "",
      clientSecret: "",
      region: "us",
      baseUrl: "ftp://tesla",
      authUrl: "sign-in",
      tokenUrl: "https://user:secret@example.com/token",
      commandBaseUrl: "proxy",
      keyDomain: "https://energy.example.com",
      publicKey: "key"
    },
    start: async () => {
      const tesla = new TeslaServer()
      await tesla.start()
      const secrets: Array<string> = [teslaClient.secret]
      const link = Effect.fnUntraced(function* ({ authorization }: AdapterInstance<TeslaCredentials>) {
        if (authorization.kind !== "oauth2") return yield* AdapterError.of("contract", "Tesla has OAuth")
        const codeVerifier = Redacted.make("v".repeat(64))
        const url = yield* authorization.authorizationUrl({ state: "s", redirectUri, codeVerifier, language: "en" })
        const agent = new UserAgent((one) => one.startsWith(redirectUri))
        const page = yield* Effect.promise(() => agent.open(url))
        const parameters = Object.fromEntries(new URL(page.url).searchParams)
        const linked = yield* authorization.exchange({ parameters, redirectUri, codeVerifier })
        secrets.push(Redacted.value(linked.credentials.accessToken), Redacted.value(linked.credentials.refreshToken!))
        return linked
      })
      return {
        settings: tesla.settings(),
        link,
        secrets: () => secrets,
        linkThrottled: (instance) =>
          Effect.tap(link(instance), () =>
            Effect.sync(() =>
              tesla.respondOnce("live_status", { status: 429, body: "", headers: { "retry-after": "30" } })
            )
          ),
        sendUnknownValues: async () => {
          const { info, live } = tesla.sites.get("2251799813")!
          info["default_real_mode"] = "something_new"
          info["components"].new_component = { deep: [1] }
          Object.assign(live, { island_status: "floating", wall_connectors: null, solar_power: null })
          const { data } = tesla.vehicles.get("5YJ3E1EA7KF000001")!
          Object.assign(data["charge_state"], { charging_state: "Dreaming", charger_voltage: null })
        },
        refuse: async () => tesla.expireAccessTokens(),
        close: () => tesla.stop()
      }
    }
  }
]
