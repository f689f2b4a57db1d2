import { Schema } from "effect"
import { oneOf } from "../shared/quantities.ts"
import { Address } from "../shared/Address.ts"
import { Cuid, Slug, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { FreeForm, StoredText, TAGS_LIMIT } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"

const orNull = Schema.NullOr
const moment = (description: string) => orNull(Timestamp).annotate({ description })

export const EnrollmentStatus = oneOf(
  ["candidate", "eligible", "ineligible", "submitted", "approved", "rejected", "unenrolled"],
  "How far the enrollment has come"
).annotate({ identifier: "EnrollmentStatus" })

export const Enrollment = Schema.Struct({
  id: Cuid.annotate({ examples: [exampleIds.enrollment] }),
  programInstanceId: Cuid.annotate({ description: "The program instance that it is for" }),
  identificationType: oneOf(["customerId", "customerInfo"], "How the person was named"),
  customerId: Cuid.annotate({ description: "The customer who is enrolled", examples: [exampleIds.customer] }),
  siteId: orNull(Cuid).annotate({ description: "The site that is enrolled" }),
  leadId: Schema.optionalKey(StoredText(255).annotate({ description: "Of enrollments that were made from a lead" })),
  status: EnrollmentStatus,
  statusReason: orNull(StoredText(1000)).annotate({ description: "Why it has this status" }),
  manufacturerSlugs: orNull(Schema.Array(Slug).check(documents({ maxItems: 100 }))).annotate({
    description: "Manufacturers of the devices"
  }),
  serialNumber: orNull(StoredText(255)).annotate({ description: "Serial number of a device" }),
  referenceId: orNull(StoredText(1000)).annotate({ description: "Identifies it in the caller's system" }),
  referenceDescription: orNull(StoredText(1000)).annotate({ description: "What the reference is" }),
  tags: Schema.Array(StoredText(100))
    .check(documents({ maxItems: TAGS_LIMIT }))
    .annotate({ description: "Labels by which enrollments are grouped" }),
  metadata: orNull(FreeForm).annotate({ description: "What the caller keeps with it" }),
  address: orNull(Address).annotate({ description: "Where the person lives, where it was given" }),
  submittedAt: moment("When it was submitted"),
  approvedAt: moment("When it was approved"),
  rejectedAt: moment("When it was rejected"),
  unenrolledAt: moment("When the customer left"),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({
  identifier: "Enrollment",
  description: "A customer's part in a program",
  examples: [
    {
      id: exampleIds.enrollment,
      programInstanceId: exampleIds.programInstance,
      identificationType: "customerId",
      customerId: exampleIds.customer,
      siteId: exampleIds.site,
      status: "submitted",
      statusReason: null,
      manufacturerSlugs: ["generic"],
      serialNumber: null,
      referenceId: "application-12",
      referenceDescription: null,
      tags: ["pilot"],
      metadata: null,
      address: null,
      submittedAt: "2026-03-01T12:00:00.000Z",
      approvedAt: null,
      rejectedAt: null,
      unenrolledAt: null,
      createdAt: "2026-03-01T12:00:00.000Z",
      updatedAt: "2026-03-01T12:00:00.000Z"
    }
  ]
})
export type Enrollment = typeof Enrollment.Type
