import { Schema } from "effect"

/** A sign-in at Enlighten, Enphase's cloud, with which access tokens are fetched. */
export const EnlightenLogin = Schema.Struct({
  username: Schema.String,
  password: Schema.RedactedFromValue(Schema.String)
})
export type EnlightenLogin = typeof EnlightenLogin.Type

/** A gateway at an address, and how it is entered. Stored encrypted. */
export const GatewayCredentials = Schema.Struct({
  host: Schema.String,
  port: Schema.Int,
  /** SHA-256 of its certificate, which it signs itself. */
  fingerprint: Schema.NullOr(Schema.String),
  givenName: Schema.NullOr(Schema.String),
  serial: Schema.String,
  /** First number of the firmware at the time of the connection. */
  generation: Schema.Int,
  isMetered: Schema.Boolean,
  access: Schema.Union([
    Schema.Struct({
      kind: Schema.Literal("token"),
      token: Schema.RedactedFromValue(Schema.String),
      /** Null for a token that a person pasted: it can't be renewed. */
      login: Schema.NullOr(EnlightenLogin)
    }),
    Schema.Struct({
      kind: Schema.Literal("digest"),
      username: Schema.String,
      password: Schema.RedactedFromValue(Schema.String)
    })
  ])
})
export type GatewayCredentials = typeof GatewayCredentials.Type

/** How a gateway is called, without what it said about itself. */
export type GatewayAccess = GatewayCredentials["access"]
