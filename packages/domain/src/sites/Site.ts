import { Schema } from "effect"
import { BulkFailure, bulkCounts, bulkIndex, bulkItems, bulkResults } from "../errors/Bulk.ts"
import { Address, AddressPatch, Coordinates, CoordinatesInput, CoordinatesPatch } from "../shared/Address.ts"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { Several, SeveralReferences, paging } from "../shared/Page.ts"
import { StoredText, TAGS_LIMIT, Tag, Tags, Text } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"
import { Timezone, timezoneInput } from "../shared/Timezone.ts"
import { documents } from "../shared/documents.ts"
import { oneOf, quantity } from "../shared/quantities.ts"

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

/** The current weather at a location. */
export const Weather = Schema.Struct({
  temperature: quantity("Air temperature, degrees Fahrenheit"),
  condition: Schema.Literals(weatherConditions).annotate({ description: "Weather condition" }),
  cloudCover: quantity("Cloud cover, percent", { minimum: 0, maximum: 100 }),
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

const orNull = Schema.NullOr
const optional = Schema.optionalKey

const maxImportW =
  "Power that schedules and dispatches may ask of the site's charging devices together, W; null is without limit"
const maxExportW =
  "Power that schedules and dispatches may ask of the site's batteries to discharge with the grid, together, W; null is without limit"

/** Events that were stored before sites had limits lack them. */
const limitShown = (description: string) =>
  optional(orNull(Schema.Finite.check(documents({ minimum: 0 })))).annotateKey({ description })
const limitInput = (description: string) =>
  optional(orNull(quantity(description, { minimum: 0 })).annotate({ description }))

export const Site = Schema.Struct({
  id: Cuid,
  workspaceId: Cuid.annotate({ description: "The workspace of the key", examples: [exampleIds.workspace] }),
  name: orNull(StoredText(255)).annotate({ description: "Display name" }),
  referenceId: orNull(StoredText(1000)).annotate({ description: "Identifier of the site in the caller's system" }),
  address: Address,
  location: orNull(Coordinates).annotate({ description: "Coordinates of the site; null if unknown" }),
  timezone: orNull(Timezone).annotate({ description: "IANA time zone; null means the workspace's" }),
  tags: Schema.Array(StoredText(100))
    .check(documents({ maxItems: TAGS_LIMIT }))
    .annotate({ description: "Labels for grouping sites" }),
  maxImportW: limitShown(maxImportW),
  maxExportW: limitShown(maxExportW),
  customerIds: Schema.Array(Cuid).annotate({ description: "Customers associated with the site, newest first" }),
  deviceCount: Schema.Int.check(documents({ minimum: 0 })).annotate({ description: "Number of devices at the site" }),
  weather: optional(orNull(Weather)).annotateKey({
    description: "Only with `include=weather`: the current weather at the site; null if it is unknown"
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({
  identifier: "Site",
  description: "A physical location of devices",
  examples: [
    {
      id: exampleIds.site,
      workspaceId: exampleIds.workspace,
      name: "Home",
      referenceId: "home-1",
      address: { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814", country: "USA" },
      location: { latitude: 38.5767, longitude: -121.4934 },
      timezone: "America/Los_Angeles",
      tags: ["pilot"],
      maxImportW: 11_000,
      maxExportW: null,
      customerIds: [],
      deviceCount: 2,
      createdAt: "2026-03-01T12:00:00.000Z",
      updatedAt: "2026-03-01T12:00:00.000Z"
    }
  ]
})
export type Site = typeof Site.Type

const name = orNull(Text(1, 255)).annotate({ description: "Display name" })
const referenceId = orNull(Text(1, 1000)).annotate({ description: "Identifier of the site in the caller's system" })
const location = orNull(CoordinatesInput).annotate({
  description: "Coordinates of the site; if given, the address is not geocoded. Out of range is INVALID_LOCATION"
})
const timezone = orNull(timezoneInput()).annotate({
  description: "IANA time zone, case-insensitive; null means the workspace's"
})

export const CreateSite = Schema.Struct({
  name: optional(name),
  referenceId: optional(referenceId),
  address: Address,
  location: optional(location),
  timezone: optional(timezone),
  tags: optional(Tags),
  maxImportW: limitInput(maxImportW),
  maxExportW: limitInput(maxExportW),
  customerId: optional(Text(1, 100).annotate({ description: "A customer of the workspace to associate the site with" }))
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
  name: optional(name),
  referenceId: optional(referenceId),
  address: optional(AddressPatch),
  location: optional(
    orNull(CoordinatesPatch).annotate({
      description:
        "Coordinates of the site; if given, a new address is not geocoded. Out of range is INVALID_LOCATION; null clears them"
    })
  ),
  timezone: optional(timezone),
  tags: optional(Tags),
  maxImportW: limitInput(maxImportW),
  maxExportW: limitInput(maxExportW)
}).annotate({ identifier: "UpdateSite", examples: [{ name: "Home", tags: ["pilot"], maxImportW: 11_000 }] })
export type UpdateSite = typeof UpdateSite.Type

export const SiteFilters = {
  ...paging(),
  referenceId: optional(
    SeveralReferences(1000).annotate({ description: "Identifiers of the sites in the caller's system" })
  ),
  customerId: optional(Several(Text(1, 100)).annotate({ description: "Sites associated with one of these customers" })),
  state: optional(Several(Text(1, 100)).annotate({ description: "State of the address; in the USA a code or a name" })),
  postalCode: optional(Several(Text(1, 20)).annotate({ description: "As in the address" })),
  tag: optional(Several(Tag).annotate({ description: "Tags of the site" })),
  q: optional(
    Text(1, 255).annotate({ description: "Prefix of the name or of the first street line, case-insensitive" })
  )
}

export const SiteIncludes = {
  include: optional(oneOf(["weather"], "`weather` adds the current weather at the site"))
}

const address = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }

export const CreateSites = Schema.Struct({ sites: bulkItems(CreateSite, "sites") }).annotate({
  identifier: "CreateSites",
  examples: [{ sites: [{ name: "Home", address }, { address: { ...address, streetOne: "1 CAPITOL MALL" } }] }]
})
export type CreateSites = typeof CreateSites.Type

export const SiteCreated = Schema.Struct({
  index: bulkIndex,
  status: Schema.Literal("created").annotate({ description: "The site was created" }),
  site: Site
}).annotate({ identifier: "SiteCreated", description: "The item was created" })

export const SitesCreated = Schema.Struct({
  ...bulkCounts,
  results: bulkResults(Schema.Union([SiteCreated, BulkFailure]))
}).annotate({
  identifier: "SitesCreated",
  description: "Outcome of the request",
  examples: [
    {
      created: 1,
      failed: 1,
      results: [
        {
          index: 0,
          status: "created",
          site: {
            id: exampleIds.site,
            workspaceId: exampleIds.workspace,
            name: "Home",
            referenceId: null,
            address: { ...address, country: "USA" },
            location: { latitude: 38.580568, longitude: -121.49559 },
            timezone: null,
            tags: [],
            maxImportW: null,
            maxExportW: null,
            customerIds: [],
            deviceCount: 0,
            createdAt: "2026-03-01T12:00:00.000Z",
            updatedAt: "2026-03-01T12:00:00.000Z"
          }
        },
        {
          index: 1,
          status: "error",
          code: "SITE_ALREADY_EXISTS",
          message: "A site with this address exists in the workspace"
        }
      ]
    }
  ]
})
export type SitesCreated = typeof SitesCreated.Type
