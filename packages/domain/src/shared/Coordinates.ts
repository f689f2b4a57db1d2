import { Schema } from "effect"
import { patchOf } from "./patchOf.ts"

const degrees = (limit: number) => {
  const message = `Must be a number of degrees from ${-limit} to ${limit}`
  return Schema.Number.annotate({ message }).check(
    Schema.isFinite({ message }),
    Schema.isBetween({ minimum: -limit, maximum: limit }, { message })
  )
}

/** A place on the earth in degrees, WGS 84. */
export const Coordinates = Schema.Struct({
  latitude: degrees(90).annotate({ description: "Degrees north, -90 to 90" }),
  longitude: degrees(180).annotate({ description: "Degrees east, -180 to 180" })
}).annotate({
  identifier: "Coordinates",
  description: "A place on the earth, WGS 84",
  examples: [{ latitude: 38.5767, longitude: -121.4934 }]
})
export type Coordinates = typeof Coordinates.Type

const number = Schema.Number.annotate({ message: "Must be a number" }).check(
  Schema.isFinite({ message: "Must be a number" })
)

const pair = {
  latitude: number.annotate({ description: "Degrees north, -90 to 90" }),
  longitude: number.annotate({ description: "Degrees east, -180 to 180" })
}

/** Coordinates as a caller sends them: a pair out of range is answered INVALID_LOCATION, so the range is checked later. */
export const CoordinatesInput = Schema.Struct(pair).annotate({
  identifier: "CoordinatesInput",
  description: "A place on the earth, WGS 84",
  examples: [{ latitude: 38.5767, longitude: -121.4934 }]
})

export const CoordinatesPatch = patchOf(pair).annotate({
  identifier: "CoordinatesPatch",
  description: "Changes to a place on the earth: what is left out stays",
  examples: [{ latitude: 38.5767, longitude: -121.4934 }]
})
