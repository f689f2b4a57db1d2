import { Layer } from "effect"
import { configuredGeocoder } from "../platform/locations/Geocoder.ts"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import { configuredWeather } from "../platform/weather/WeatherProvider.ts"
import * as workspaces from "../workspaces/layer.ts"
import { CustomerSitesLive, Sites } from "./Sites.ts"
import { SiteLocations } from "./SiteLocations.ts"
import { SitesHandlers } from "./SitesHandlers.ts"

/** Needs `DevicesOfSite`, which devices provide. */
export const layer = Layer.merge(Sites.layer, SiteLocations.layer).pipe(
  Layer.provide(EventOutbox.layer),
  Layer.provide([configuredGeocoder, configuredWeather, workspaces.layer])
)

/** The implementation of the port of customers. */
export const ports = CustomerSitesLive

export const handlers = SitesHandlers.pipe(Layer.provide([layer, configuredGeocoder, EventOutbox.layer]))
