import { withConventions } from "@edp/domain/auth/middleware"
import { OpenAdrServerApi } from "@edp/domain/dashboard/OpenAdrServerApi"
import { OpenAdrApi } from "@edp/domain/openadr/OpenAdrApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { given, keys, pageClient } from "../api/makeApi.ts"

const api = withConventions(HttpApi.make("openadr").add(OpenAdrApi, OpenAdrServerApi))

export class OpenAdrClient extends AtomHttpApi.Service<OpenAdrClient>()("OpenAdrClient", { api, ...pageClient }) {}

interface Paged {
  readonly page?: number | undefined
}

/** The events that the workspace publishes to VENs. */
export const openAdrServerQuery = OpenAdrClient.query("openAdrServer", "get", { reactivityKeys: keys("dispatches") })

/** The clients of the OpenADR server. They are API keys. */
export const openAdrClientsQuery = ({ page = 1 }: Paged) =>
  OpenAdrClient.query("openAdrServer", "clients", {
    query: given({ page, perPage: 25 }),
    reactivityKeys: keys("api-keys")
  })

/** The subscriptions of clients, newest first. */
export const openAdrSubscriptionsQuery = ({ page = 1 }: Paged) =>
  OpenAdrClient.query("openAdr", "subscriptions", {
    query: given({ page, perPage: 25 }),
    reactivityKeys: keys("openAdrSubscriptions")
  })

export const venReportsQuery = ({ page = 1 }: Paged) =>
  OpenAdrClient.query("openAdr", "reports", { query: given({ page, perPage: 25 }), reactivityKeys: keys("venReports") })
