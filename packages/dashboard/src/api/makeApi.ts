import { Authentication } from "@edp/domain/auth/Authentication"
import { namingUnexpected } from "@edp/domain/client/responses"
import { SessionRefusal } from "@edp/domain/dashboard/Session"
import { SessionsApi } from "@edp/domain/dashboard/SessionsApi"
import { Cause, type Context, Effect, Exit, Layer, Option, Schema } from "effect"
import { FetchHttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"
import { type AtomHttpApi, AtomRegistry, Reactivity } from "effect/reactivity"
import { useCallback, useContext, useEffect } from "react"
import { RegistryContext } from "../state/atoms.ts"
import { pageHeaders, sessionHeaders, sessionMark } from "./pageHeaders.ts"
import { NoResponse, type Problem, problemFrom, SignInNeeded } from "./problems.ts"
import { pageRuntime } from "./reactivity.ts"
import { sessionEnded, workspaceDoubted } from "./sessionEnd.ts"

/** The service lets a request run for 30 seconds. */
const TIMEOUT = "40 seconds"

/** Any endpoint may refuse a session with this body, which is not in the endpoint's own errors. */
const refusal = Schema.decodeUnknownOption(SessionRefusal)

const refuseOldSignIn = (response: HttpClientResponse.HttpClientResponse) =>
  response.status !== 403
    ? Effect.succeed(response)
    : Effect.flatMap(Effect.option(response.json), (body) => {
        const refused = Option.flatMap(body, refusal)
        const isOld = Option.isSome(refused) && refused.value.details.signIn !== undefined
        return isOld ? Effect.die(new SignInNeeded()) : Effect.succeed(response)
      })

/** Sessions belong to no workspace. They are read and ended while the chosen one does not exist, too. */
const headers = (group: string, method: string) =>
  group === SessionsApi.identifier ? sessionHeaders(method) : pageHeaders(method)

const authentication = HttpApiMiddleware.layerClient(Authentication, ({ group, next, request }) => {
  const sentIn = sessionMark()
  return next(HttpClientRequest.setHeaders(request, headers(group.identifier, request.method))).pipe(
    // A late response may be about a session that a new sign-in has replaced.
    Effect.tap(({ status }) => Effect.sync(() => status === 401 && sentIn === sessionMark() && sessionEnded())),
    Effect.flatMap(refuseOldSignIn),
    Effect.timeoutOrElse({ duration: TIMEOUT, orElse: () => Effect.die(new NoResponse()) })
  )
})

const noteProblem = (problem: Problem) => {
  if (problem.kind === "refused" && problem.code === "WORKSPACE_NOT_FOUND") workspaceDoubted()
}

/**
 * Options of every client of the page: `const api = withConventions(HttpApi.make("alerts").add(AlertsApi))`, then
 * `class AlertsClient extends AtomHttpApi.Service<AlertsClient>()("AlertsClient", { api, ...pageClient }) {}`.
 */
export const pageClient = {
  runtime: pageRuntime,
  httpClient: Layer.merge(FetchHttpClient.layer, authentication),
  transformResponse: (decoded: Effect.Effect<unknown, unknown, unknown>) =>
    Effect.tapError(namingUnexpected(decoded), (error) => Effect.sync(() => noteProblem(problemFrom(error))))
}

/** The key of every query: it is invalidated when the page may have missed changes. */
export const EVERYTHING = "everything"

/** Reactivity keys of a query: `keys("devices", "device:ID")`. A change or a mutation with one of them reads it again. */
export const keys = (...names: ReadonlyArray<string>): ReadonlyArray<string> => [EVERYTHING, ...names]

type Given<A> = { readonly [Name in keyof A as undefined extends A[Name] ? never : Name]: A[Name] } & {
  readonly [Name in keyof A as undefined extends A[Name] ? Name : never]?: Exclude<A[Name], undefined>
}

/** The parameters of a query that have a value. */
export const given = <const A extends object>(parameters: A): Given<A> =>
  Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined)) as Given<A>

/** A time of the address as the API takes it; undefined for a text that is none. */
export const instant = (text: string | undefined): string | undefined => {
  const time = Date.parse(text ?? "")
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

/** A value as a filter takes it, which could name several. An empty text is no value. */
export const listed = <A>(value: A | undefined): ReadonlyArray<A> | undefined =>
  value === undefined || value === "" ? undefined : [value]

/**
 * A function that calls the API once, for writes: `call((client) => client.devices.update({…}), ["devices"])` resolves with the
 * response, or rejects with the error, and reads the queries of the keys again.
 */
export const useApi = <Self, Shape>(
  api: Context.Key<Self, Shape> & { readonly runtime: AtomHttpApi.AtomHttpApiClient<Self, string, never>["runtime"] }
) => {
  const registry = useContext(RegistryContext)
  useEffect(() => registry.mount(api.runtime), [registry, api])
  return useCallback(
    async <A, E>(call: (client: Shape) => Effect.Effect<A, E>, invalidates: ReadonlyArray<string> = []): Promise<A> => {
      const exit = await AtomRegistry.getResult(registry, api.runtime).pipe(
        Effect.flatMap((services) =>
          Reactivity.mutation(Effect.flatMap(api as Context.Key<Self, Shape>, call), invalidates).pipe(
            Effect.provide(services as Context.Context<Self | Reactivity.Reactivity>)
          )
        ),
        Effect.runPromiseExit
      )
      if (Exit.isSuccess(exit)) return exit.value
      throw Cause.squash(exit.cause)
    },
    [registry, api]
  )
}
