import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Alert, AlertFilters, alertExample } from "../alerts/Alert.ts"
import { describe } from "../auth/annotations.ts"
import { ValidationError } from "../errors/ApiErrors.ts"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { Page } from "../shared/Page.ts"
import { oneOf } from "../shared/quantities.ts"
import { StoredText } from "../shared/Text.ts"

const orNull = Schema.NullOr

export const ListedAlert = Schema.Struct({
  ...Alert.fields,
  siteName: orNull(StoredText(600)).annotate({
    description: "Name of the site, else its street and city; null without a site and if it was deleted"
  }),
  customerId: orNull(Cuid).annotate({
    description: "The customer who connected the device, else the first of the site"
  }),
  customerName: orNull(StoredText(600))
}).annotate({
  identifier: "ListedAlert",
  description: "An alert with the names of its site and its customer",
  examples: [{ ...alertExample, siteName: "Home", customerId: exampleIds.customer, customerName: "Ada Okafor" }]
})
export type ListedAlert = typeof ListedAlert.Type

export const alertSorts = ["severity", "newest"] as const

export class ListedAlertsApi extends HttpApiGroup.make("listedAlerts")
  .add(
    HttpApiEndpoint.get("list", "/dashboard/api/alerts", {
      query: {
        ...AlertFilters,
        sort: Schema.optionalKey(oneOf(alertSorts, "critical first and then newest first (default), or newest first"))
      },
      success: Page(ListedAlert),
      error: ValidationError
    }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "List alerts with their sites and customers",
        "The alerts of `GET /v1/alerts`, the most severe first."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Listed alerts", description: "Alerts with the names that operators know." })
  ) {}
