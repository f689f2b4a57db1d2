import { Layer } from "effect"
import * as accounts from "../accounts/layer.ts"
import * as alerts from "../alerts/layer.ts"
import * as apiKeys from "../api-keys/layer.ts"
import * as audit from "../audit/layer.ts"
import * as collections from "../collections/layer.ts"
import * as commands from "../commands/layer.ts"
import * as connections from "../connections/layer.ts"
import * as dashboard from "../dashboard/layer.ts"
import * as destinations from "../destinations/layer.ts"
import * as deviceModels from "../device-models/layer.ts"
import * as devices from "../devices/layer.ts"
import * as dispatches from "../dispatches/layer.ts"
import * as enrollments from "../enrollments/layer.ts"
import * as events from "../events/layer.ts"
import * as grid from "../grid/layer.ts"
import * as homeAssistant from "../home-assistant/layer.ts"
import * as metrics from "../metrics/layer.ts"
import * as moves from "../moves/layer.ts"
import * as programs from "../programs/layer.ts"
import * as readings from "../readings/layer.ts"
import * as schedules from "../schedules/layer.ts"
import * as sites from "../sites/layer.ts"
import * as vtn from "../vtn/layer.ts"
import { Instances } from "../platform/observability/Instances.ts"

/** Services that later slices provide for earlier ones. */
export const ports = Layer.mergeAll(devices.ports, dispatches.ports, metrics.ports, readings.ports, vtn.ports).pipe(
  Layer.provideMerge(Layer.mergeAll(apiKeys.ports, collections.ports, deviceModels.ports, sites.ports))
)

/**
 * The services of a process, in every role. The server, the inbound connections and the workers are provided with this Layer, so
 * that each service is built once: `HttpRouter.serve` builds in a memo map of its own, which shares only what was built before.
 */
export const services = Layer.mergeAll(
  Layer.mergeAll(accounts.layer, alerts.layer, audit.layer, collections.layer, connections.layer),
  Layer.mergeAll(commands.layer, commands.running, deviceModels.layer, destinations.layer, devices.layer),
  Layer.mergeAll(dispatches.layer, enrollments.layer, events.layer, grid.layer, metrics.layer, programs.layer),
  Layer.mergeAll(homeAssistant.layer, homeAssistant.running, readings.layer, readings.writing, schedules.layer),
  Layer.mergeAll(dashboard.sessions, dashboard.streams, moves.layer, vtn.layer, Instances.layer)
).pipe(Layer.provideMerge(ports))
