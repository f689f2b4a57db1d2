import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { WorkspaceNotFound } from "@edp/domain/errors/ApiErrors"
import type { WorkspacePause } from "@edp/domain/moves/WorkspaceMove"
import { Context, Effect, Layer } from "effect"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { Workspaces } from "../workspaces/Workspaces.ts"
import { RunningWorkRepository } from "./RunningWorkRepository.ts"

type Caller = CurrentKey["Service"]

/** Pauses of workspaces, so that after an export two installations do not do the same work. */
export class WorkspacePauses extends Context.Service<
  WorkspacePauses,
  {
    /** Pauses the workspace and tells what still runs. */
    readonly pause: (
      caller: Caller,
      workspaceId: string
    ) => Effect.Effect<WorkspacePause, WorkspaceNotFound | DatabaseUnavailable>
    readonly resume: (
      caller: Caller,
      workspaceId: string
    ) => Effect.Effect<void, WorkspaceNotFound | DatabaseUnavailable>
  }
>()("@edp/server/moves/WorkspacePauses") {
  static readonly layer = Layer.effect(
    WorkspacePauses,
    Effect.gen(function* () {
      const workspaces = yield* Workspaces
      const repository = yield* RunningWorkRepository
      return {
        pause: Effect.fn("WorkspacePauses.pause")(function* (caller, workspaceId) {
          const { pausedAt } = yield* workspaces.setPause(caller, workspaceId, true)
          return { workspaceId, pausedAt: pausedAt!, running: yield* repository.count(workspaceId) }
        }),
        resume: Effect.fn("WorkspacePauses.resume")((caller, workspaceId) =>
          Effect.asVoid(workspaces.setPause(caller, workspaceId, false))
        )
      }
    })
  )
}
