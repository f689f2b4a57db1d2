import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { ApiKeys } from "./ApiKeys.ts"

export const ApiKeysHandlers = groupHandlers(
  Api,
  "apiKeys",
  Effect.fn(function* (handlers) {
    const keys = yield* ApiKeys
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentKey, (caller) => keys.list(caller, query)),
      create: ({ payload }) => Effect.flatMap(CurrentKey, (caller) => keys.create(caller, payload)),
      get: ({ params }) => Effect.flatMap(CurrentKey, (caller) => keys.get(caller, params.id)),
      update: ({ params, payload }) => Effect.flatMap(CurrentKey, (caller) => keys.update(caller, params.id, payload)),
      rotate: ({ params, payload }) => Effect.flatMap(CurrentKey, (caller) => keys.rotate(caller, params.id, payload)),
      revoke: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => keys.revoke(caller, params.id, payload)).pipe(
          Effect.map((made) => ({
            message:
              made === 0 ? "The API key is revoked" : `The API key is revoked, and what its sessions made: ${made} keys`
          }))
        )
    })
  })
)
