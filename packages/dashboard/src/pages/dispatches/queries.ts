import { withConventions } from "@edp/domain/auth/middleware"
import type { DispatchStatus } from "@edp/domain/dispatches/Dispatch"
import { DispatchesApi } from "@edp/domain/dispatches/DispatchesApi"
import { ProgramInstancesApi } from "@edp/domain/programs/ProgramInstancesApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { keys, pageClient } from "../../api/makeApi.ts"
import { dependingOn } from "../../api/reactivity.ts"
import { readAll } from "../../api/readAll.ts"

const api = withConventions(HttpApi.make("dispatches").add(DispatchesApi, ProgramInstancesApi))

export class DispatchesClient extends AtomHttpApi.Service<DispatchesClient>()("DispatchesClient", {
  api,
  ...pageClient
}) {}

/** The instances to choose from. */
export const instancesQuery = DispatchesClient.runtime
  .atom(DispatchesClient.use((client) => readAll((query) => client.programInstances.list({ query }))))
  .pipe(dependingOn(keys("programInstances")))

export const dispatchesQuery = (instanceId: string, page: number, status: DispatchStatus | undefined) =>
  DispatchesClient.query("dispatches", "list", {
    params: { id: instanceId },
    query: { page, perPage: 25, ...(status !== undefined && { status: [status] }) },
    reactivityKeys: keys("dispatches")
  })
