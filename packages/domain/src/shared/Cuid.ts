import { Schema, SchemaGetter } from "effect"
import { documents } from "./documents.ts"
import { exampleIds } from "./exampleIds.ts"
import { pathSegment } from "./pathSegment.ts"

const pattern = /^c[0-9a-z]{24}$/u

/** An identifier: `c`, 8 characters of base-36 milliseconds, 16 random base-36 characters. Ids sort by creation. */
export const Cuid = Schema.String.check(
  Schema.isPattern(pattern, { message: "Must be an id of the service" }),
  documents({ maxLength: 25 })
).annotate({
  description: "Identifier issued by the service; sorts by creation time",
  examples: [exampleIds.device]
})

export const isCuid = (text: string) => pattern.test(text)

/** The id of a resource in a path. One of the wrong shape is an id that does not exist: it decodes to the empty id. */
export const PathId = Schema.String.check(documents({ pattern: pattern.source, maxLength: 25 }))
  .annotate({
    description: "Id of the resource, as the service issued it. Any other text is an id that does not exist: 404."
  })
  .pipe(
    Schema.decodeTo(Schema.String, {
      decode: SchemaGetter.transform((text: string) => (isCuid(text) ? text : "")),
      encode: pathSegment
    })
  )

const slugPattern = /^[a-z0-9][a-z0-9-]{0,62}$/u

/** A manufacturer's short name: lower-case letters, digits and hyphens. */
export const Slug = Schema.String.annotate({ message: "Must be a slug of lower-case letters, digits and hyphens" })
  .check(
    Schema.isPattern(slugPattern, {
      message: "Must be a slug: 1 to 63 lower-case letters, digits and hyphens, not starting with a hyphen"
    }),
    documents({ maxLength: 63 })
  )
  .annotate({ examples: ["generic"] })

/** A slug in a path: one of the wrong shape decodes to the empty slug, which no resource has. */
export const PathSlug = Schema.String.check(documents({ pattern: slugPattern.source, maxLength: 63 }))
  .annotate({
    description: "Slug of the manufacturer. Any other text is a slug that does not exist: 404.",
    examples: ["generic"]
  })
  .pipe(
    Schema.decodeTo(Schema.String, {
      decode: SchemaGetter.transform((text: string) => (slugPattern.test(text) ? text : "")),
      encode: pathSegment
    })
  )
