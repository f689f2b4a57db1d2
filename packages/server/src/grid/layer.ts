import { Layer } from "effect"
import * as dispatches from "../dispatches/layer.ts"
import * as enrollments from "../enrollments/layer.ts"
import { MqttBrokers } from "../platform/device-networks/MqttBrokers.ts"
import { configuredOutbound } from "../platform/outbound/OutboundRules.ts"
import { SecretBox } from "../platform/secrets/SecretBox.ts"
import * as programs from "../programs/layer.ts"
import { GridConnections } from "./GridConnections.ts"
import { GridConnectionsRepository } from "./GridConnectionsRepository.ts"
import { GridHandlers } from "./GridHandlers.ts"
import { GridObjects } from "./GridObjects.ts"
import { GridObjectsRepository } from "./GridObjectsRepository.ts"
import { GridPlanner } from "./GridPlanner.ts"
import { GridPoller } from "./GridPoller.ts"
import { GridPollRunner } from "./GridPollRunner.ts"
import { GridBrokerRunner } from "./notifications/GridBrokerRunner.ts"
import { GridNotifications } from "./notifications/GridNotifications.ts"
import { NotificationHandlers } from "./notifications/NotificationHandlers.ts"
import { NotifierClient } from "./notifications/NotifierClient.ts"
import { GridReporting } from "./reports/GridReporting.ts"
import { GridReportMaker } from "./reports/GridReportMaker.ts"
import { VtnClient } from "./vtn-client/VtnClient.ts"

const repositories = Layer.merge(GridConnectionsRepository.layer, GridObjectsRepository.layer)

const client = VtnClient.layer.pipe(Layer.provide(configuredOutbound))

const notifications = GridNotifications.layer.pipe(
  Layer.provide(NotifierClient.layer.pipe(Layer.provide(client))),
  Layer.provide([repositories, SecretBox.layer])
)

const planning = GridPlanner.layer.pipe(
  Layer.provideMerge(repositories),
  Layer.provide([dispatches.layer, enrollments.layer])
)

const connections = GridConnections.layer.pipe(
  Layer.provideMerge(planning),
  Layer.provide([notifications, configuredOutbound, SecretBox.layer])
)

const reporting = GridReporting.layer.pipe(
  Layer.provide(GridReportMaker.layer),
  Layer.provide([dispatches.layer, dispatches.reports, enrollments.layer])
)

const polling = GridPollRunner.layer.pipe(
  Layer.provide(GridPoller.layer),
  Layer.provide(reporting),
  Layer.provide([client, notifications, planning, SecretBox.layer])
)

/** Holds the connections to brokers of VTNs. */
const brokers = GridBrokerRunner.layer.pipe(
  Layer.provide([client, notifications, repositories, MqttBrokers.layer, SecretBox.layer])
)

export const layer = Layer.merge(polling, brokers)

/** The address at which VTNs notify. */
export const routes = NotificationHandlers.pipe(Layer.provide(notifications))

export const handlers = GridHandlers.pipe(
  Layer.provide(GridObjects.layer),
  Layer.provide(connections),
  Layer.provide(programs.layer)
)
