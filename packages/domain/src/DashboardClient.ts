import { Effect } from "effect"
import type { HttpClient } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { authentication } from "./client/authentication.ts"
import type { ClientOptions } from "./client/ClientOptions.ts"
import { namingUnexpected, type UnexpectedAnswer } from "./client/UnexpectedAnswer.ts"
import { DashboardApi } from "./DashboardApi.ts"

export type DashboardClient = HttpApiClient.ForApi<typeof DashboardApi, UnexpectedAnswer>

/** A client of the operators' endpoints, for a MANAGEMENT key and the service of the very same version. */
export const makeDashboardClient = (
  options: ClientOptions
): Effect.Effect<DashboardClient, never, HttpClient.HttpClient> =>
  HttpApiClient.make(DashboardApi, { baseUrl: options.baseUrl, transformResponse: namingUnexpected }).pipe(
    Effect.map((client) => client as DashboardClient),
    Effect.provide(authentication(options))
  )
