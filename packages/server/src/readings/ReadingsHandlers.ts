import { Api } from "@edp/domain/Api"
import { DashboardApi } from "@edp/domain/DashboardApi"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import type {
  ProvisionDevice,
  PushBulkTelemetry,
  PushTelemetry
} from "@edp/domain/direct-integration/DirectIntegration"
import { ByteSize, Context, Effect, Layer, Result } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiBuilder } from "effect/http-api"
import { CurrentRequest } from "../platform/http/RequestInfo.ts"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { jsonBody } from "../platform/http/jsonBody.ts"
import { keyLimits } from "../platform/rate-limits/keyLimits.ts"
import { BulkTelemetryPush } from "./ingest/BulkTelemetryPush.ts"
import { Provisioning } from "./ingest/Provisioning.ts"
import { QuickPush } from "./ingest/QuickPush.ts"
import { type Pushed, TelemetryPush, pushedText } from "./ingest/TelemetryPush.ts"
import { KeptReadings } from "./retention/KeptReadings.ts"

const pushed = (response: Pushed) => HttpServerResponse.text(pushedText(response), { contentType: "application/json" })

const make = Effect.gen(function* () {
  const provisioning = yield* Provisioning
  const single = yield* TelemetryPush
  const bulk = yield* BulkTelemetryPush
  return {
    provision: ({ payload }: { readonly payload: ProvisionDevice }) =>
      Effect.flatMap(CurrentKey, (caller) => provisioning.provision(caller, payload)).pipe(
        Effect.map(({ device, created }) => HttpServerResponse.jsonUnsafe(device, { status: created ? 201 : 200 }))
      ),
    pushBulk: ({ payload }: { readonly payload: PushBulkTelemetry }) =>
      Effect.flatMap(CurrentKey, (caller) => bulk.push(caller, payload)),
    push: ({ params, payload }: { readonly params: { readonly id: string }; readonly payload: PushTelemetry }) =>
      Effect.flatMap(CurrentKey, (caller) => single.push(caller, params.id, payload)).pipe(Effect.map(pushed))
  }
})

export const DirectIntegrationHandlers = groupHandlers(Api, "directIntegration", (handlers) =>
  Effect.map(make, (all) => handlers.handleAll(all))
)

/** The same endpoints under `/v1`, where they are not documented. */
const AliasApi = HttpApi.make("edp-aliases")
  .add(Api.groups.directIntegration.prefix("/v1"))
  .annotateMerge(Api.annotations)

/** The routes under `/v1`. */
export const DirectIntegrationAliases = HttpApiBuilder.layer(AliasApi).pipe(
  Layer.provide(
    groupHandlers(AliasApi, "directIntegration", (handlers) => Effect.map(make, (all) => handlers.handleAll(all)))
  )
)

const LIMIT = ByteSize.mebibytes(5)
/** A longer body holds more than one reading. */
const MAX_BODY = 16_384

type Request = HttpServerRequest.HttpServerRequest

/** Any other request is handled by the typed endpoint. */
const isPlain = ({ headers }: Request) =>
  headers["content-type"] === "application/json" &&
  Number(headers["content-length"]) <= MAX_BODY &&
  headers["idempotency-key"] === undefined

/** `jsonBody` remembers the body, or its error, for the typed endpoint. */
const readBody = (request: Request) => Effect.map(Effect.result(jsonBody(request, LIMIT)), Result.getOrUndefined)

/**
 * Fleets send single pushes more often than anything else. Their route passes a plain request with one valid reading
 * straight to the writer, with the same boundary, authentication and limits, and leaves every other request to the typed
 * endpoint. docs/performance.md says what this saves.
 */
const withQuickPush = Effect.gen(function* () {
  const router = yield* HttpRouter.HttpRouter
  const { check } = yield* QuickPush
  const limited = yield* keyLimits

  const quickly = (typed: Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, unknown>) =>
    Effect.withFiber((fiber) => {
      const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
      const key = request.headers["service-api-key"]
      if (key === undefined || !isPlain(request) || request.url.includes("?")) return typed
      const { params, route } = Context.getUnsafe(fiber.context, HttpRouter.RouteContext)
      return Effect.flatMap(readBody(request), (body) => {
        if (body === undefined) return typed
        return Effect.flatMap(check({ key, deviceId: params.id!, body: body.value }), (push) => {
          if (push === undefined) return typed
          const info = Context.get(fiber.context, CurrentRequest)
          info.route = route.path
          info.keyId = push.caller.id
          info.workspaceId = push.caller.workspaceId
          return Effect.flatMap(limited("write", push.caller, info, push.store), (stored) =>
            stored === undefined ? typed : Effect.succeed(pushed(stored))
          )
        })
      })
    })

  const isPush = (route: HttpRouter.Route<any, any>) =>
    route.method === "POST" && route.path.endsWith("/devices/:id/telemetry")

  return HttpRouter.HttpRouter.of({
    ...router,
    addAll: (routes) =>
      router.addAll(
        routes.map((route) =>
          isPush(route) ? HttpRouter.route(route.method, route.path, quickly(route.handler) as never) : route
        )
      ) as never
  })
})

/** The router with the route of single pushes. */
export const PushRouter = Layer.effect(HttpRouter.HttpRouter, withQuickPush)

export const KeptReadingsHandlers = groupHandlers(
  DashboardApi,
  "keptReadings",
  Effect.fn(function* (handlers) {
    const kept = yield* KeptReadings
    return handlers.handleAll({ get: () => Effect.flatMap(CurrentKey, kept.describe) })
  })
)
