import { withConventions } from "@edp/domain/auth/middleware"
import { ManufacturersApi } from "@edp/domain/manufacturers/ManufacturersApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { keys, pageClient } from "../api/makeApi.ts"
import { dependingOn } from "../api/reactivity.ts"
import { readAll } from "../api/readAll.ts"

const api = withConventions(HttpApi.make("manufacturers").add(ManufacturersApi))

export class ManufacturersClient extends AtomHttpApi.Service<ManufacturersClient>()("ManufacturersClient", {
  api,
  ...pageClient
}) {}

/** The queries that another value of a manufacturer changes. */
export const manufacturersChanged = ["manufacturers"]

export const manufacturerQuery = (slug: string) =>
  ManufacturersClient.query("manufacturers", "get", { params: { slug }, reactivityKeys: keys("manufacturers") })

/** All manufacturers, for their names. */
export const manufacturersQuery = ManufacturersClient.runtime
  .atom(ManufacturersClient.use((client) => readAll((query) => client.manufacturers.list({ query }))))
  .pipe(dependingOn(keys("manufacturers")))
