import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { type CommandList, Commands } from "./Commands.ts"
import { BatchCommands } from "./batches/BatchCommands.ts"
import type { CommandResult } from "@edp/domain/commands/Command"
import { HttpApi, HttpApiBuilder, HttpApiGroup } from "effect/http-api"
import { DirectCommands } from "./direct/DirectCommands.ts"

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
      preview: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => commands.preview(caller, params.id, payload)),
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

export const BatchCommandsHandlers = groupHandlers(
  Api,
  "batchCommands",
  Effect.fn(function* (handlers) {
    const batches = yield* BatchCommands
    return handlers.handleAll({
      create: ({ payload }) => Effect.flatMap(CurrentKey, (caller) => batches.create(caller, payload)),
      list: ({ query }) => Effect.flatMap(CurrentKey, (caller) => batches.list(caller, query)),
      get: ({ params }) => Effect.flatMap(CurrentKey, (caller) => batches.get(caller, params.id)),
      cancel: ({ params }) => Effect.flatMap(CurrentKey, (caller) => batches.cancel(caller, params.id)),
      retryFailed: ({ params }) => Effect.flatMap(CurrentKey, (caller) => batches.retryFailed(caller, params.id))
    })
  })
)

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
        Effect.flatMap(CurrentKey, (caller) => commands.take(caller, params.id, query)).pipe(Effect.map(listed)),
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
