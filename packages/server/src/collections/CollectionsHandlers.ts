import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import type { CollectionMember } from "@edp/domain/collections/Collection"
import type { PageOf } from "@edp/domain/shared/Page"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { Collections } from "./Collections.ts"

/** Members are written without encoding, like the list of devices: each comes from its own slice, which validated it. */
const unchecked = (page: PageOf<CollectionMember>) => HttpServerResponse.jsonUnsafe(page)

export const CollectionsHandlers = groupHandlers(
  Api,
  "collections",
  Effect.fn(function* (handlers) {
    const collections = yield* Collections
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentKey, (caller) => collections.list(caller, query)),
      create: ({ payload, query }) =>
        Effect.flatMap(CurrentKey, (caller) => collections.create(caller, query, payload)),
      preview: ({ payload, query }) =>
        Effect.flatMap(CurrentKey, (caller) => collections.preview(caller, query, payload)).pipe(Effect.map(unchecked)),
      get: ({ params, query }) => Effect.flatMap(CurrentKey, (caller) => collections.get(caller, params.id, query)),
      update: ({ params, payload, query }) =>
        Effect.flatMap(CurrentKey, (caller) => collections.update(caller, params.id, query, payload)),
      remove: ({ params, query }) =>
        Effect.flatMap(CurrentKey, (caller) => collections.remove(caller, params.id, query)),
      members: ({ params, query }) =>
        Effect.flatMap(CurrentKey, (caller) => collections.members(caller, params.id, query)).pipe(
          Effect.map(unchecked)
        ),
      addMember: ({ params, query }) =>
        Effect.flatMap(CurrentKey, (caller) => collections.addMember(caller, params.id, params.memberId, query)),
      removeMember: ({ params, query }) =>
        Effect.flatMap(CurrentKey, (caller) => collections.removeMember(caller, params.id, params.memberId, query)),
      refresh: ({ params, query }) =>
        Effect.flatMap(CurrentKey, (caller) => collections.refresh(caller, params.id, query))
    })
  })
)
