import { Layer } from "effect"
import * as audit from "../audit/layer.ts"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import * as workspaces from "../workspaces/layer.ts"
import { AlertConfigurationHandlers, AlertsHandlers } from "./AlertsHandlers.ts"
import { AlertConfigurations } from "./AlertConfigurations.ts"
import { Alerts } from "./Alerts.ts"
import { RaisedAlerts } from "./RaisedAlerts.ts"
import { SilenceWatch } from "./SilenceWatch.ts"

/** Which alerts a workspace lists. */
export const configurations = AlertConfigurations.layer.pipe(Layer.provide([audit.layer, workspaces.layer]))

export const services = Alerts.layer.pipe(Layer.provide([EventOutbox.layer, configurations]))

/** Alerts that the platform raises. */
export const layer = SilenceWatch.layer.pipe(Layer.provideMerge(RaisedAlerts.layer), Layer.provide(EventOutbox.layer))

export const handlers = AlertsHandlers.pipe(Layer.provide(services))

export const dashboardHandlers = AlertConfigurationHandlers.pipe(Layer.provide(configurations))
