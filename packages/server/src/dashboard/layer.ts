import { Effect, Layer } from "effect"
import * as accounts from "../accounts/layer.ts"
import * as alerts from "../alerts/layer.ts"
import * as apiKeys from "../api-keys/layer.ts"
import * as audit from "../audit/layer.ts"
import * as connections from "../connections/layer.ts"
import * as events from "../events/layer.ts"
import * as metrics from "../metrics/layer.ts"
import { Backlogs } from "./health/Backlogs.ts"
import { Instances } from "../platform/observability/Instances.ts"
import {
  AnnotationsHandlers,
  DeviceConnectionsHandlers,
  FleetHandlers,
  ListedAlertsHandlers,
  NamesHandlers,
  OpenAdrServerHandlers,
  OverviewHandlers,
  SavedFiltersHandlers,
  SystemHealthHandlers
} from "./DashboardHandlers.ts"
import { FleetCountsRepository } from "./fleet/FleetCountsRepository.ts"
import { FleetRepository } from "./fleet/FleetRepository.ts"
import { Fleets } from "./fleet/Fleets.ts"
import { OverviewRepository } from "./overview/OverviewRepository.ts"
import { Overviews } from "./overview/Overviews.ts"
import { LiveStreams } from "./stream/LiveStreams.ts"
import { SessionAuthenticator } from "./sessions/SessionAuthenticator.ts"
import { Sessions } from "./sessions/Sessions.ts"
import { SessionsHandlers } from "./SessionsHandlers.ts"
import { SignInHandlers } from "./SignInHandlers.ts"
import { SavedFilters } from "./SavedFilters.ts"
import { StreamHandlers } from "./StreamHandlers.ts"
import { SystemHealth } from "./health/SystemHealth.ts"

/** Signs browsers in and out. */
export const sessions = Sessions.layer.pipe(
  Layer.provide([apiKeys.layer, apiKeys.services, connections.ofMakers, audit.layer])
)

/** Authenticates the requests of signed-in browsers. */
export const authentication = SessionAuthenticator.layer

export const streams = LiveStreams.layer.pipe(Layer.provide([alerts.services, events.layer]))

/** Ends the streams when it closes. */
export const streamsEnd = Layer.effectDiscard(
  Effect.flatMap(LiveStreams, ({ endAll }) => Effect.addFinalizer(() => endAll))
).pipe(Layer.provide(streams))

const health = SystemHealth.layer.pipe(Layer.provide([accounts.layer, Backlogs.layer, Instances.layer]))

const fleets = Fleets.layer.pipe(
  Layer.provide([FleetRepository.layer, FleetCountsRepository.layer, alerts.configurations])
)

const overviews = Overviews.layer.pipe(
  Layer.provide([OverviewRepository.layer, alerts.configurations, metrics.services])
)

const savedFilters = SavedFilters.layer.pipe(Layer.provide(audit.layer))

export const dashboardHandlers = Layer.mergeAll(
  Layer.merge(SessionsHandlers, SignInHandlers).pipe(Layer.provide(sessions)),
  StreamHandlers.pipe(Layer.provide(streams)),
  SystemHealthHandlers.pipe(Layer.provide(health)),
  AnnotationsHandlers.pipe(Layer.provide(alerts.configurations)),
  OverviewHandlers.pipe(Layer.provide(overviews)),
  FleetHandlers.pipe(Layer.provide(fleets)),
  SavedFiltersHandlers.pipe(Layer.provide(savedFilters)),
  NamesHandlers,
  OpenAdrServerHandlers,
  DeviceConnectionsHandlers,
  ListedAlertsHandlers.pipe(Layer.provide(alerts.services))
)
