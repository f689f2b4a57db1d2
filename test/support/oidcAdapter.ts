import type { Account, DiscoveredDevice } from "@edp/adapter-kit/Account"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import { sendRequest } from "@edp/adapter-kit/http/httpResponse"
import type { AdapterInstance, Manifest, ManufacturerAdapter } from "@edp/adapter-kit/ManufacturerAdapter"
import { makeOAuthClient } from "@edp/adapter-kit/oauth/OAuthClient"
import { OAuthTokens } from "@edp/adapter-kit/oauth/OAuthTokens"
import { Clock, Effect, Redacted, Schema } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import { oidcClient } from "./peers/OidcServer.ts"

const Settings = Schema.Struct({ issuer: Schema.String })

const manifest: Manifest = {
  slug: "oidc",
  name: "Certified Meters",
  deviceTypes: ["meter"],
  commands: [],
  authorization: "oauth2",
  polling: { busy: 10, normal: 60, idle: 300, asleep: 600, discovery: 3600 },
  quotas: [],
  confirmWithin: 60
}

const meter = (person: string): DiscoveredDevice => ({
  manufacturerDeviceId: `meter-of-${person}`,
  type: "meter",
  name: `Meter of ${person}`,
  model: "Certified meter",
  serialNumber: null,
  rawType: null,
  rawModel: null,
  modelYear: null,
  staticState: null,
  commands: [],
  incompatible: null
})

/**
 * A manufacturer for tests whose people sign in at `oidc-provider`, with one meter each. Every call asks the provider who the
 * token belongs to, so it fails with a token that has ended. Settings: EDP_OIDC_ISSUER.
 */
export const oidcAdapter: ManufacturerAdapter<typeof Settings.Type, OAuthTokens> = {
  manifest,
  settings: Settings,
  credentials: OAuthTokens,
  create: ({ issuer }, host) =>
    Effect.sync(() => {
      const client = makeOAuthClient(
        {
          manufacturer: manifest.name,
          issuer,
          namesIssuer: true,
          authorizationEndpoint: `${issuer}/auth`,
          tokenEndpoint: `${issuer}/token`,
          revocationEndpoint: `${issuer}/token/revocation`,
          clientId: oidcClient.id,
          clientSecret: Redacted.make(oidcClient.secret),
          clientAuthentication: "body",
          requestFormat: "form",
          scopes: ["openid", "offline_access"],
          authorizationParameters: () => ({ prompt: "consent" }),
          lostGrants: []
        },
        host.http
      )
      const findPerson = (http: HttpClient.HttpClient, accessToken: Redacted.Redacted) =>
        Effect.gen(function* () {
          const response = yield* sendRequest(
            http,
            HttpClientRequest.bearerToken(HttpClientRequest.get(`${issuer}/me`), accessToken)
          )
          if (response.status === 401) return yield* AdapterError.of("token_refused", "The provider refuses the token")
          if (response.status !== 200) return yield* AdapterError.of("vendor_fault", "The provider fails")
          return (response.body as { readonly sub: string }).sub
        })
      const askPerson = ({ credentials, http }: Account<OAuthTokens>) => findPerson(http, credentials.accessToken)
      const instance: AdapterInstance<OAuthTokens> = {
        authorization: {
          kind: "oauth2",
          issuer,
          authorizationUrl: client.authorizationUrl,
          exchange: (callback) =>
            Effect.gen(function* () {
              const credentials = yield* client.exchange(callback)
              const person = yield* findPerson(host.http, credentials.accessToken)
              return { externalId: person, name: person, credentials, expiresAt: credentials.expiresAt }
            })
        },
        refresh: (account) =>
          Effect.map(client.refresh(account), (credentials) => ({ credentials, expiresAt: credentials.expiresAt })),
        revoke: client.revoke,
        discoverDevices: (account) => Effect.map(askPerson(account), (person) => [meter(person)]),
        readDevices: (account) =>
          Effect.gen(function* () {
            const person = yield* askPerson(account)
            return {
              observations: [
                {
                  manufacturerDeviceId: meter(person).manufacturerDeviceId,
                  observedAt: yield* Clock.currentTimeMillis,
                  state: { power: 1200 },
                  asleep: false,
                  coordinates: null,
                  staticState: null,
                  commands: null,
                  interventions: null,
                  problems: []
                }
              ],
              alerts: [],
              devices: null,
              activity: "normal" as const
            }
          })
      }
      return instance
    })
}
