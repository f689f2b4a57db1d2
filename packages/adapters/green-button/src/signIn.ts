import { createHash } from "node:crypto"
import { Effect } from "effect"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { AdapterHost } from "@edp/adapter-kit/AdapterHost"
import type { AdapterInstance, AuthorizationCallback } from "@edp/adapter-kit/ManufacturerAdapter"
import { makeOAuthClient } from "@edp/adapter-kit/oauth/OAuthClient"
import { type GreenButtonAccount, type GreenButtonCredentials, keptFields, subscriptionId } from "./credentials.ts"
import type { UsageApi } from "./UsageApi.ts"
import { type GreenButtonSettings, utilityName } from "./settings.ts"

type SignIn = Required<Pick<AdapterInstance<GreenButtonCredentials>, "authorization" | "refresh" | "revoke">>

const digest = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 32)

/** The sign-in at the utility: an authorization code, with the data that the person shares named by the scope. */
export const makeSignIn = (settings: GreenButtonSettings, host: AdapterHost, api: UsageApi): SignIn => {
  const name = utilityName(settings)
  const client = makeOAuthClient(
    {
      manufacturer: name,
      issuer: new URL(settings.authorizationUrl).origin,
      namesIssuer: false,
      authorizationEndpoint: settings.authorizationUrl,
      tokenEndpoint: settings.tokenUrl,
      revocationEndpoint: settings.revocationUrl ?? null,
      clientId: settings.clientId,
      clientSecret: settings.clientSecret,
      clientAuthentication: settings.clientAuthentication ?? "basic",
      requestFormat: "form",
      scopes: [settings.scope],
      authorizationParameters: () => ({}),
      lostGrants: [],
      keptFields
    },
    host.http
  )

  /**
   * An authorization has a new subscription each time, while its usage points stay the same: the first of them identifies the account.
   * A utility that has no usage points to show yet leaves the subscription.
   */
  const identity = Effect.fnUntraced(function* (credentials: GreenButtonCredentials, subscription: string) {
    const account = { id: "", externalId: "", credentials, memory: null, http: host.http }
    const found = yield* api.usagePoints(account)
    const [first] = found.map(({ id }) => id).toSorted()
    return first === undefined ? `subscription:${digest(subscription)}` : `usage-point:${digest(first)}`
  })

  return {
    authorization: {
      kind: "oauth2",
      authorizationUrl: client.authorizationUrl,
      exchange: Effect.fn("GreenButton.exchange")(function* (callback: AuthorizationCallback) {
        const { resourceURI, ...tokens } = yield* client.exchange(callback)
        const subscription = subscriptionId(resourceURI ?? "")
        if (resourceURI === undefined || subscription === undefined) {
          return yield* AdapterError.of(
            "contract",
            `The token response of ${name} has no resourceURI with a Subscription`
          )
        }
        const credentials: GreenButtonCredentials = { ...tokens, resourceURI }
        return {
          externalId: yield* identity(credentials, subscription),
          name,
          credentials,
          expiresAt: tokens.expiresAt
        }
      })
    },
    refresh: Effect.fn("GreenButton.refresh")(function* (account: GreenButtonAccount) {
      const tokens = yield* client.refresh(account)
      // A response without the addresses leaves those of the sign-in.
      return { credentials: { ...account.credentials, ...tokens }, expiresAt: tokens.expiresAt }
    }),
    revoke: client.revoke
  }
}
