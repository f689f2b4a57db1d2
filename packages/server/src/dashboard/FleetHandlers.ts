import { DashboardApi } from "@edp/domain/DashboardApi"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { Fleets } from "./fleet/Fleets.ts"

export const FleetHandlers = groupHandlers(
  DashboardApi,
  "fleet",
  Effect.fn(function* (handlers) {
    const fleets = yield* Fleets
    return handlers.handleAll({
      get: ({ query }) => Effect.flatMap(CurrentKey, (caller) => fleets.count(caller, query)),
      devices: ({ query }) => Effect.flatMap(CurrentKey, (caller) => fleets.devices(caller, query)),
      csv: ({ query }) =>
        Effect.gen(function* () {
          const { leftOut, text } = yield* fleets.csv(yield* CurrentKey, query)
          return HttpServerResponse.stream(Stream.encodeText(text), {
            contentType: "text/csv",
            headers: {
              "content-disposition": 'attachment; filename="devices.csv"',
              ...(leftOut > 0 && { "x-left-out": String(leftOut) })
            }
          })
        }),
      map: ({ query }) => Effect.flatMap(CurrentKey, (caller) => fleets.map(caller, query))
    })
  })
)
