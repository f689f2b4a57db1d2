import { withConventions } from "@edp/domain/auth/middleware"
import type { CreateDispatch, DispatchStatus, ParticipantState } from "@edp/domain/dispatches/Dispatch"
import { DispatchesApi } from "@edp/domain/dispatches/DispatchesApi"
import { DispatchReportsApi } from "@edp/domain/dispatches/DispatchReportsApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { given, keys, listed, pageClient } from "../api/makeApi.ts"

const api = withConventions(HttpApi.make("dispatches").add(DispatchesApi, DispatchReportsApi))

export class DispatchesClient extends AtomHttpApi.Service<DispatchesClient>()("DispatchesClient", {
  api,
  ...pageClient
}) {}

/** The queries that a new dispatch changes. */
export const dispatchesChanged = ["dispatches"]

/** The queries that a change of a dispatch or of its participants changes. */
export const dispatchChanged = (id: string) => ["dispatches", `dispatch:${id}`]

interface DispatchSearch {
  readonly page?: number | undefined
  readonly status?: DispatchStatus | undefined
}

export const dispatchesQuery = (instanceId: string, { page = 1, status }: DispatchSearch) =>
  DispatchesClient.query("dispatches", "list", {
    params: { id: instanceId },
    query: given({ page, perPage: 25, status: listed(status) }),
    reactivityKeys: keys("dispatches")
  })

/** The sites that would take part in a dispatch, and their power. */
export const dispatchPreviewQuery = (instanceId: string, payload: CreateDispatch) =>
  DispatchesClient.query("dispatches", "preview", {
    params: { id: instanceId },
    payload,
    reactivityKeys: keys("dispatches")
  })

export const dispatchQuery = (id: string) =>
  DispatchesClient.query("dispatches", "get", { params: { id }, reactivityKeys: keys(...dispatchChanged(id)) })

interface ParticipantSearch {
  readonly page?: number | undefined
  readonly state?: ParticipantState | undefined
}

export const participantsQuery = (dispatchId: string, { page = 1, state }: ParticipantSearch) =>
  DispatchesClient.query("dispatches", "participants", {
    params: { id: dispatchId },
    query: given({ page, perPage: 25, state: listed(state) }),
    reactivityKeys: keys(...dispatchChanged(dispatchId))
  })

/** The delivery of a dispatch, with a page of its sites. */
export const dispatchReportQuery = (dispatchId: string, page = 1) =>
  DispatchesClient.query("dispatchReports", "get", {
    params: { id: dispatchId },
    headers: {},
    query: { page, perPage: 25 },
    reactivityKeys: keys(...dispatchChanged(dispatchId))
  })
