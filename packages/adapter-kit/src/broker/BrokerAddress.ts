import { Schema } from "effect"

const Port = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65_535 }))

/** A broker and the login to it, as the platform stores it, encrypted. */
export const BrokerAddress = Schema.Struct({
  host: Schema.String,
  port: Port,
  tls: Schema.Boolean,
  /** SHA-256 of the broker's certificate, if it has none of a known authority. */
  fingerprint: Schema.NullOr(Schema.String),
  username: Schema.NullOr(Schema.String),
  password: Schema.NullOr(Schema.RedactedFromValue(Schema.String)),
  /** The version of the protocol that the broker took: 5, or 4 for MQTT 3.1.1. */
  version: Schema.Literals([4, 5])
})
export type BrokerAddress = typeof BrokerAddress.Type

/** The same broker and user are the same account. */
export const brokerIdentity = ({ host, port, username }: BrokerAddress): string =>
  `${username === null ? "" : `${username}@`}${host.toLowerCase()}:${port}`
