import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { ProgramInstances } from "./ProgramInstances.ts"
import { Programs } from "./Programs.ts"

export const ProgramsHandlers = groupHandlers(
  Api,
  "programs",
  Effect.fn(function* (handlers) {
    const programs = yield* Programs
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentKey, (caller) => programs.list(caller, query)),
      create: ({ payload }) => Effect.flatMap(CurrentKey, (caller) => programs.create(caller, payload)),
      get: ({ params }) => Effect.flatMap(CurrentKey, (caller) => programs.get(caller, params.slug)),
      update: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => programs.update(caller, params.slug, payload))
    })
  })
)

export const ProgramInstancesHandlers = groupHandlers(
  Api,
  "programInstances",
  Effect.fn(function* (handlers) {
    const instances = yield* ProgramInstances
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentKey, (caller) => instances.list(caller, query)),
      create: ({ payload }) => Effect.flatMap(CurrentKey, (caller) => instances.create(caller, payload)),
      get: ({ params }) => Effect.flatMap(CurrentKey, (caller) => instances.get(caller, params.id)),
      update: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => instances.update(caller, params.id, payload)),
      remove: ({ params }) => Effect.flatMap(CurrentKey, (caller) => instances.remove(caller, params.id))
    })
  })
)
