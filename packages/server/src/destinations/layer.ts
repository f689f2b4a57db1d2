import { Layer } from "effect"
import * as audit from "../audit/layer.ts"
import * as devices from "../devices/layer.ts"
import * as events from "../events/layer.ts"
import * as manufacturers from "../manufacturers/layer.ts"
import { MailRelay } from "../platform/mail/MailRelay.ts"
import { configuredOutbound } from "../platform/outbound/OutboundRules.ts"
import { SecretBox } from "../platform/secrets/SecretBox.ts"
import { configuredWeather } from "../platform/weather/WeatherProvider.ts"
import * as sites from "../sites/layer.ts"
import * as workspaces from "../workspaces/layer.ts"
import { Deliveries } from "./delivery/Deliveries.ts"
import { DeliveryRunner } from "./delivery/DeliveryRunner.ts"
import { Destinations } from "./Destinations.ts"
import { DestinationOverviews } from "./DestinationOverviews.ts"
import { DestinationOverviewsHandlers, DestinationsHandlers } from "./DestinationsHandlers.ts"
import { FanOut } from "./delivery/FanOut.ts"
import { EventWeather } from "./delivery/EventWeather.ts"
import { ManufacturerCommands } from "./delivery/ManufacturerCommands.ts"
import { HourlyCaps } from "./delivery/HourlyCaps.ts"
import { EmailSender } from "./senders/EmailSender.ts"
import { KafkaSender } from "./senders/KafkaSender.ts"
import { ManufacturerCommandSender, WebhookSender } from "./senders/WebhookSender.ts"
import { Senders } from "./senders/Senders.ts"
import { SmsSender } from "./senders/SmsSender.ts"
import { DestinationSecrets } from "./DestinationSecrets.ts"

const senders = Senders.layer.pipe(
  Layer.provide([
    EmailSender.layer.pipe(Layer.provide(MailRelay.layer)),
    SmsSender.layer,
    KafkaSender.layer,
    ManufacturerCommandSender.layer
  ]),
  Layer.provide(WebhookSender.layer)
)

const weather = EventWeather.layer.pipe(Layer.provide([devices.layer, sites.layer, configuredWeather]))

export const layer = Layer.mergeAll(
  Destinations.layer,
  Deliveries.layer,
  FanOut.layer,
  DeliveryRunner.layer,
  ManufacturerCommands.layer
).pipe(
  Layer.provide([DestinationSecrets.layer, HourlyCaps.layer, weather, senders]),
  Layer.provide([configuredOutbound, SecretBox.layer]),
  Layer.provide([events.layer, manufacturers.layer, workspaces.layer, audit.layer])
)

export const handlers = DestinationsHandlers.pipe(Layer.provide(layer))

const overviews = DestinationOverviews.layer.pipe(
  Layer.provide(DestinationSecrets.layer),
  Layer.provide([SecretBox.layer, events.layer, audit.layer])
)

export const dashboardHandlers = DestinationOverviewsHandlers.pipe(Layer.provide(overviews))
