import { withConventions } from "@edp/domain/auth/middleware"
import { CollectionsApi } from "@edp/domain/collections/CollectionsApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { keys, pageClient } from "../api/makeApi.ts"

const api = withConventions(HttpApi.make("collections").add(CollectionsApi))

export class CollectionsClient extends AtomHttpApi.Service<CollectionsClient>()("CollectionsClient", {
  api,
  ...pageClient
}) {}

/** The queries that another collection, or another member, changes. */
export const collectionsChanged = ["collections"]

/** The newest collections of devices whose members are stored. */
export const storedCollectionsQuery = CollectionsClient.query("collections", "list", {
  query: { perPage: 100, collectionType: ["DEVICE"], dynamic: "false" },
  reactivityKeys: keys("collections")
})
