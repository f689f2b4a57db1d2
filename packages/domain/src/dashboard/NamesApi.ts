import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { describe } from "../auth/annotations.ts"
import { ValidationError } from "../errors/ApiErrors.ts"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { Several } from "../shared/Page.ts"
import { StoredText, Text } from "../shared/Text.ts"

/** Values that a filter takes. */
export const NAMES_LIMIT = 100

const named = (description: string) =>
  Schema.Array(
    Schema.Struct({ id: Cuid, name: StoredText(1000) }).annotate({
      identifier: "NamedRecord",
      description: "A record as users know it"
    })
  )
    .check(documents({ maxItems: NAMES_LIMIT }))
    .annotate({ description })

export const RecordNames = Schema.Struct({
  customers: named("By name, else by e-mail address, reference or id"),
  devices: named("By name"),
  sites: named("By name, else by the first line of the address")
}).annotate({
  identifier: "RecordNames",
  description: "The records among those asked for that the workspace has",
  examples: [{ customers: [{ id: exampleIds.customer, name: "Ada Okafor" }], devices: [], sites: [] }]
})
export type RecordNames = typeof RecordNames.Type

export class NamesApi extends HttpApiGroup.make("names")
  .add(
    HttpApiEndpoint.get("list", "/dashboard/api/names", {
      query: {
        customerId: Schema.optionalKey(Several(Text(1, 100)).annotate({ description: "Customers to name" })),
        deviceId: Schema.optionalKey(Several(Text(1, 100)).annotate({ description: "Devices to name" })),
        siteId: Schema.optionalKey(Several(Text(1, 100)).annotate({ description: "Sites to name" }))
      },
      success: RecordNames,
      error: ValidationError
    }).annotateMerge(
      describe(["MANAGEMENT"], "List names", "Names of records that a page links. Unknown ids are left out.")
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Names", description: "Names of the records that a page links." })) {}
