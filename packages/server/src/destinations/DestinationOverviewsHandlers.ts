import { DashboardApi } from "@edp/domain/DashboardApi"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { DestinationOverviews } from "./DestinationOverviews.ts"

export const DestinationOverviewsHandlers = groupHandlers(
  DashboardApi,
  "destinationOverviews",
  Effect.fn(function* (handlers) {
    const overviews = yield* DestinationOverviews
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentKey, (caller) => overviews.list(caller, query)),
      get: ({ params }) => Effect.flatMap(CurrentKey, (caller) => overviews.get(caller, params.id)),
      deactivate: ({ params }) => Effect.flatMap(CurrentKey, (caller) => overviews.deactivate(caller, params.id)),
      eventDeliveries: ({ params }) =>
        Effect.flatMap(CurrentKey, (caller) => overviews.eventDeliveries(caller, params.id)).pipe(
          Effect.map((data) => ({ data }))
        )
    })
  })
)
