import { Schema } from "effect"
import { Text } from "./Text.ts"

/** A postal address. */
export const Address = Schema.Struct({
  streetOne: Text(1, 255).annotate({ description: "First street line" }),
  streetTwo: Schema.optionalKey(Text(0, 255).annotate({ description: "Second street line" })),
  city: Text(1, 100).annotate({ description: "City or town" }),
  state: Text(1, 100).annotate({ description: "State, province or region; in the USA its code or name" }),
  postalCode: Text(1, 20).annotate({ description: "Postal code; in the USA 5 digits or ZIP+4" }),
  country: Schema.optionalKey(Text(1, 100).annotate({ description: "Country", default: "USA" }))
}).annotate({
  identifier: "Address",
  description: "A postal address",
  examples: [{ streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814", country: "USA" }]
})
export type Address = typeof Address.Type
