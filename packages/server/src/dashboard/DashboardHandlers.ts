import { CurrentKey } from "@edp/domain/auth/Authentication"
import { DashboardApi } from "@edp/domain/DashboardApi"
import { Effect, Stream } from "effect"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { SystemHealth } from "./health/SystemHealth.ts"
import { DeviceConnections } from "./DeviceConnections.ts"
import { ListedAlerts } from "./ListedAlerts.ts"
import { Annotations } from "./annotations/Annotations.ts"
import { Overviews } from "./overview/Overviews.ts"
import { Names } from "./Names.ts"
import { OpenAdrServers } from "./openadr/OpenAdrServers.ts"
import { SavedFilters } from "./SavedFilters.ts"
import { HttpServerResponse } from "effect/http"
import { Fleets } from "./fleet/Fleets.ts"

export const SystemHealthHandlers = groupHandlers(
  DashboardApi,
  "health",
  Effect.fn(function* (handlers) {
    const health = yield* SystemHealth
    return handlers.handleAll({ get: () => Effect.flatMap(CurrentKey, (caller) => health.get(caller)) })
  })
)

export const AnnotationsHandlers = groupHandlers(
  DashboardApi,
  "annotations",
  Effect.fn(function* (handlers) {
    const annotations = yield* Annotations
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentKey, (caller) => annotations.list(caller, query))
    })
  })
)

export const NamesHandlers = groupHandlers(
  DashboardApi,
  "names",
  Effect.fn(function* (handlers) {
    const names = yield* Names
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentKey, (caller) => names.list(caller, query))
    })
  })
)

export const OpenAdrServerHandlers = groupHandlers(
  DashboardApi,
  "openAdrServer",
  Effect.fn(function* (handlers) {
    const servers = yield* OpenAdrServers
    return handlers.handleAll({
      get: () => Effect.flatMap(CurrentKey, (caller) => servers.get(caller)),
      clients: ({ query }) => Effect.flatMap(CurrentKey, (caller) => servers.clients(caller, query))
    })
  })
)

export const DeviceConnectionsHandlers = groupHandlers(
  DashboardApi,
  "deviceConnections",
  Effect.fn(function* (handlers) {
    const connections = yield* DeviceConnections
    return handlers.handleAll({
      get: ({ params }) => Effect.flatMap(CurrentKey, (caller) => connections.get(caller, params.id))
    })
  })
)

export const ListedAlertsHandlers = groupHandlers(
  DashboardApi,
  "listedAlerts",
  Effect.fn(function* (handlers) {
    const alerts = yield* ListedAlerts
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentKey, (caller) => alerts.list(caller, query))
    })
  })
)

export const SavedFiltersHandlers = groupHandlers(
  DashboardApi,
  "savedFilters",
  Effect.fn(function* (handlers) {
    const filters = yield* SavedFilters
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentKey, (caller) => filters.list(caller, query)),
      create: ({ payload }) => Effect.flatMap(CurrentKey, (caller) => filters.create(caller, payload)),
      get: ({ params }) => Effect.flatMap(CurrentKey, (caller) => filters.get(caller, params.id)),
      update: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => filters.update(caller, params.id, payload)),
      remove: ({ params }) => Effect.flatMap(CurrentKey, (caller) => filters.remove(caller, params.id))
    })
  })
)

export const OverviewHandlers = groupHandlers(
  DashboardApi,
  "overview",
  Effect.fn(function* (handlers) {
    const overviews = yield* Overviews
    return handlers.handleAll({
      get: () => Effect.flatMap(CurrentKey, (caller) => overviews.get(caller)),
      energy: () => Effect.flatMap(CurrentKey, (caller) => overviews.energy(caller))
    })
  })
)

export const FleetHandlers = groupHandlers(
  DashboardApi,
  "fleet",
  Effect.fn(function* (handlers) {
    const fleets = yield* Fleets
    return handlers.handleAll({
      get: ({ query }) => Effect.flatMap(CurrentKey, (caller) => fleets.count(caller, query)),
      devices: ({ query }) => Effect.flatMap(CurrentKey, (caller) => fleets.devices(caller, query)),
      csv: ({ query }) =>
        Effect.gen(function* () {
          const { leftOut, text } = yield* fleets.csv(yield* CurrentKey, query)
          return HttpServerResponse.stream(Stream.encodeText(text), {
            contentType: "text/csv",
            headers: {
              "content-disposition": 'attachment; filename="devices.csv"',
              ...(leftOut > 0 && { "x-left-out": String(leftOut) })
            }
          })
        }),
      map: ({ query }) => Effect.flatMap(CurrentKey, (caller) => fleets.map(caller, query))
    })
  })
)
