import { Schema } from "effect"
import { quantity } from "../devices/quantities.ts"
import { Timestamp } from "../shared/Timestamps.ts"

export const weatherConditions = [
  "clear",
  "mostly_clear",
  "partly_cloudy",
  "overcast",
  "fog",
  "drizzle",
  "freezing_drizzle",
  "rain",
  "freezing_rain",
  "snow",
  "thunderstorm",
  "hail",
  "unknown"
] as const

/** The weather at a place, now. */
export const Weather = Schema.Struct({
  temperature: quantity("Air temperature, degrees Fahrenheit"),
  condition: Schema.Literals(weatherConditions).annotate({ description: "What it is like" }),
  cloudCover: quantity("Share of the sky that clouds cover, percent", { minimum: 0, maximum: 100 }),
  windSpeed: quantity("Wind speed, miles per hour", { minimum: 0 }),
  observedAt: Timestamp
}).annotate({
  identifier: "Weather",
  description: "The weather at a place",
  examples: [
    {
      temperature: 61.3,
      condition: "partly_cloudy",
      cloudCover: 45,
      windSpeed: 7.4,
      observedAt: "2026-03-01T12:00:00.000Z"
    }
  ]
})
export type Weather = typeof Weather.Type
