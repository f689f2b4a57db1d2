import { Effect, Schema, SchemaGetter } from "effect"
import { documents } from "./documents.ts"

const at = "cmm7p6yo0"

/** Ids for the examples of the reference, which all describe one device at one site. */
export const exampleIds = {
  organization: `${at}1h8k3v5n9q2r7t4w`,
  workspace: `${at}2x6b9d4f7j1m5p8s`,
  apiKey: `${at}3c7g2k6n0q4t8w1z`,
  site: `${at}4a9e3i7m1q5u9y2c`,
  device: `${at}5d8h2l6p0t4x8b3f`,
  deviceModel: `${at}6f1j5n9r3v7z2d6h`,
  alert: `${at}7k2o6s0w4a8e3i7m`,
  reading: `${at}8q4u8y2c6g0k5o9s`,
  customer: `${at}9t1x5b9f3j7n2r6v`,
  collection: `${at}a3m8q2d6h0l4p9t5`,
  auditLog: `${at}b7c2e9g4j1l6n3q8`,
  refusedUse: `${at}d2g6j0m4p8s1v5y9`,
  managementKey: `${at}c5d8f1h6k3m0p7r4`,
  event: `${at}e3h7k1n5q9t2w6z0`,
  command: `${at}f6i0l4o8r2u5x9a3`,
  connection: `${at}g9j3m7p1s5v8y2b6`,
  account: `${at}l4o8r2u6x0a3d7g1`,
  schedule: `${at}m5p9s3v7y1b4e8h2`,
  program: `${at}n6q0t4w8z2c5f9i3`,
  programInstance: `${at}h2k6n0q4t8w1z5c9`,
  dispatch: `${at}o7r1u5x9a3d6g0j4`,
  enrollment: `${at}i5l9o3r7u1x4a8d2`,
  homeAssistantPublication: `${at}h4q7t0w3z6c9f2i5`,
  destination: `${at}j8m2p6s0v4y7b1e5`,
  delivery: `${at}k1n5q9t3w7z0c4f8`,
  session: `${at}p8s2v6y0b4e7h1k5`,
  savedFilter: `${at}q9t3w7z1c5f8i2l6`
} as const

/**
 * Checks that a client can put a value into a path. The empty string, `.` and `..` would change the path however they are
 * escaped, and an unpaired surrogate can't be escaped at all: such values are refused before the request is sent.
 */
export const pathSegment: SchemaGetter.Getter<string, string> = SchemaGetter.checkEffect((text) =>
  Effect.succeed(
    ["", ".", ".."].includes(text) || !text.isWellFormed()
      ? "Must fit in a path: not empty, neither . nor .., without unpaired surrogates"
      : undefined
  )
)

const pattern = /^c[0-9a-z]{24}$/u

/** An identifier: `c`, 8 characters of base-36 milliseconds, 16 random base-36 characters. Ids sort by creation. */
export const Cuid = Schema.String.check(
  Schema.isPattern(pattern, { message: "Must be an id of the service" }),
  documents({ maxLength: 25 })
).annotate({
  description: "Identifier issued by the service; sorts by creation time",
  examples: [exampleIds.device]
})

/** An id in a body that is checked for its form. */
export const CuidInput = Schema.String.annotate({ message: "Must be an id of the service" }).check(
  Schema.isPattern(pattern, { message: "Must be an id of the service" }),
  documents({ maxLength: 25 })
)

export const isCuid = (text: string) => pattern.test(text)

/** The id of a resource in a path. Text that is not an id decodes to the empty id, which no resource has. */
export const PathId = Schema.String.check(documents({ pattern: pattern.source, maxLength: 25 }))
  .annotate({
    description: "Id of the resource. Text that is not an id is treated as an id that does not exist: 404."
  })
  .pipe(
    Schema.decodeTo(Schema.String, {
      decode: SchemaGetter.transform((text: string) => (isCuid(text) ? text : "")),
      encode: pathSegment
    })
  )

const slugPattern = /^[a-z0-9][a-z0-9-]{0,62}$/u

/** A short name, such as a manufacturer's: lower-case letters, digits and hyphens. */
export const Slug = Schema.String.annotate({ message: "Must be a slug of lower-case letters, digits and hyphens" })
  .check(
    Schema.isPattern(slugPattern, {
      message: "Must be a slug: 1 to 63 lower-case letters, digits and hyphens, not starting with a hyphen"
    }),
    documents({ maxLength: 63 })
  )
  .annotate({ examples: ["generic"] })

/** A slug in a path. Text that is not a slug decodes to the empty slug, which no resource has. */
export const PathSlug = Schema.String.check(documents({ pattern: slugPattern.source, maxLength: 63 }))
  .annotate({
    description: "Slug of the resource. Text that is not a slug is treated as a slug that does not exist: 404.",
    examples: ["generic"]
  })
  .pipe(
    Schema.decodeTo(Schema.String, {
      decode: SchemaGetter.transform((text: string) => (slugPattern.test(text) ? text : "")),
      encode: pathSegment
    })
  )
