import { Schema } from "effect"
import { BulkFailure, bulkIndex } from "../errors/BulkFailure.ts"
import { bulkCounts, bulkItems, bulkResults } from "../shared/Bulk.ts"
import { exampleIds } from "../shared/exampleIds.ts"
import { Site } from "./Site.ts"

const address = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }

export const CreateSites = Schema.Struct({ sites: bulkItems("sites") }).annotate({
  identifier: "CreateSites",
  examples: [{ sites: [{ name: "Home", address }, { address: { ...address, streetOne: "1 CAPITOL MALL" } }] }]
})
export type CreateSites = typeof CreateSites.Type

export const SiteCreated = Schema.Struct({
  index: bulkIndex,
  status: Schema.Literal("created").annotate({ description: "The site exists now" }),
  site: Site
}).annotate({ identifier: "SiteCreated", description: "The item was created" })

export const SitesCreated = Schema.Struct({
  ...bulkCounts,
  results: bulkResults(Schema.Union([SiteCreated, BulkFailure]))
}).annotate({
  identifier: "SitesCreated",
  description: "What became of the items",
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
