import { Schema } from "effect"
import { Cuid, Slug, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { Several, paging } from "../shared/Page.ts"
import { oneOf } from "../shared/quantities.ts"
import { FreeForm, StoredText, Text } from "../shared/Text.ts"
import { Timestamp, TimestampInput } from "../shared/Timestamps.ts"

const orNull = Schema.NullOr
const optional = Schema.optionalKey

export const programInstanceStatuses = ["ACTIVE", "INACTIVE", "ARCHIVED"] as const

export const ProgramInstanceStatus = oneOf(
  programInstanceStatuses,
  "`ACTIVE`: takes enrollments; `INACTIVE`: takes none for now; `ARCHIVED`: ended, which is final"
).annotate({ identifier: "ProgramInstanceStatus" })
export type ProgramInstanceStatus = typeof ProgramInstanceStatus.Type

const PERIODS_LIMIT = 100

const deadline = "Last instant at which an enrollment may be submitted for this period"
const activatesAt = "Time from which enrollments of this period take part in dispatches: not before the deadline"

export const EnrollmentPeriod = Schema.Struct({
  deadline: Timestamp.annotate({ description: deadline }),
  activatesAt: Timestamp.annotate({ description: activatesAt })
}).annotate({
  identifier: "EnrollmentPeriod",
  description: "A deadline of enrollment, and when those that meet it become active",
  examples: [{ deadline: "2026-05-31T23:59:59.000Z", activatesAt: "2026-06-15T00:00:00.000Z" }]
})
export type EnrollmentPeriod = typeof EnrollmentPeriod.Type

const title = "Title, shown to users"
const eligibilityCriteria = "Who may take part, in plain text"
const programTerms = "Terms that a person accepts on enrollment; a change raises `termsVersion`"
const periods =
  "Deadlines in order of time. An enrollment belongs to the first period whose deadline it meets; after the last deadline none is taken. Empty: enrollments are taken at any time and are active at once"

export const ProgramInstance = Schema.Struct({
  id: Cuid.annotate({ examples: [exampleIds.programInstance] }),
  slug: Slug.annotate({ description: "Unique name in the workspace", examples: ["evening-peak-2026"] }),
  programSlug: Slug.annotate({ description: "The program", examples: ["evening-peak"] }),
  title: StoredText(255).annotate({ description: title }),
  description: StoredText(10_000).annotate({ description: "Description, shown to users" }),
  eligibilityCriteria: StoredText(10_000).annotate({ description: eligibilityCriteria }),
  programTerms: StoredText(100_000).annotate({ description: programTerms }),
  termsVersion: Schema.Int.check(documents({ minimum: 1 })).annotate({
    description: "Version of `programTerms`: 1 at first, raised by each change"
  }),
  enrollmentPeriods: Schema.Array(EnrollmentPeriod)
    .check(documents({ maxItems: PERIODS_LIMIT }))
    .annotate({ description: periods }),
  customFields: orNull(FreeForm).annotate({ description: "Free-form data of the caller" }),
  status: ProgramInstanceStatus,
  enrollPath: StoredText(100).annotate({
    description:
      "Path of the hosted enrollment page: `/enroll/` and the slug, with a suffix if an instance of another workspace has that address",
    examples: ["/enroll/evening-peak-2026"]
  }),
  workspaceId: Cuid.annotate({ description: "The workspace of the key", examples: [exampleIds.workspace] }),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({
  identifier: "ProgramInstance",
  description: "A program as a workspace runs it",
  examples: [
    {
      id: exampleIds.programInstance,
      slug: "evening-peak-2026",
      programSlug: "evening-peak",
      title: "Evening Peak 2026",
      description: "Your battery helps on hot evenings.",
      eligibilityCriteria: "Homes in California with a battery.",
      programTerms: "Up to 20 evenings a year, of at most 3 hours each.",
      termsVersion: 1,
      enrollmentPeriods: [{ deadline: "2026-05-31T23:59:59.000Z", activatesAt: "2026-06-15T00:00:00.000Z" }],
      customFields: null,
      status: "ACTIVE",
      enrollPath: "/enroll/evening-peak-2026",
      workspaceId: exampleIds.workspace,
      createdAt: "2026-03-01T12:00:00.000Z",
      updatedAt: "2026-03-01T12:00:00.000Z"
    }
  ]
})
export type ProgramInstance = typeof ProgramInstance.Type

const fields = {
  title: Text(1, 255).annotate({ description: title }),
  description: Text(0, 10_000).annotate({ description: "Description, shown to users" }),
  eligibilityCriteria: Text(0, 10_000).annotate({ description: eligibilityCriteria }),
  programTerms: Text(0, 100_000).annotate({ description: programTerms })
}

const optionalFields = {
  enrollmentPeriods: optional(
    Schema.Array(
      Schema.Struct({
        deadline: TimestampInput.annotate({ description: deadline }),
        activatesAt: TimestampInput.annotate({ description: activatesAt })
      })
    )
      .check(Schema.isMaxLength(PERIODS_LIMIT, { message: `Must be at most ${PERIODS_LIMIT} periods` }))
      .annotate({ description: periods, default: [] })
  ),
  customFields: optional(orNull(FreeForm).annotate({ description: "Free-form data of the caller" })),
  status: optional(ProgramInstanceStatus.annotate({ default: "ACTIVE" }))
}

export const CreateProgramInstance = Schema.Struct({
  slug: Slug.annotate({
    description: "Unique name in the workspace: a used one is DUPLICATE_NAME",
    examples: ["evening-peak-2026"]
  }),
  programSlug: Text(1, 63).annotate({
    description: "The program; one that does not exist or is private to another organization is VALIDATION_ERROR",
    examples: ["evening-peak"]
  }),
  ...fields,
  ...optionalFields
}).annotate({
  identifier: "CreateProgramInstance",
  examples: [
    {
      slug: "evening-peak-2026",
      programSlug: "evening-peak",
      title: "Evening Peak 2026",
      description: "Your battery helps on hot evenings.",
      eligibilityCriteria: "Homes in California with a battery.",
      programTerms: "Up to 20 evenings a year, of at most 3 hours each."
    }
  ]
})
export type CreateProgramInstance = typeof CreateProgramInstance.Type

export const UpdateProgramInstance = Schema.Struct({
  title: optional(fields.title),
  description: optional(fields.description),
  eligibilityCriteria: optional(fields.eligibilityCriteria),
  programTerms: optional(fields.programTerms),
  ...optionalFields
}).annotate({ identifier: "UpdateProgramInstance", examples: [{ status: "INACTIVE" }] })
export type UpdateProgramInstance = typeof UpdateProgramInstance.Type

export const ProgramInstanceFilters = {
  ...paging(),
  programSlug: optional(Several(Text(1, 63)).annotate({ description: "Instances of these programs" })),
  slug: optional(Several(Text(1, 63)).annotate({ description: "Slugs of instances" })),
  status: optional(Several(ProgramInstanceStatus).annotate({ description: "Status of the instance" }))
}
