import { withConventions } from "@edp/domain/auth/middleware"
import { CollectionsApi } from "@edp/domain/collections/CollectionsApi"
import type { CollectionType, Criteria } from "@edp/domain/collections/criteria"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { given, keys, listed, pageClient } from "../api/makeApi.ts"

const api = withConventions(HttpApi.make("collections").add(CollectionsApi))

export class CollectionsClient extends AtomHttpApi.Service<CollectionsClient>()("CollectionsClient", {
  api,
  ...pageClient
}) {}

/** The queries that a collection more or less, or another member, changes. */
export const collectionsChanged = ["collections"]

/** The queries that another value of a collection changes. */
export const collectionChanged = (id: string) => ["collections", `collection:${id}`]

/** The newest collections of devices whose members are stored. */
export const storedCollectionsQuery = CollectionsClient.query("collections", "list", {
  query: { perPage: 100, collectionType: ["DEVICE"], dynamic: "false" },
  reactivityKeys: keys("collections")
})

/** The first collections of devices whose names begin with a text. */
export const collectionChoicesQuery = (text: string) =>
  CollectionsClient.query("collections", "list", {
    query: given({ perPage: 20, collectionType: ["DEVICE"], q: text || undefined }),
    reactivityKeys: keys("collections")
  })

export interface CollectionSearch {
  readonly q?: string | undefined
  readonly type?: CollectionType | undefined
  readonly page?: number | undefined
}

export const collectionsQuery = ({ q, type, page = 1 }: CollectionSearch) =>
  CollectionsClient.query("collections", "list", {
    query: given({ page, perPage: 25, q: q?.trim() || undefined, collectionType: listed(type) }),
    reactivityKeys: keys("collections")
  })

export const collectionQuery = (id: string) =>
  CollectionsClient.query("collections", "get", { params: { id }, query: {}, reactivityKeys: keys(`collection:${id}`) })

export const membersQuery = (id: string, page = 1) =>
  CollectionsClient.query("collections", "members", {
    params: { id },
    query: { page, perPage: 25 },
    reactivityKeys: keys(`collection:${id}`, "devices", "sites", "customers")
  })

/** The first records that meet criteria. */
export const previewQuery = (collectionType: CollectionType, criteria: Criteria) =>
  CollectionsClient.query("collections", "preview", {
    query: { perPage: 5 },
    payload: { collectionType, criteria },
    reactivityKeys: keys("devices", "sites", "customers")
  })
