import { Schema } from "effect"
import { Text } from "./Text.ts"

type Fields = Readonly<Record<string, Schema.Codec<unknown, unknown>>>

/** The merge patch of an object: any of its fields, or null to remove one. The merged object is validated afterwards. */
export const makePatch = <F extends Fields>(fields: F) =>
  Schema.Struct(
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, Schema.optionalKey(Schema.NullOr(field))])
    ) as { readonly [Name in keyof F]: Schema.optionalKey<Schema.NullOr<F[Name]>> }
  )

const degrees = (limit: number) => {
  const message = `Must be a number of degrees from ${-limit} to ${limit}`
  return Schema.Number.annotate({ message }).check(
    Schema.isFinite({ message }),
    Schema.isBetween({ minimum: -limit, maximum: limit }, { message })
  )
}

/** A location in degrees, WGS 84. */
export const Coordinates = Schema.Struct({
  latitude: degrees(90).annotate({ description: "Degrees north, -90 to 90" }),
  longitude: degrees(180).annotate({ description: "Degrees east, -180 to 180" })
}).annotate({
  identifier: "Coordinates",
  description: "A location, WGS 84",
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

/** Input coordinates. A pair out of range is INVALID_LOCATION, not VALIDATION_ERROR, so the range is checked later. */
export const CoordinatesInput = Schema.Struct(pair).annotate({
  identifier: "CoordinatesInput",
  description: "A location, WGS 84",
  examples: [{ latitude: 38.5767, longitude: -121.4934 }]
})

export const CoordinatesPatch = makePatch(pair).annotate({
  identifier: "CoordinatesPatch",
  description: "Changes to a location: an absent coordinate is unchanged",
  examples: [{ latitude: 38.5767, longitude: -121.4934 }]
})

const lines = {
  streetOne: Text(1, 255).annotate({ description: "First street line" }),
  streetTwo: Text(0, 255).annotate({ description: "Second street line" }),
  city: Text(1, 100).annotate({ description: "City or town" }),
  state: Text(1, 100).annotate({ description: "State, province or region; in the USA its code or name" }),
  postalCode: Text(1, 20).annotate({ description: "Postal code; in the USA 5 digits or ZIP+4" }),
  country: Text(1, 100).annotate({ description: "Country", default: "USA" })
}

/** A postal address. */
export const Address = Schema.Struct({
  ...lines,
  streetTwo: Schema.optionalKey(lines.streetTwo),
  country: Schema.optionalKey(lines.country)
}).annotate({
  identifier: "Address",
  description: "A postal address",
  examples: [{ streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814", country: "USA" }]
})
export type Address = typeof Address.Type

export const AddressPatch = makePatch(lines).annotate({
  identifier: "AddressPatch",
  description: "Changes to a postal address: an absent line is unchanged, null removes it",
  examples: [{ streetTwo: "Apt 5" }]
})
