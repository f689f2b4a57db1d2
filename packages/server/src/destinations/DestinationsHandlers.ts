import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { Deliveries } from "./delivery/Deliveries.ts"
import { Destinations } from "./Destinations.ts"
import { DashboardApi } from "@edp/domain/DashboardApi"
import { DestinationOverviews } from "./DestinationOverviews.ts"

export const DestinationsHandlers = groupHandlers(
  Api,
  "destinations",
  Effect.fn(function* (handlers) {
    const destinations = yield* Destinations
    const deliveries = yield* Deliveries
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentKey, (caller) => destinations.list(caller, query)),
      create: ({ payload, query }) =>
        Effect.flatMap(CurrentKey, (caller) => destinations.create(caller, query, payload)),
      get: ({ params, query }) => Effect.flatMap(CurrentKey, (caller) => destinations.get(caller, params.id, query)),
      update: ({ params, payload, query }) =>
        Effect.flatMap(CurrentKey, (caller) => destinations.update(caller, params.id, query, payload)),
      remove: ({ params, query }) =>
        Effect.flatMap(CurrentKey, (caller) => destinations.remove(caller, params.id, query)),
      activate: ({ params, query }) =>
        Effect.flatMap(CurrentKey, (caller) => destinations.activate(caller, params.id, query)),
      rotateSecret: ({ params, query }) =>
        Effect.flatMap(CurrentKey, (caller) => destinations.rotateSecret(caller, params.id, query)),
      test: ({ params, payload, query }) =>
        Effect.flatMap(CurrentKey, (caller) => deliveries.test(caller, params.id, query, payload.type)),
      delivery: ({ params, query }) =>
        Effect.flatMap(CurrentKey, (caller) => deliveries.get(caller, params.id, params.deliveryId, query)),
      deliveries: ({ params, query }) =>
        Effect.flatMap(CurrentKey, (caller) => deliveries.list(caller, params.id, query)).pipe(
          Effect.map(({ body, next }) =>
            HttpApiSchema.withHeaders({ body, headers: next === undefined ? {} : { "x-next-cursor": next } })
          )
        ),
      redeliver: ({ params, query }) =>
        Effect.flatMap(CurrentKey, (caller) => deliveries.redeliver(caller, params.id, params.deliveryId, query)),
      replay: ({ params, payload, query }) =>
        Effect.flatMap(CurrentKey, (caller) => deliveries.replay(caller, params.id, query, payload))
    })
  })
)

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
