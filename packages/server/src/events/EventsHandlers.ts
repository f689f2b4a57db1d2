import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { Events } from "./Events.ts"

// Events are sent as they were stored: those of an earlier version need not match today's schemas.
const asItIs = (body: unknown, headers: Record<string, string> = {}) => HttpServerResponse.jsonUnsafe(body, { headers })

export const EventsHandlers = groupHandlers(
  Api,
  "events",
  Effect.fn(function* (handlers) {
    const events = yield* Events
    return handlers.handleAll({
      list: ({ query }) =>
        Effect.flatMap(CurrentKey, (caller) => events.list(caller, query)).pipe(
          Effect.map(({ body, next }) => asItIs(body, next === undefined ? {} : { "x-next-cursor": next }))
        ),
      get: ({ params }) =>
        Effect.flatMap(CurrentKey, (caller) => events.get(caller, params.id)).pipe(Effect.map((event) => asItIs(event)))
    })
  })
)
