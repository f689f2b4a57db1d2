import type { AcceptedTerms, Enrollment, RequiredAction } from "@edp/domain/enrollments/Enrollment"
import type { Address } from "@edp/domain/shared/Address"

/** An enrollment as it is stored. */
export interface EnrollmentRow {
  readonly id: string
  readonly workspaceId: string
  readonly programInstanceId: string
  readonly identificationType: Enrollment["identificationType"]
  readonly customerId: string
  readonly siteId: string | null
  readonly leadId: string | null
  readonly status: Enrollment["status"]
  readonly statusReason: string | null
  readonly manufacturerSlugs: ReadonlyArray<string> | null
  readonly serialNumber: string | null
  readonly referenceId: string | null
  readonly referenceDescription: string | null
  readonly tags: ReadonlyArray<string>
  readonly metadata: Readonly<Record<string, unknown>> | null
  readonly address: Address | null
  readonly acceptedTerms: AcceptedTerms | null
  readonly activatesAt: Date | null
  readonly submittedAt: Date | null
  readonly approvedAt: Date | null
  readonly rejectedAt: Date | null
  readonly unenrolledAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** A new enrollment. */
export interface NewEnrollment extends EnrollmentRow {
  /** Whether it is submitted as soon as it is eligible. */
  readonly submits: boolean
}

const isoOrNull = (date: Date | null) => (date === null ? null : date.toISOString())

export const toEnrollment = (row: EnrollmentRow, requiredActions: ReadonlyArray<RequiredAction>): Enrollment => ({
  id: row.id,
  programInstanceId: row.programInstanceId,
  identificationType: row.identificationType,
  customerId: row.customerId,
  siteId: row.siteId,
  ...(row.leadId === null ? {} : { leadId: row.leadId }),
  status: row.status,
  statusReason: row.statusReason,
  manufacturerSlugs: row.manufacturerSlugs,
  serialNumber: row.serialNumber,
  referenceId: row.referenceId,
  referenceDescription: row.referenceDescription,
  tags: row.tags,
  metadata: row.metadata,
  address: row.address,
  acceptedTerms: row.acceptedTerms,
  requiredActions,
  activatesAt: isoOrNull(row.activatesAt),
  submittedAt: isoOrNull(row.submittedAt),
  approvedAt: isoOrNull(row.approvedAt),
  rejectedAt: isoOrNull(row.rejectedAt),
  unenrolledAt: isoOrNull(row.unenrolledAt),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString()
})

/** An enrollment's columns in statements that read the table `enrollments`. */
export const enrollmentColumns = `enrollments.id, enrollments.workspace_id AS "workspaceId",
  program_instance_id AS "programInstanceId", identification_type AS "identificationType", customer_id AS "customerId",
  site_id AS "siteId", lead_id AS "leadId", enrollments.status, status_reason AS "statusReason",
  manufacturer_slugs AS "manufacturerSlugs", serial_number AS "serialNumber", reference_id AS "referenceId",
  reference_description AS "referenceDescription", tags, metadata, address, accepted_terms AS "acceptedTerms",
  activates_at AS "activatesAt", submitted_at AS "submittedAt", approved_at AS "approvedAt",
  rejected_at AS "rejectedAt", unenrolled_at AS "unenrolledAt", enrollments.created_at AS "createdAt",
  enrollments.updated_at AS "updatedAt"`

const live: ReadonlySet<Enrollment["status"]> = new Set(["candidate", "eligible", "submitted", "approved"])

/** Whether it has not ended: a customer has one such enrollment in an instance. */
export const isLive = (status: Enrollment["status"]) => live.has(status)
