import { DashboardApi } from "@edp/domain/DashboardApi"
import { makePage } from "@edp/domain/shared/Page"
import { Effect } from "effect"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { Simulator } from "./Simulator.ts"

export const SimulatorHandlers = groupHandlers(
  DashboardApi,
  "simulator",
  Effect.fn(function* (handlers) {
    const { simulation } = yield* Simulator
    const use = <A, E>(call: (running: Effect.Success<typeof simulation>) => Effect.Effect<A, E>) =>
      Effect.flatMap(simulation, call)
    return handlers.handleAll({
      list: ({ query: { page = 1, perPage = 10 } }) =>
        use(({ list }) => list({ page, perPage })).pipe(
          // Without a simulator there are no accounts.
          Effect.catchTag("NOT_FOUND", () => Effect.succeed({ data: [], totalItems: 0 })),
          Effect.map(({ data, totalItems }) => makePage(data, page, perPage, totalItems))
        ),
      get: ({ params }) => use(({ get }) => get(params.id)),
      remove: ({ params }) => use(({ remove }) => remove(params.id)),
      growTown: ({ payload }) => use(({ growTown }) => Effect.map(growTown(payload), (accountIds) => ({ accountIds }))),
      addHome: ({ params, payload }) => use(({ addHome }) => addHome(params.id, payload)),
      removeHome: ({ params }) => use(({ removeHome }) => removeHome(params.id, params.siteId)),
      scriptFault: ({ params, payload }) => use(({ scriptFault }) => scriptFault(params.id, payload)),
      clearFaults: ({ params, query }) => use(({ clearFaults }) => clearFaults(params.id, query)),
      setClock: ({ params, payload }) => use(({ setClock }) => setClock(params.id, payload)),
      pairKey: ({ params, payload }) => use(({ pairKey }) => pairKey(params.id, payload))
    })
  })
)
