import { type Redacted, Schema } from "effect"

/** The tokens of an account. The platform stores them encrypted. */
export const OAuthTokens = Schema.Struct({
  accessToken: Schema.RedactedFromValue(Schema.String),
  /** Null where the manufacturer issues none: the person signs in again when the access token has expired. */
  refreshToken: Schema.NullOr(Schema.RedactedFromValue(Schema.String)),
  /** Granted scopes, separated by spaces; null if the manufacturer does not name them. */
  scope: Schema.NullOr(Schema.String),
  /** Milliseconds since 1970; null if the manufacturer names no time. */
  expiresAt: Schema.NullOr(Schema.Finite)
})
export interface OAuthTokens {
  readonly accessToken: Redacted.Redacted
  readonly refreshToken: Redacted.Redacted | null
  readonly scope: string | null
  readonly expiresAt: number | null
}
