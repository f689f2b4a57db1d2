import { withConventions } from "@edp/domain/auth/middleware"
import type { ParticipantState } from "@edp/domain/dispatches/Dispatch"
import { DispatchesApi } from "@edp/domain/dispatches/DispatchesApi"
import { DispatchReportsApi } from "@edp/domain/dispatches/DispatchReportsApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { keys, pageClient } from "../../api/makeApi.ts"

const api = withConventions(HttpApi.make("dispatch").add(DispatchesApi, DispatchReportsApi))

export class DispatchClient extends AtomHttpApi.Service<DispatchClient>()("DispatchClient", { api, ...pageClient }) {}

export const dispatchQuery = (id: string) =>
  DispatchClient.query("dispatches", "get", { params: { id }, reactivityKeys: keys("dispatches", `dispatch:${id}`) })

export const participantsQuery = (id: string, page: number, state: ParticipantState | undefined) =>
  DispatchClient.query("dispatches", "participants", {
    params: { id },
    query: { page, perPage: 25, ...(state !== undefined && { state: [state] }) },
    reactivityKeys: keys("dispatches", `dispatch:${id}`)
  })

export const reportQuery = (id: string, page: number) =>
  DispatchClient.query("dispatchReports", "get", {
    params: { id },
    headers: {},
    query: { page, perPage: 25 },
    reactivityKeys: keys("dispatches", `dispatch:${id}`)
  })
