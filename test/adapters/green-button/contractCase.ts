import { AdapterError } from "@edp/adapter-kit/AdapterError"
import { Effect, Redacted } from "effect"
import type { GreenButtonCredentials } from "@edp/adapter-green-button/credentials"
import type { AdapterInstance } from "@edp/adapter-kit/ManufacturerAdapter"
import { UtilityServer, utilityClient } from "../../support/peers/UtilityServer.ts"
import { UserAgent } from "../../support/UserAgent.ts"
import type { BuiltInCase } from "../contract/BuiltInCase.ts"
import { DAY, electric, gasMeter, homeHours, meterIds, midnight, RECEIVED } from "./utilityMeters.ts"

const redirectUri = "http://127.0.0.1:9/oauth/callback"

/** Signs in at the utility, as a person does. */
export const signIn = Effect.fnUntraced(function* ({ authorization }: AdapterInstance<GreenButtonCredentials>) {
  if (authorization.kind !== "oauth2") return yield* AdapterError.of("contract", "Green Button has OAuth")
  const codeVerifier = Redacted.make("v".repeat(64))
  const url = yield* authorization.authorizationUrl({ state: "s", redirectUri, codeVerifier, language: "en" })
  const agent = new UserAgent((one) => one.startsWith(redirectUri))
  const page = yield* Effect.promise(() => agent.open(url))
  const parameters = Object.fromEntries(new URL(page.url).searchParams)
  return yield* authorization.exchange({ parameters, redirectUri, codeVerifier })
})

export const contractCases: ReadonlyArray<BuiltInCase> = [
  {
    slug: "green-button",
    settings: {
      clientId: utilityClient.id,
      clientSecret: utilityClient.secret,
      authorizationUrl: "https://utility.example.com/oauth/authorize",
      tokenUrl: "https://utility.example.com/oauth/token",
      revocationUrl: "https://utility.example.com/oauth/revoke",
      resourceUrl: "https://utility.example.com/DataCustodian/espi/1_1/resource",
      scope: "FB=1_3_4_5_13_14_39;IntervalDuration=3600;BlockDuration=monthly;HistoryLength=13",
      utility: "Lakeside Power",
      clientAuthentication: "basic",
      batch: "subscription",
      historyDays: "396",
      windowDays: "31"
    },
    wrongSettings: {
      clientId: "",
      clientSecret: "",
      authorizationUrl: "http://utility.example.com/oauth/authorize",
      tokenUrl: "https://user:secret@example.com/token",
      revocationUrl: "revoke",
      resourceUrl: "https://utility.example.com/resource?all",
      scope: 'a "scope"',
      utility: " ",
      clientAuthentication: "jwt",
      batch: "bulk",
      historyDays: "0",
      windowDays: "a month"
    },
    start: async () => {
      const utility = new UtilityServer()
      await utility.start()
      const secrets: Array<string> = [utilityClient.secret]
      const from = midnight(Date.now()) - 40 * DAY
      const { exported, imported } = homeHours(from, 39)
      utility.meters.set(
        meterIds.kitchen,
        electric(meterIds.kitchen, "Kitchen", { intervals: imported }, { type: RECEIVED, intervals: exported })
      )
      utility.meters.set(meterIds.gas, gasMeter)
      const link = (instance: AdapterInstance<GreenButtonCredentials>) =>
        Effect.tap(signIn(instance), ({ credentials }) =>
          Effect.sync(() =>
            secrets.push(Redacted.value(credentials.accessToken), Redacted.value(credentials.refreshToken!))
          )
        )
      return {
        settings: { ...utility.settings(), historyDays: "40" },
        link,
        secrets: () => secrets,
        linkThrottled: (instance) =>
          Effect.tap(link(instance), () =>
            Effect.sync(() => utility.respondOnce("/Batch/", { status: 429, headers: { "retry-after": "30" } }))
          ),
        sendUnknownValues: async () => {
          const kitchen = utility.meters.get(meterIds.kitchen)!
          kitchen.series = [
            ...kitchen.series.map(({ intervals, type }) => ({ type: { ...type, measuringPeriod: 99 }, intervals })),
            { type: { uom: 9999 }, intervals: imported.slice(0, 5) }
          ]
        },
        refuse: async () => utility.expireAccessTokens(),
        close: () => utility.stop()
      }
    }
  }
]
