import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { type CommandList, Commands } from "./Commands.ts"

/** Lists are sent as they were stored. */
const listed = ({ body, next }: CommandList) =>
  HttpServerResponse.jsonUnsafe(body, { headers: next === undefined ? {} : { "x-next-cursor": next } })

export const CommandsHandlers = groupHandlers(
  Api,
  "commands",
  Effect.fn(function* (handlers) {
    const commands = yield* Commands
    return handlers.handleAll({
      send: ({ params, payload }) => Effect.flatMap(CurrentKey, (caller) => commands.send(caller, params.id, payload)),
      ofDevice: ({ params, query }) =>
        Effect.flatMap(CurrentKey, (caller) => commands.listForDevice(caller, params.id, query)).pipe(
          Effect.map(listed)
        ),
      list: ({ query }) =>
        Effect.flatMap(CurrentKey, (caller) => commands.list(caller, query)).pipe(Effect.map(listed)),
      get: ({ params }) => Effect.flatMap(CurrentKey, (caller) => commands.get(caller, params.id)),
      cancel: ({ params }) => Effect.flatMap(CurrentKey, (caller) => commands.cancel(caller, params.id))
    })
  })
)
