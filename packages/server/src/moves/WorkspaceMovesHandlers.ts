import { DashboardApi } from "@edp/domain/DashboardApi"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { WorkspaceExports } from "./WorkspaceExports.ts"
import { WorkspaceImports } from "./WorkspaceImports.ts"
import { WorkspacePauses } from "./WorkspacePauses.ts"

export const WorkspaceMovesHandlers = groupHandlers(
  DashboardApi,
  "workspaceMoves",
  Effect.fn(function* (handlers) {
    const exports = yield* WorkspaceExports
    const imports = yield* WorkspaceImports
    const pauses = yield* WorkspacePauses
    return handlers.handleAll({
      startExport: ({ payload }) =>
        Effect.flatMap(CurrentKey, (caller) =>
          exports.start(caller, payload.workspaceId ?? caller.workspaceId, payload.passphrase, payload.after)
        ),
      readExport: ({ params, query }) =>
        Effect.map(
          Effect.flatMap(CurrentKey, (caller) => exports.read(caller, params.id, query.from ?? 0)),
          (bytes) => HttpServerResponse.stream(bytes, { contentType: "application/x-tar" })
        ),
      removeExport: ({ params }) => Effect.flatMap(CurrentKey, (caller) => exports.remove(caller, params.id)),
      startImport: ({ payload }) => Effect.flatMap(CurrentKey, (caller) => imports.start(caller, payload)),
      importPart: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => imports.add(caller, params.id, payload)),
      finishImport: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => imports.finish(caller, params.id, payload.passphrase)),
      cancelImport: ({ params }) => Effect.flatMap(CurrentKey, (caller) => imports.cancel(caller, params.id)),
      pause: ({ params }) => Effect.flatMap(CurrentKey, (caller) => pauses.pause(caller, params.id)),
      resume: ({ params }) => Effect.flatMap(CurrentKey, (caller) => pauses.resume(caller, params.id))
    })
  })
)
