import { withConventions } from "@edp/domain/auth/middleware"
import { HomeAssistantPublicationsApi } from "@edp/domain/home-assistant/HomeAssistantPublicationsApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { given, keys, pageClient } from "../api/makeApi.ts"

const api = withConventions(HttpApi.make("homeAssistant").add(HomeAssistantPublicationsApi))

export class HomeAssistantClient extends AtomHttpApi.Service<HomeAssistantClient>()("HomeAssistantClient", {
  api,
  ...pageClient
}) {}

/** The queries that a publication changes. */
export const publicationsChanged = ["home-assistant"]

export const publicationsQuery = ({ page = 1 }: { readonly page?: number | undefined }) =>
  HomeAssistantClient.query("homeAssistantPublications", "list", {
    query: given({ page, perPage: 25 }),
    reactivityKeys: keys("home-assistant")
  })
