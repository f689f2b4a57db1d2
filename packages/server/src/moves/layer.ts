import { Layer } from "effect"
import * as audit from "../audit/layer.ts"
import { SecretBox } from "../platform/secrets/SecretBox.ts"
import * as readings from "../readings/layer.ts"
import * as workspaces from "../workspaces/layer.ts"
import { WorkspaceExports } from "./WorkspaceExports.ts"
import { WorkspaceImports } from "./WorkspaceImports.ts"
import { WorkspaceMovesHandlers } from "./WorkspaceMovesHandlers.ts"
import { WorkspacePauses } from "./WorkspacePauses.ts"

/** Imports, whose remains background work removes. */
export const layer = WorkspaceImports.layer.pipe(Layer.provide([audit.layer, SecretBox.layer]))

const exports = WorkspaceExports.layer.pipe(
  Layer.provide([workspaces.layer, audit.layer, SecretBox.layer, readings.archive])
)

const pauses = WorkspacePauses.layer.pipe(Layer.provide(workspaces.layer))

export const dashboardHandlers = WorkspaceMovesHandlers.pipe(Layer.provide([layer, exports, pauses]))
