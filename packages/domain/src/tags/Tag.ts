import { Schema } from "effect"
import { paging } from "../shared/Page.ts"
import { documents } from "../shared/documents.ts"
import { StoredText, Text } from "../shared/Text.ts"

const count = (things: string) =>
  Schema.Int.check(documents({ minimum: 0 })).annotate({
    description: `${things} of the workspace that have the tag, at least 0`
  })

export const TagUse = Schema.Struct({
  tag: StoredText(100).annotate({ description: "The tag; case-sensitive" }),
  deviceCount: count("Devices"),
  siteCount: count("Sites")
}).annotate({
  identifier: "Tag",
  description: "A tag with the numbers of devices and sites that have it",
  examples: [{ tag: "north", deviceCount: 120, siteCount: 40 }]
})
export type TagUse = typeof TagUse.Type

export const TagFilters = {
  ...paging(),
  q: Schema.optionalKey(Text(1, 100).annotate({ description: "Prefix of the tag, case-insensitive" }))
}
