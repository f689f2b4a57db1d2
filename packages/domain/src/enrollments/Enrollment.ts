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
  "Status of the enrollment"
).annotate({ identifier: "EnrollmentStatus" })

export const Enrollment = Schema.Struct({
  id: Cuid.annotate({ examples: [exampleIds.enrollment] }),
  programInstanceId: Cuid.annotate({ description: "Program instance of the enrollment" }),
  identificationType: oneOf(["customerId", "customerInfo"], "How the person was identified"),
  customerId: Cuid.annotate({ description: "Enrolled customer", examples: [exampleIds.customer] }),
  siteId: orNull(Cuid).annotate({ description: "Enrolled site" }),
  leadId: Schema.optionalKey(
    StoredText(255).annotate({ description: "Only of enrollments that were created from a lead" })
  ),
  status: EnrollmentStatus,
  statusReason: orNull(StoredText(1000)).annotate({ description: "Reason for the status" }),
  manufacturerSlugs: orNull(Schema.Array(Slug).check(documents({ maxItems: 100 }))).annotate({
    description: "Manufacturers of the devices"
  }),
  serialNumber: orNull(StoredText(255)).annotate({ description: "Serial number of a device" }),
  referenceId: orNull(StoredText(1000)).annotate({ description: "Identifier in the caller's system" }),
  referenceDescription: orNull(StoredText(1000)).annotate({ description: "Description of the reference" }),
  tags: Schema.Array(StoredText(100))
    .check(documents({ maxItems: TAGS_LIMIT }))
    .annotate({ description: "Labels for grouping enrollments" }),
  metadata: orNull(FreeForm).annotate({ description: "Free-form data of the caller" }),
  address: orNull(Address).annotate({ description: "Address of the person; null if it was not given" }),
  submittedAt: moment("Time of submission"),
  approvedAt: moment("Time of approval"),
  rejectedAt: moment("Time of rejection"),
  unenrolledAt: moment("Time when the customer was unenrolled"),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({
  identifier: "Enrollment",
  description: "The participation of a customer in a program",
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
