import { Schema } from "effect"
import { patchOf } from "./patchOf.ts"
import { Text } from "./Text.ts"

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

export const AddressPatch = patchOf(lines).annotate({
  identifier: "AddressPatch",
  description: "Changes to a postal address: what is left out stays, and null takes a line away",
  examples: [{ streetTwo: "Apt 5" }]
})
