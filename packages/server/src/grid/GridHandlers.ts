import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { GridConnections } from "./GridConnections.ts"
import { GridObjects } from "./GridObjects.ts"

export const GridHandlers = groupHandlers(
  Api,
  "grid",
  Effect.fn(function* (handlers) {
    const connections = yield* GridConnections
    const objects = yield* GridObjects
    return handlers.handleAll({
      listConnections: ({ query }) => Effect.flatMap(CurrentKey, (caller) => connections.list(caller, query)),
      createConnection: ({ payload }) => Effect.flatMap(CurrentKey, (caller) => connections.create(caller, payload)),
      getConnection: ({ params }) => Effect.flatMap(CurrentKey, (caller) => connections.get(caller, params.id)),
      updateConnection: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => connections.update(caller, params.id, payload)),
      removeConnection: ({ params }) => Effect.flatMap(CurrentKey, (caller) => connections.remove(caller, params.id)),
      listPrograms: ({ params, query }) =>
        Effect.flatMap(CurrentKey, (caller) => objects.programs(caller, params.id, query)),
      instancePrograms: ({ params, query }) =>
        Effect.flatMap(CurrentKey, (caller) => objects.instancePrograms(caller, params.id, query)),
      getProgram: ({ params }) => Effect.flatMap(CurrentKey, (caller) => objects.program(caller, params.id)),
      updateProgram: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => objects.updateProgram(caller, params.id, payload)),
      listEvents: ({ params, query }) =>
        Effect.flatMap(CurrentKey, (caller) => objects.events(caller, params.id, query)),
      timeline: ({ params, query }) =>
        Effect.flatMap(CurrentKey, (caller) => objects.timeline(caller, params.id, query)),
      listReports: ({ params, query }) =>
        Effect.flatMap(CurrentKey, (caller) => objects.reports(caller, params.id, query))
    })
  })
)
