import { withConventions } from "@edp/domain/auth/middleware"
import { WorkspacesApi } from "@edp/domain/workspaces/WorkspacesApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { keys, pageClient } from "../api/makeApi.ts"

const api = withConventions(HttpApi.make("workspaces").add(WorkspacesApi))

export class WorkspacesClient extends AtomHttpApi.Service<WorkspacesClient>()("WorkspacesClient", {
  api,
  ...pageClient
}) {}

/** The queries that another value of a workspace changes. */
export const workspaceChanged = (id: string) => [`workspace:${id}`]

export const workspaceQuery = (id: string) =>
  WorkspacesClient.query("workspaces", "get", { params: { id }, reactivityKeys: keys(`workspace:${id}`) })
