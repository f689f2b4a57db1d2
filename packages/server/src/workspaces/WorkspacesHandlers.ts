import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { Organizations } from "./Organizations.ts"
import { Workspaces } from "./Workspaces.ts"

export const WorkspacesHandlers = groupHandlers(
  Api,
  "workspaces",
  Effect.fn(function* (handlers) {
    const workspaces = yield* Workspaces
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentKey, (caller) => workspaces.list(caller, query)),
      create: ({ payload }) => Effect.flatMap(CurrentKey, (caller) => workspaces.create(caller, payload)),
      get: ({ params }) => Effect.flatMap(CurrentKey, (caller) => workspaces.get(caller, params.id)),
      update: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => workspaces.update(caller, params.id, payload)),
      remove: ({ params }) => Effect.flatMap(CurrentKey, (caller) => workspaces.remove(caller, params.id))
    })
  })
)

export const OrganizationsHandlers = groupHandlers(
  Api,
  "organizations",
  Effect.fn(function* (handlers) {
    const organizations = yield* Organizations
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentKey, (caller) => organizations.list(caller, query)),
      get: ({ params }) => Effect.flatMap(CurrentKey, (caller) => organizations.get(caller, params.id)),
      update: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => organizations.update(caller, params.id, payload))
    })
  })
)
