import { Redacted } from "effect"

/** The purpose for which the token of a callback is encrypted. */
export const tokenPurpose = (callbackId: string) => `openadr callback ${callbackId}`

export const bearerHeader = (token: Redacted.Redacted | undefined): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${Redacted.value(token)}` }
