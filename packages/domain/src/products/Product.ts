import { Schema } from "effect"
import { CommandSlug, commandSlugs, DeviceType, deviceTypes } from "../devices/DeviceType.ts"
import { Slug } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { paging, Several } from "../shared/Page.ts"
import { oneOf } from "../shared/quantities.ts"
import { StoredText, Text } from "../shared/Text.ts"

export const connectionKinds = ["sign_in", "form", "inbound"] as const

export const Product = Schema.Struct({
  name: StoredText(600).annotate({ description: "Name of the product; most begin with that of their maker" }),
  manufacturer: Slug.annotate({ description: "Slug of the manufacturer that a connect session chooses" }),
  manufacturerName: StoredText(255).annotate({ description: "Display name of the manufacturer" }),
  deviceTypes: Schema.Array(DeviceType)
    .check(documents({ maxItems: deviceTypes.length }))
    .annotate({ description: "Types of the devices that it becomes" }),
  commands: Schema.Array(CommandSlug)
    .check(documents({ maxItems: commandSlugs.length }))
    .annotate({ description: "Commands that its devices may support" }),
  connection: Schema.NullOr(oneOf(connectionKinds)).annotate({
    description:
      "How a connect session links it: `sign_in` at the manufacturer, a `form` that names a local device or an account, or `inbound`: the device connects to the platform. Null if none does here; its devices can report by direct integration."
  }),
  provenAgainst: Schema.NullOr(StoredText(500)).annotate({
    description: "The counterpart with which the connection was tested, in English; null if it can't be linked"
  })
}).annotate({
  identifier: "Product",
  description: "A product whose devices can be linked, or report",
  examples: [
    {
      name: "Wallbox Pulsar Plus",
      manufacturer: "ocpp",
      manufacturerName: "OCPP charging station",
      deviceTypes: ["charger"],
      commands: ["charger:set-operating-mode"],
      connection: "inbound",
      provenAgainst: "Simulated stations of other authors, not the product"
    }
  ]
})
export type Product = typeof Product.Type

export const ProductFilters = {
  ...paging(),
  q: Schema.optionalKey(
    Text(1, 100).annotate({
      description:
        "Words of the name or the manufacturer, the best results first. If no product has all of them, those with most of them; if none has any, those with similar words."
    })
  ),
  manufacturer: Schema.optionalKey(Several(Text(1, 63)).annotate({ description: "Slugs of manufacturers" })),
  type: Schema.optionalKey(Several(DeviceType).annotate({ description: "Types of devices" }))
}
