import type { Account } from "@edp/adapter-kit/Account"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import { builtInAdapters } from "@edp/server/adapters/builtInAdapters"
import type { AnyManufacturerAdapter, ManufacturerAdapter } from "@edp/adapter-kit/ManufacturerAdapter"
import { Effect, Schema } from "effect"
import { HttpClientRequest } from "effect/http"

// Preloaded into servers of tests (`node --import`): the manufacturer of `ManufacturerCloud.ts` joins the built-in ones.

const Settings = Schema.Struct({ baseUrl: Schema.String })
const Credentials = Schema.Struct({ accessToken: Schema.String, refreshToken: Schema.String })
type Call = Account<typeof Credentials.Type>

const ask = ({ externalId, http }: Call, method: "GET" | "POST", url: string, token: string) =>
  http
    .execute(
      HttpClientRequest.make(method)(url, {
        headers: { authorization: `Bearer ${token}`, "x-account": externalId, "x-worker": `${process.pid}` }
      })
    )
    .pipe(
      Effect.flatMap((response) =>
        Effect.map(response.json, (body) => ({ status: response.status, body: body as any }))
      ),
      Effect.mapError((error) => AdapterError.of("unreachable", error.message))
    )

const adapter: ManufacturerAdapter<typeof Settings.Type, typeof Credentials.Type> = {
  manifest: {
    slug: "cloud",
    name: "Cloud",
    deviceTypes: ["meter"],
    commands: [],
    authorization: "oauth2",
    polling: { busy: 2, normal: 2, idle: 2, asleep: 2, discovery: 86_400 },
    quotas: [],
    confirmWithin: 60
  },
  settings: Settings,
  credentials: Credentials,
  create: ({ baseUrl }) =>
    Effect.succeed({
      authorization: {
        kind: "oauth2",
        authorizationUrl: () => Effect.succeed(baseUrl),
        exchange: () => Effect.fail(AdapterError.of("refused", "Tests store accounts themselves"))
      },
      refresh: (account) =>
        Effect.flatMap(
          ask(account, "POST", `${baseUrl}/token`, account.credentials.refreshToken),
          ({ body, status }) => {
            if (status === 400) return Effect.fail(AdapterError.of("grant_lost", "The refresh token is void"))
            if (status !== 200) return Effect.fail(AdapterError.of("vendor_fault", `Status ${status}`))
            const { accessToken, expiresIn, refreshToken } = body
            return Effect.succeed({
              credentials: { accessToken, refreshToken },
              expiresAt: Date.now() + expiresIn * 1000
            })
          }
        ),
      readDevices: (account, devices) =>
        Effect.flatMap(
          ask(account, "GET", `${baseUrl}/devices`, account.credentials.accessToken),
          ({ body, status }) => {
            if (status === 401) return Effect.fail(AdapterError.of("token_refused", "The access token is void"))
            if (status !== 200) return Effect.fail(AdapterError.of("vendor_fault", `Status ${status}`))
            return Effect.succeed({
              observations: devices.map(({ manufacturerDeviceId }) => ({
                manufacturerDeviceId,
                observedAt: Date.now(),
                state: { power: body.power },
                asleep: false,
                coordinates: null,
                staticState: null,
                commands: null,
                interventions: null,
                problems: []
              })),
              alerts: [],
              devices: null,
              activity: "normal" as const
            })
          }
        )
    })
}

;(builtInAdapters as Array<AnyManufacturerAdapter>).push(adapter)
