import { Schema } from "effect"

const perMinute = Schema.Int.annotate({ message: "Must be an integer from 1 to 1000000" })
  .check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }, { message: "Must be an integer from 1 to 1000000" }))
  .annotate({ description: "Requests a minute" })

/** Limits of one key, requests a minute and class; a class that is null or left out follows the deployment's default. */
export const RateLimits = Schema.Struct({
  read: Schema.optionalKey(Schema.NullOr(perMinute)),
  write: Schema.optionalKey(Schema.NullOr(perMinute)),
  bulk: Schema.optionalKey(Schema.NullOr(perMinute))
}).annotate({
  identifier: "RateLimits",
  description:
    "Limits of one key, requests a minute and class; a class that is null or left out follows the deployment's default",
  examples: [{ read: 600, write: null, bulk: null }]
})
export type RateLimits = typeof RateLimits.Type
