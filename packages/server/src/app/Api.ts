import { Api } from "@edp/domain/Api"
import { DashboardApi } from "@edp/domain/DashboardApi"
import { Layer, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as accounts from "../accounts/layer.ts"
import * as alerts from "../alerts/layer.ts"
import * as apiKeys from "../api-keys/layer.ts"
import * as audit from "../audit/layer.ts"
import * as collections from "../collections/layer.ts"
import * as commands from "../commands/layer.ts"
import * as connections from "../connections/layer.ts"
import * as customers from "../customers/layer.ts"
import * as dashboard from "../dashboard/layer.ts"
import * as destinations from "../destinations/layer.ts"
import * as deviceModels from "../device-models/layer.ts"
import * as devices from "../devices/layer.ts"
import * as dispatches from "../dispatches/layer.ts"
import * as enrollments from "../enrollments/layer.ts"
import * as grid from "../grid/layer.ts"
import * as events from "../events/layer.ts"
import * as homeAssistant from "../home-assistant/layer.ts"
import * as manufacturers from "../manufacturers/layer.ts"
import * as metrics from "../metrics/layer.ts"
import * as moves from "../moves/layer.ts"
import * as products from "../products/layer.ts"
import * as programs from "../programs/layer.ts"
import * as readings from "../readings/layer.ts"
import * as schedules from "../schedules/layer.ts"
import * as search from "../search/layer.ts"
import * as sites from "../sites/layer.ts"
import * as vtn from "../vtn/layer.ts"
import * as workspaces from "../workspaces/layer.ts"
import { Backlogs } from "../dashboard/health/Backlogs.ts"
import { UnreadResponses } from "../platform/observability/UnreadResponses.ts"
import { DashboardPage } from "./DashboardPage.ts"
import { Docs } from "./Docs.ts"
import { HealthLive } from "./Health.ts"
import { MetricsLive } from "./MetricsEndpoint.ts"
import { boundary } from "./middleware/boundary.ts"
import { layer as middleware } from "./middleware/layer.ts"
import { ports } from "./services.ts"
import { UnreadableRequests } from "./UnreadableRequests.ts"
import { HttpRouter } from "effect/http"
import { Adapters } from "../accounts/adapter-hosts/Adapters.ts"

/** Pages and endpoints that adapters serve, outside of the API. */
export const AdapterRoutes = HttpRouter.use((router) =>
  Effect.flatMap(Adapters, ({ running }) =>
    Effect.forEach(
      running.flatMap(({ instance }) => instance.routes ?? []),
      ({ handle, method, path }) => router.add(method, path, handle),
      { discard: true }
    )
  )
).pipe(Layer.provide(accounts.layer))

const handlers = Layer.mergeAll(
  audit.handlers,
  workspaces.handlers,
  apiKeys.handlers,
  manufacturers.handlers,
  deviceModels.handlers,
  customers.handlers,
  sites.handlers,
  devices.handlers,
  readings.handlers,
  alerts.handlers,
  metrics.handlers,
  collections.handlers,
  events.handlers,
  destinations.handlers,
  products.handlers,
  connections.handlers,
  commands.handlers,
  homeAssistant.handlers,
  schedules.handlers,
  programs.handlers,
  enrollments.handlers,
  dispatches.handlers,
  grid.handlers,
  search.handlers,
  vtn.handlers
)

const dashboardHandlers = Layer.mergeAll(
  alerts.dashboardHandlers,
  readings.dashboardHandlers,
  connections.dashboardHandlers,
  destinations.dashboardHandlers,
  accounts.dashboardHandlers,
  dashboard.dashboardHandlers,
  schedules.dashboardHandlers,
  moves.dashboardHandlers
)

const metricsEndpoint = MetricsLive.pipe(Layer.provide([audit.layer, apiKeys.layer, Backlogs.layer]))

/** All routes, inside the boundary. */
export const HttpApp = Layer.mergeAll(
  HttpApiBuilder.layer(Api).pipe(Layer.provide(handlers)),
  HttpApiBuilder.layer(DashboardApi).pipe(Layer.provide(dashboardHandlers)),
  readings.aliases,
  commands.aliases,
  UnreadableRequests,
  AdapterRoutes,
  connections.pages,
  enrollments.pages,
  grid.routes,
  vtn.routes,
  Docs.layer,
  DashboardPage.layer,
  HealthLive,
  metricsEndpoint
).pipe(Layer.provide([middleware, boundary.pipe(Layer.provide(UnreadResponses.layer))]), Layer.provide(ports))
