import { Schema } from "effect"
import { paging } from "../shared/Page.ts"
import { documents } from "../shared/documents.ts"
import { StoredText, Text } from "../shared/Text.ts"

const count = (things: string) =>
  Schema.Int.check(documents({ minimum: 0 })).annotate({
    description: `${things} of the workspace that have the tag, at least 0`
  })

export const TagUse = Schema.Struct({
  tag: StoredText(100).annotate({ description: "The label as it was set: two that differ in case are two tags" }),
  deviceCount: count("Devices"),
  siteCount: count("Sites")
}).annotate({
  identifier: "Tag",
  description: "A label, and how many devices and sites of the workspace have it",
  examples: [{ tag: "north", deviceCount: 120, siteCount: 40 }]
})
export type TagUse = typeof TagUse.Type

export const TagFilters = {
  ...paging(),
  q: Schema.optionalKey(Text(1, 100).annotate({ description: "Beginning of the tag, any case" }))
}
