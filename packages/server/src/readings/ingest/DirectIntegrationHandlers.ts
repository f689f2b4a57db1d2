import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import type {
  ProvisionDevice,
  PushBulkTelemetry,
  PushTelemetry
} from "@edp/domain/direct-integration/DirectIntegration"
import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiBuilder } from "effect/http-api"
import { handlersOf } from "../../platform/http/handlersOf.ts"
import { BulkTelemetryPush } from "./BulkTelemetryPush.ts"
import { Provisioning } from "./Provisioning.ts"
import { type Pushed, pushedText, TelemetryPush } from "./TelemetryPush.ts"

const pushed = (answer: Pushed) => HttpServerResponse.text(pushedText(answer), { contentType: "application/json" })

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

export const DirectIntegrationHandlers = handlersOf(Api, "directIntegration", (handlers) =>
  Effect.map(make, (all) => handlers.handleAll(all))
)

/** The same endpoints under `/v1`, where they are served but not documented. */
const TwinApi = HttpApi.make("edp-twins").add(Api.groups.directIntegration.prefix("/v1")).annotateMerge(Api.annotations)

/** Adds the routes of the twins; it needs what the API's own routes need. */
export const DirectIntegrationTwins = HttpApiBuilder.layer(TwinApi).pipe(
  Layer.provide(
    handlersOf(TwinApi, "directIntegration", (handlers) => Effect.map(make, (all) => handlers.handleAll(all)))
  )
)
