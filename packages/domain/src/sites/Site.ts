import { Schema } from "effect"
import { Address } from "../shared/Address.ts"
import { Coordinates, CoordinatesInput } from "../shared/Coordinates.ts"
import { Cuid } from "../shared/Cuid.ts"
import { paging, Several } from "../shared/Page.ts"
import { Tag, Tags, Text } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"
import { Timezone } from "../shared/Timezone.ts"

const orNull = Schema.NullOr
const optional = Schema.optionalKey

export const Site = Schema.Struct({
  id: Cuid,
  workspaceId: Cuid,
  name: orNull(Schema.String),
  referenceId: orNull(Schema.String).annotate({ description: "Identifies the site in the caller's system" }),
  address: Address,
  location: orNull(Coordinates).annotate({ description: "null where the address could not be placed" }),
  timezone: orNull(Timezone),
  tags: Schema.Array(Schema.String),
  customerIds: Schema.Array(Cuid).annotate({ description: "Customers associated with the site" }),
  deviceCount: Schema.Int.annotate({ description: "Devices at the site" }),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "Site" })
export type Site = typeof Site.Type

export const CreateSite = Schema.Struct({
  name: optional(orNull(Text(1, 255))),
  referenceId: optional(orNull(Text(1, 1000))),
  address: Address,
  location: optional(
    orNull(CoordinatesInput).annotate({ description: "Given, the address is not looked up; out of range is INVALID_LOCATION" })
  ),
  timezone: optional(orNull(Timezone)),
  tags: optional(Tags)
}).annotate({
  identifier: "CreateSite",
  examples: [
    {
      name: "Home",
      referenceId: "home-1",
      address: { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" },
      timezone: "America/Los_Angeles"
    }
  ]
})
export type CreateSite = typeof CreateSite.Type

export const UpdateSite = Schema.Struct({
  name: optional(orNull(Text(1, 255))),
  referenceId: optional(orNull(Text(1, 1000))),
  address: optional(Address),
  location: optional(orNull(CoordinatesInput)),
  timezone: optional(orNull(Timezone)),
  tags: optional(Tags)
}).annotate({ identifier: "UpdateSite", examples: [{ name: "Home", tags: ["pilot"] }] })
export type UpdateSite = typeof UpdateSite.Type

export const SiteFilters = {
  ...paging(),
  referenceId: optional(Text(1, 1000)),
  customerId: optional(Text(1, 100)),
  state: optional(Text(1, 100).annotate({ description: "As in the address; in the USA code or name" })),
  postalCode: optional(Text(1, 20)),
  tag: optional(Several(Tag)),
  q: optional(Text(1, 255).annotate({ description: "Beginning of the name or of the first street line, any case" }))
}
