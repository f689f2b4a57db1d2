import { withConventions } from "@edp/domain/auth/middleware"
import { BatchCommandsApi } from "@edp/domain/commands/BatchCommandsApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { keys, pageClient } from "../api/makeApi.ts"

const api = withConventions(HttpApi.make("batches").add(BatchCommandsApi))

export class BatchesClient extends AtomHttpApi.Service<BatchesClient>()("BatchesClient", { api, ...pageClient }) {}

/** The queries that another batch, or its end, changes. */
export const batchesChanged = ["commands"]

export const batchesQuery = (page = 1) =>
  BatchesClient.query("batchCommands", "list", { query: { page, perPage: 25 }, reactivityKeys: keys("commands") })

export const batchQuery = (id: string) =>
  BatchesClient.query("batchCommands", "get", { params: { id }, reactivityKeys: keys("commands") })
