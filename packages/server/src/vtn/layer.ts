import { Layer } from "effect"
import * as apiKeys from "../api-keys/layer.ts"
import * as audit from "../audit/layer.ts"
import * as dispatches from "../dispatches/layer.ts"
import { MqttBrokers } from "../platform/device-networks/MqttBrokers.ts"
import { configuredOutbound } from "../platform/outbound/OutboundRules.ts"
import { SecretBox } from "../platform/secrets/SecretBox.ts"
import * as programs from "../programs/layer.ts"
import { OpenAdrClients } from "./clients/OpenAdrClients.ts"
import { SiteResources } from "./enrolled-sites/SiteResources.ts"
import { VenScopesLive } from "./enrolled-sites/VenScopesLive.ts"
import { BrokerPublisher } from "./notifications/BrokerPublisher.ts"
import { Callbacks } from "./notifications/Callbacks.ts"
import { NotificationRunner } from "./notifications/NotificationRunner.ts"
import { Notifications } from "./notifications/Notifications.ts"
import { Subscriptions } from "./notifications/Subscriptions.ts"
import { VtnObjects } from "./objects/VtnObjects.ts"
import { OpenAdrHandlers } from "./OpenAdrHandlers.ts"
import { Publications } from "./publications/Publications.ts"
import { VtnHandlers } from "./VtnHandlers.ts"

const outside = Layer.mergeAll(configuredOutbound, MqttBrokers.layer, SecretBox.layer)

const objects = VtnObjects.layer.pipe(Layer.provide([Callbacks.layer, Notifications.layer]), Layer.provide(outside))

const siteResources = SiteResources.layer.pipe(Layer.provide(objects))

export const layer = Publications.layer.pipe(
  Layer.provide([dispatches.layer, programs.layer]),
  Layer.provideMerge(objects),
  Layer.merge(Layer.mergeAll(siteResources, NotificationRunner.layer, BrokerPublisher.layer, Subscriptions.layer)),
  Layer.provide(outside)
)

/** The implementation of the port of API keys. */
export const ports = VenScopesLive.pipe(Layer.provide(siteResources))

const clients = OpenAdrClients.layer.pipe(Layer.provide([apiKeys.layer, audit.layer]))

export const handlers = OpenAdrHandlers.pipe(Layer.provide(layer))

/** The routes of the OpenADR server. */
export const routes = VtnHandlers.pipe(Layer.provide([layer, clients]))
