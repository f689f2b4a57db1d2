import type { Account } from "@edp/adapter-kit/Account"
import { OAuthTokens } from "@edp/adapter-kit/oauth/OAuthTokens"
import { Schema } from "effect"

/** Fields that a token response of ESPI has beside the tokens: the data, the authorization and the customer, as addresses. */
export const keptFields = ["resourceURI", "authorizationURI", "customerResourceURI"] as const

/** The tokens, and the addresses that the utility's token response has beside them. */
export const GreenButtonCredentials = Schema.Struct({
  ...OAuthTokens.fields,
  resourceURI: Schema.String,
  authorizationURI: Schema.optionalKey(Schema.String),
  customerResourceURI: Schema.optionalKey(Schema.String)
})
export type GreenButtonCredentials = typeof GreenButtonCredentials.Type
export type GreenButtonAccount = Account<GreenButtonCredentials>

/** The subscription in an address such as `…/resource/Batch/Subscription/5`. The addresses of calls are made from the setting, not from it. */
export const subscriptionId = (resourceURI: string): string | undefined =>
  /\/Subscription\/([\w.~-]{1,200})(?:[/?]|$)/.exec(resourceURI)?.[1]
