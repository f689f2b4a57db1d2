import type { Criteria } from "@edp/domain/collections/criteria"
import type { ProgramInstance, ProgramInstanceStatus } from "@edp/domain/programs/ProgramInstance"

export interface StoredPeriod {
  /** ISO 8601 in UTC with milliseconds, like `activatesAt`. */
  readonly deadline: string
  readonly activatesAt: string
}

/** The columns of an instance. */
export interface StoredInstance {
  readonly id: string
  readonly workspaceId: string
  readonly programId: string
  readonly slug: string
  /** The name of the hosted page, unique among all workspaces; a slug, too. */
  readonly pageSlug: string
  readonly title: string
  readonly description: string
  readonly eligibilityCriteria: string
  readonly programTerms: string
  readonly termsVersion: number
  /** In order of their deadlines. */
  readonly enrollmentPeriods: ReadonlyArray<StoredPeriod>
  readonly customFields: Readonly<Record<string, unknown>> | null
  readonly status: ProgramInstanceStatus
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** An instance with the fields of its program that decide about enrollments. */
export interface InstanceRow extends StoredInstance {
  readonly programSlug: string
  readonly programName: string
  readonly programActive: boolean
  readonly programStartsAt: Date | null
  readonly programEndsAt: Date | null
  /** Codes of US states; empty means every state. */
  readonly states: ReadonlyArray<string>
  /** A condition of devices. Null and `{}` are none. */
  readonly eligibility: Criteria | null
}

export const toInstance = (row: InstanceRow): ProgramInstance => ({
  id: row.id,
  slug: row.slug,
  programSlug: row.programSlug,
  title: row.title,
  description: row.description,
  eligibilityCriteria: row.eligibilityCriteria,
  programTerms: row.programTerms,
  termsVersion: row.termsVersion,
  enrollmentPeriods: row.enrollmentPeriods,
  customFields: row.customFields,
  status: row.status,
  enrollPath: `/enroll/${row.pageSlug}`,
  workspaceId: row.workspaceId,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString()
})
