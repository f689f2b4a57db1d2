import { Schema } from "effect"
import { BulkFailure, bulkCounts, bulkIndex, bulkItems, bulkResults } from "../errors/Bulk.ts"
import { Address } from "../shared/Address.ts"
import { Cuid, Slug, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { Several, SeveralReferences, paging } from "../shared/Page.ts"
import { Email, FreeForm, StoredText, TAGS_LIMIT, Tag, Tags, Text } from "../shared/Text.ts"
import { Timestamp, TimestampInput } from "../shared/Timestamps.ts"
import { flag, oneOf, quantity } from "../shared/quantities.ts"

const orNull = Schema.NullOr
const optional = Schema.optionalKey
const moment = (description: string) => orNull(Timestamp).annotate({ description })

export const enrollmentStatuses = [
  "candidate",
  "eligible",
  "ineligible",
  "submitted",
  "approved",
  "rejected",
  "unenrolled"
] as const

export const EnrollmentStatus = oneOf(
  enrollmentStatuses,
  "`candidate`: eligibility can't be judged yet, because the address or a device is missing; `eligible` and `ineligible`: judged by the program's states and criteria; `submitted`: waits for a decision; `approved`: takes part; `rejected` and `unenrolled`: ended"
).annotate({ identifier: "EnrollmentStatus" })
export type EnrollmentStatus = typeof EnrollmentStatus.Type

export const RequiredActionActor = oneOf(
  ["owner", "installer", "operator", "manufacturer"],
  "Who must act: the person, their installer, the operator of the program, or the manufacturer"
)

export const RequiredAction = Schema.Struct({
  code: StoredText(100).annotate({
    description:
      "`give_address`, `connect_device`, `accept_terms`, `submit` and `approve`; otherwise the code of an intervention of a device",
    examples: ["connect_device"]
  }),
  title: StoredText(255).annotate({ description: "The action, shown to users" }),
  actor: RequiredActionActor,
  done: Schema.Boolean.annotate({ description: "Whether it was done" })
}).annotate({
  identifier: "RequiredAction",
  description: "An action without which the enrollment does not take part",
  examples: [{ code: "connect_device", title: "Connect a device at the site", actor: "owner", done: false }]
})
export type RequiredAction = typeof RequiredAction.Type

export const AcceptedTerms = Schema.Struct({
  version: Schema.Int.check(documents({ minimum: 1 })).annotate({
    description: "Version of the terms: `termsVersion` of the program instance"
  }),
  acceptedAt: Timestamp.annotate({ description: "Time of acceptance" })
}).annotate({
  identifier: "AcceptedTerms",
  description: "The terms that the person accepted",
  examples: [{ version: 1, acceptedAt: "2026-03-01T12:00:00.000Z" }]
})
export type AcceptedTerms = typeof AcceptedTerms.Type

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
  acceptedTerms: orNull(AcceptedTerms).annotate({ description: "The accepted terms; null if none were accepted" }),
  requiredActions: Schema.Array(RequiredAction)
    .check(documents({ maxItems: 100 }))
    .annotate({ description: "The actions that the enrollment needs, done ones included; empty once it has ended" }),
  activatesAt: moment(
    "Time from which it takes part in dispatches once it is approved, by the enrollment period that it was submitted for; null if the instance has no periods or it was not submitted"
  ),
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
      acceptedTerms: { version: 1, acceptedAt: "2026-03-01T12:00:00.000Z" },
      requiredActions: [
        { code: "give_address", title: "Give the address of the site", actor: "owner", done: true },
        { code: "connect_device", title: "Connect a device at the site", actor: "owner", done: true },
        { code: "accept_terms", title: "Accept the terms of the program", actor: "owner", done: true },
        { code: "submit", title: "Submit the enrollment", actor: "operator", done: true },
        { code: "approve", title: "Approve the enrollment", actor: "operator", done: false }
      ],
      activatesAt: null,
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

/** A person who is not a customer yet. */
export const EnrollmentCustomerInfo = Schema.Struct({
  firstName: Text(1, 100).annotate({ description: "Given name" }),
  lastName: Text(1, 100).annotate({ description: "Family name" }),
  email: Email.annotate({ description: "E-mail address; a customer of the workspace who has it is enrolled" }),
  phone: optional(Text(5, 20).annotate({ description: "Telephone number" })),
  location: optional(Address).annotateKey({
    description: "Address of the site, which is found or created, and associated with the customer"
  })
}).annotate({
  identifier: "EnrollmentCustomerInfo",
  description: "A person who is enrolled, and the address of their site",
  examples: [
    {
      firstName: "Ada",
      lastName: "Okafor",
      email: "ada@example.com",
      location: { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }
    }
  ]
})
export type EnrollmentCustomerInfo = typeof EnrollmentCustomerInfo.Type

const identificationMessage = "Must be customerId or customerInfo: leads are retired"

const who = {
  identificationType: Schema.Literals(["customerId", "customerInfo"]).annotate({
    message: identificationMessage,
    description: "How the person is identified; `leadId` is VALIDATION_ERROR"
  }),
  customerId: optional(
    Text(1, 100).annotate({
      description: "The customer; required with identificationType customerId, absent otherwise"
    })
  ),
  customerInfo: optional(EnrollmentCustomerInfo).annotateKey({
    description: "The person; required with identificationType customerInfo, absent otherwise"
  }),
  siteId: optional(
    orNull(Text(1, 100)).annotate({
      description:
        "The enrolled site; one that is not associated with the customer is CUSTOMER_NOT_CONNECTED_TO_SITE. Without it all sites of the customer are enrolled, or the one of `customerInfo.location`; not together with that"
    })
  )
}

const slugs = orNull(
  Schema.Array(Slug).check(Schema.isBetweenLength(1, 100, { message: "Must be 1 to 100 slugs" }))
).annotate({ description: "Manufacturers whose devices take part; null means all" })

const acceptedTerms = orNull(
  Schema.Struct({
    version: quantity("Must be `termsVersion` of the program instance", { minimum: 1, integer: true }),
    acceptedAt: optional(TimestampInput.annotate({ description: "Time of acceptance; default now, not in the future" }))
  })
).annotate({ description: "The terms that the person accepted" })

export const CreateEnrollment = Schema.Struct({
  ...who,
  manufacturerSlugs: optional(slugs),
  serialNumber: optional(orNull(Text(1, 255)).annotate({ description: "Serial number of a device" })),
  referenceId: optional(orNull(Text(1, 1000)).annotate({ description: "Identifier in the caller's system" })),
  referenceDescription: optional(orNull(Text(1, 1000)).annotate({ description: "Description of the reference" })),
  tags: optional(Tags),
  metadata: optional(orNull(FreeForm).annotate({ description: "Free-form data of the caller" })),
  acceptedTerms: optional(acceptedTerms),
  submit: optional(
    flag(
      "Whether to submit it once it is eligible; a candidate is then submitted as soon as it can be judged and is eligible"
    ).annotate({ default: true })
  )
}).annotate({
  identifier: "CreateEnrollment",
  examples: [
    {
      identificationType: "customerId",
      customerId: exampleIds.customer,
      siteId: exampleIds.site,
      acceptedTerms: { version: 1 }
    },
    {
      identificationType: "customerInfo",
      customerInfo: {
        firstName: "Ada",
        lastName: "Okafor",
        email: "ada@example.com",
        location: { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }
      },
      referenceId: "application-12"
    }
  ]
})
export type CreateEnrollment = typeof CreateEnrollment.Type

export const CreateEnrollments = Schema.Struct({ enrollments: bulkItems(CreateEnrollment, "enrollments") }).annotate({
  identifier: "CreateEnrollments",
  examples: [{ enrollments: [{ identificationType: "customerId", customerId: exampleIds.customer }] }]
})
export type CreateEnrollments = typeof CreateEnrollments.Type

export const EnrollmentCreated = Schema.Struct({
  index: bulkIndex,
  status: Schema.Literal("created").annotate({ description: "The enrollment was created" }),
  enrollment: Enrollment
}).annotate({ identifier: "EnrollmentCreated", description: "The item was created" })

export const EnrollmentsCreated = Schema.Struct({
  ...bulkCounts,
  results: bulkResults(Schema.Union([EnrollmentCreated, BulkFailure]))
}).annotate({
  identifier: "EnrollmentsCreated",
  description: "Outcome of the request",
  examples: [
    {
      created: 0,
      failed: 1,
      results: [{ index: 0, status: "error", code: "CUSTOMER_NOT_FOUND", message: "There is no such customer" }]
    }
  ]
})
export type EnrollmentsCreated = typeof EnrollmentsCreated.Type

const reason = optional(orNull(Text(1, 1000)).annotate({ description: "Reason, shown to users: `statusReason`" }))

/** The reason of a transition. */
export const EnrollmentTransition = Schema.Struct({ reason }).annotate({
  identifier: "EnrollmentTransition",
  examples: [{ reason: "The customer has moved" }]
})
export type EnrollmentTransition = typeof EnrollmentTransition.Type

export const SubmitEnrollment = Schema.Struct({ reason, acceptedTerms: optional(acceptedTerms) }).annotate({
  identifier: "SubmitEnrollment",
  examples: [{ acceptedTerms: { version: 1 } }]
})
export type SubmitEnrollment = typeof SubmitEnrollment.Type

export const CheckEligibility = Schema.Struct({ ...who, manufacturerSlugs: optional(slugs) }).annotate({
  identifier: "CheckEligibility",
  examples: [{ identificationType: "customerId", customerId: exampleIds.customer }]
})
export type CheckEligibility = typeof CheckEligibility.Type

export const EligibilityReason = Schema.Struct({
  code: oneOf(
    [
      "state_not_served",
      "criteria_not_met",
      "address_unknown",
      "no_device",
      "no_reading",
      "already_enrolled",
      "takes_no_enrollments"
    ],
    "`state_not_served` and `criteria_not_met` make the person ineligible; `address_unknown`, `no_device` and `no_reading` mean that it can't be judged yet; the others keep an enrollment from being created"
  ),
  message: StoredText(1000).annotate({ description: "The reason, shown to users" })
}).annotate({
  identifier: "EligibilityReason",
  description: "Why a person is not eligible, or not yet",
  examples: [{ code: "state_not_served", message: "The program serves sites in CA; the address is in NV" }]
})
export type EligibilityReason = typeof EligibilityReason.Type

export const Eligibility = Schema.Struct({
  status: oneOf(
    ["candidate", "eligible", "ineligible"],
    "Status that an enrollment would get before it is submitted; `candidate`: it can't be judged yet"
  ),
  reasons: Schema.Array(EligibilityReason)
    .check(documents({ maxItems: 100 }))
    .annotate({ description: "Reasons; empty if the person can be enrolled" })
}).annotate({
  identifier: "Eligibility",
  description: "Whether a person can be enrolled; nothing is stored",
  examples: [
    {
      status: "ineligible",
      reasons: [{ code: "state_not_served", message: "The program serves sites in CA; the address is in NV" }]
    }
  ]
})
export type Eligibility = typeof Eligibility.Type

export const EnrollmentFilters = {
  ...paging(),
  status: optional(Several(EnrollmentStatus).annotate({ description: "Status of the enrollment" })),
  customerId: optional(Several(Text(1, 100)).annotate({ description: "Enrollments of these customers" })),
  siteId: optional(Several(Text(1, 100)).annotate({ description: "Enrollments of these sites" })),
  referenceId: optional(SeveralReferences(1000).annotate({ description: "Identifiers in the caller's system" })),
  tag: optional(Several(Tag).annotate({ description: "Enrollments with one of these tags" }))
}
