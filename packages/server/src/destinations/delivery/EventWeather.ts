import type { Event } from "@edp/domain/events/Event"
import type { Coordinates } from "@edp/domain/shared/Address"
import type { Weather } from "@edp/domain/sites/Site"
import { Cache, Context, Effect, Exit, Layer } from "effect"
import { Devices } from "../../devices/Devices.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { WeatherProvider } from "../../platform/weather/WeatherProvider.ts"
import { Sites } from "../../sites/Sites.ts"

interface EventLocation {
  readonly location?: Coordinates | null
  readonly siteId?: string | null
  readonly deviceId?: string
}

/** The site of an event: its location, or only its id, or the device whose site it is. */
const findLocation = ({ data }: Pick<Event, "data">): EventLocation => {
  if ("site" in data && data.site !== null) return { location: data.site.location, siteId: data.site.id }
  if ("command" in data) return { deviceId: data.deviceId }
  if ("alert" in data) return { siteId: data.alert.siteId }
  if ("enrollment" in data) return { siteId: data.enrollment.siteId }
  if ("session" in data) return { siteId: data.session?.siteId ?? null }
  return {}
}

/** The weather at a location is fetched once in this time; after a failure, once a minute. */
const FRESH = "10 minutes"
const UNKNOWN = "1 minute"
const PLACES = 10_000

/** Adds the weather at their sites to events. */
export class EventWeather extends Context.Service<
  EventWeather,
  {
    /** The event with `data.weather`: the current weather at its site, or null where it has no site or the weather is unknown. */
    readonly withWeather: (event: Event) => Effect.Effect<Event, DatabaseUnavailable>
  }
>()("@edp/server/destinations/EventWeather") {
  static readonly layer = Layer.effect(
    EventWeather,
    Effect.gen(function* () {
      const devices = yield* Devices
      const sites = yield* Sites
      const provider = yield* WeatherProvider

      const known = yield* Cache.makeWith(
        (coordinates: string) => provider.current(JSON.parse(coordinates) as Coordinates),
        {
          capacity: PLACES,
          timeToLive: (exit) => (Exit.isSuccess(exit) && exit.value !== null ? FRESH : UNKNOWN)
        }
      )

      const readWeather = Effect.fnUntraced(function* (event: Event) {
        const {
          deviceId,
          location,
          siteId = deviceId && (yield* devices.load([deviceId]))[0]?.siteId
        } = findLocation(event)
        const coordinates = location ?? (siteId && (yield* sites.byIds(event.workspaceId, [siteId]))[0]?.location)
        if (!coordinates) return null
        const { latitude, longitude } = coordinates
        return yield* Cache.get(known, JSON.stringify({ latitude, longitude }))
      })

      return {
        withWeather: Effect.fn("EventWeather.withWeather")(function* (event) {
          const weather: Weather | null = yield* readWeather(event)
          return Object.assign({}, event, { data: { ...event.data, weather } })
        })
      }
    })
  )
}
