import { Effect } from "effect"
import { Argument } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { idByReference } from "../../idByReference.ts"

export const siteArgument = Argument.String("site").pipe(Argument.withDescription("Id of the site, or its referenceId"))

export const siteId = Effect.fn("sites.find")(function* (name: string) {
  const list = yield* (yield* Connection).endpoint("sites", "list")
  return yield* idByReference("site", name, (referenceId) => list({ query: { referenceId, perPage: 5 } }))
})
