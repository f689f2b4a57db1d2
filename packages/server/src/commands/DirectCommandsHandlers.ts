import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import type { CommandResult } from "@edp/domain/commands/Command"
import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiGroup } from "effect/http-api"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { DirectCommands } from "./direct/DirectCommands.ts"

interface Report {
  readonly params: { readonly id: string; readonly commandId: string }
  readonly payload: CommandResult
}

const report = Effect.map(
  DirectCommands,
  (commands) =>
    ({ params, payload }: Report) =>
      Effect.flatMap(CurrentKey, (caller) => commands.report(caller, params.id, params.commandId, payload))
)

export const DirectCommandsHandlers = groupHandlers(
  Api,
  "directCommands",
  Effect.fn(function* (handlers) {
    const commands = yield* DirectCommands
    return handlers.handleAll({
      take: ({ params, query }) =>
        Effect.flatMap(CurrentKey, (caller) => commands.take(caller, params.id, query)).pipe(
          Effect.map(({ body, next }) =>
            HttpServerResponse.jsonUnsafe(body, { headers: next === undefined ? {} : { "x-next-cursor": next } })
          )
        ),
      report: yield* report
    })
  })
)

/** The result under `/v1`, where it is not documented. The list there is the workspace's: GET /v1/devices/:id/commands. */
const AliasApi = HttpApi.make("edp-command-aliases")
  .add(HttpApiGroup.make("directCommands").add(Api.groups.directCommands.endpoints.report).prefix("/v1"))
  .annotateMerge(Api.annotations)

export const DirectCommandsAliases = HttpApiBuilder.layer(AliasApi).pipe(
  Layer.provide(
    groupHandlers(AliasApi, "directCommands", (handlers) =>
      Effect.map(report, (handle) => handlers.handleAll({ report: handle }))
    )
  )
)
