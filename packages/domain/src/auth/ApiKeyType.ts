import { Schema } from "effect"

export const apiKeyTypes = [
  "API",
  "CONNECT",
  "MANAGEMENT",
  "MANUFACTURER",
  "OPENADR_BL",
  "OPENADR_VEN",
  "SCOPED",
  "SERVER"
] as const

/** Keys of clients of OpenADR: the key's id is the client_id, and the key the client_secret. */
export const openAdrKeyTypes = ["OPENADR_BL", "OPENADR_VEN"] as const
export type OpenAdrKeyType = (typeof openAdrKeyTypes)[number]

/** The purpose of a key. */
export const ApiKeyType = Schema.Literals(apiKeyTypes).annotate({
  identifier: "ApiKeyType",
  description:
    "SERVER: full access to its workspace, for back ends. API: like SERVER, deprecated. CONNECT: starts connect sessions and can be used in client applications. MANUFACTURER: direct integration for the manufacturers in its scope. MANAGEMENT: workspaces and keys of the organization. OPENADR_BL and OPENADR_VEN: clients of the workspace's OpenADR server, as business logic and as a VEN; the id is the client_id, the key the client_secret. SCOPED: devices of one connected user"
})
export type ApiKeyType = typeof ApiKeyType.Type

const perMinute = Schema.Int.annotate({ message: "Must be an integer from 1 to 1000000" })
  .check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }, { message: "Must be an integer from 1 to 1000000" }))
  .annotate({ description: "Requests per minute" })

/** Rate limits of one key, in requests per minute and class; a class that is null or absent has the deployment's default. */
export const RateLimits = Schema.Struct({
  read: Schema.optionalKey(Schema.NullOr(perMinute)),
  write: Schema.optionalKey(Schema.NullOr(perMinute)),
  bulk: Schema.optionalKey(Schema.NullOr(perMinute))
}).annotate({
  identifier: "RateLimits",
  description:
    "Rate limits of one key, in requests per minute and class; a class that is null or absent has the deployment's default",
  examples: [{ read: 600, write: null, bulk: null }]
})
export type RateLimits = typeof RateLimits.Type
