import { withConventions } from "@edp/domain/auth/middleware"
import { SearchApi } from "@edp/domain/search/SearchApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { keys, pageClient } from "../api/makeApi.ts"

const api = withConventions(HttpApi.make("search").add(SearchApi))

class SearchClient extends AtomHttpApi.Service<SearchClient>()("SearchClient", { api, ...pageClient }) {}

/** Records of all kinds that contain a text of at least two characters. */
export const searchQuery = (query: string) =>
  SearchClient.query("search", "find", { query: { query, limit: 20 }, reactivityKeys: keys() })
