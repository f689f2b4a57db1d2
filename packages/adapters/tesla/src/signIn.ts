import { Effect, Redacted, Schema } from "effect"
import type { HttpClient } from "effect/http"
import type { Account } from "@edp/adapter-kit/Account"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { AdapterInstance, AuthorizationCallback } from "@edp/adapter-kit/ManufacturerAdapter"
import { makeOAuthClient } from "@edp/adapter-kit/oauth/OAuthClient"
import { OAuthTokens } from "@edp/adapter-kit/oauth/OAuthTokens"
import { accountIdentity } from "./access.ts"
import { baseAddress, regionFromCode, regions, signInAddresses, type TeslaSettings } from "./settings.ts"

export const TeslaCredentials = Schema.Struct({ ...OAuthTokens.fields, region: Schema.Literals(regions) })
export type TeslaCredentials = typeof TeslaCredentials.Type

/**
 * Reading, charging and the settings of sites. `vehicle_cmds`, which unlocks and starts vehicles, is not asked for, nor is
 * `user_data`, the owner's name and address.
 */
export const scopes = [
  "openid",
  "offline_access",
  "vehicle_device_data",
  "vehicle_location",
  "vehicle_charging_cmds",
  "energy_device_data",
  "energy_cmds"
] as const

type SignIn = Required<Pick<AdapterInstance<TeslaCredentials>, "authorization" | "refresh" | "revoke">>

/**
 * The sign-in at Tesla: an authorization code with the regional API as the audience of the tokens. A refresh token is used once
 * and valid for three months; the platform refreshes each account in one place.
 */
export const makeSignIn = (settings: TeslaSettings, http: HttpClient.HttpClient): SignIn => {
  const addresses = signInAddresses(settings)
  const client = makeOAuthClient(
    {
      manufacturer: "Tesla",
      issuer: addresses.issuer,
      namesIssuer: false,
      authorizationEndpoint: addresses.authorize,
      tokenEndpoint: addresses.token,
      revocationEndpoint: addresses.revoke,
      clientId: settings.clientId,
      clientSecret: settings.clientSecret,
      clientAuthentication: "body",
      requestFormat: "form",
      scopes,
      authorizationParameters: ({ language }) => ({
        prompt_missing_scopes: "true",
        require_requested_scopes: "false",
        locale: language === "es" ? "es-ES" : "en-US"
      }),
      // Tesla's name for a refresh token that was used before, has expired, or whose owner changed the password.
      lostGrants: ["login_required", "invalid_refresh_token"]
    },
    http
  )

  const exchange = Effect.fn("Tesla.exchange")(function* (callback: AuthorizationCallback) {
    const region = regionFromCode(callback.parameters["code"], settings)
    const tokens = yield* client.exchange(callback, { audience: baseAddress(settings, region) })
    const externalId = accountIdentity(Redacted.value(tokens.accessToken))
    if (externalId === null)
      return yield* AdapterError.of("contract", "The access token of Tesla does not name its account")
    if (tokens.refreshToken === null)
      return yield* AdapterError.of("scope_missing", "Tesla issued no refresh token: offline_access was not granted", {
        intervention: "scope_missing"
      })
    return { externalId, name: "Tesla account", credentials: { ...tokens, region }, expiresAt: tokens.expiresAt }
  })

  return {
    authorization: { kind: "oauth2", authorizationUrl: client.authorizationUrl, exchange },
    refresh: Effect.fn("Tesla.refresh")(function* (account: Account<TeslaCredentials>) {
      const tokens = yield* client.refresh(account)
      return { credentials: { ...tokens, region: account.credentials.region }, expiresAt: tokens.expiresAt }
    }),
    revoke: client.revoke
  }
}
