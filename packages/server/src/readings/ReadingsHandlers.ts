import { Api } from "@edp/domain/Api"
import { DashboardApi } from "@edp/domain/DashboardApi"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import type {
  ProvisionDevice,
  PushBulkTelemetry,
  PushTelemetry
} from "@edp/domain/direct-integration/DirectIntegration"
import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiBuilder } from "effect/http-api"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { ReadingPages } from "./history/ReadingPages.ts"
import { BulkTelemetryPush } from "./ingest/BulkTelemetryPush.ts"
import { Provisioning } from "./ingest/Provisioning.ts"
import { type Pushed, TelemetryPush, pushedText } from "./ingest/TelemetryPush.ts"
import { KeptReadings } from "./retention/KeptReadings.ts"
import { WorkspaceRetentions } from "./retention/WorkspaceRetentions.ts"

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

export const KeptReadingsHandlers = groupHandlers(
  DashboardApi,
  "keptReadings",
  Effect.fn(function* (handlers) {
    const kept = yield* KeptReadings
    return handlers.handleAll({ get: () => Effect.flatMap(CurrentKey, kept.describe) })
  })
)

export const ReadingPagesHandlers = groupHandlers(
  DashboardApi,
  "readingPages",
  Effect.fn(function* (handlers) {
    const pages = yield* ReadingPages
    return handlers.handleAll({
      read: ({ payload }) => Effect.flatMap(CurrentKey, (caller) => pages.read(caller, payload))
    })
  })
)

export const ReadingRetentionHandlers = groupHandlers(
  DashboardApi,
  "readingRetention",
  Effect.fn(function* (handlers) {
    const retentions = yield* WorkspaceRetentions
    return handlers.handleAll({
      get: ({ params }) => Effect.flatMap(CurrentKey, (caller) => retentions.get(caller, params.id)),
      save: ({ params, payload }) => Effect.flatMap(CurrentKey, (caller) => retentions.save(caller, params.id, payload))
    })
  })
)
