import { type AcceptedTerms, Enrollment, type RequiredAction } from "@edp/domain/enrollments/Enrollment"
import type { Address } from "@edp/domain/shared/Address"
import { JsonColumn } from "../platform/sql/rows.ts"
import { Schema } from "effect"
import { selectList } from "../platform/sql/selectList.ts"

/** An enrollment as it is stored. */
export const EnrollmentRow = Schema.Struct({
  id: Schema.String,
  workspaceId: Schema.String,
  programInstanceId: Schema.String,
  identificationType: Enrollment.fields.identificationType,
  customerId: Schema.String,
  siteId: Schema.NullOr(Schema.String),
  leadId: Schema.NullOr(Schema.String),
  status: Enrollment.fields.status,
  statusReason: Schema.NullOr(Schema.String),
  manufacturerSlugs: Schema.NullOr(Schema.Array(Schema.String)),
  serialNumber: Schema.NullOr(Schema.String),
  referenceId: Schema.NullOr(Schema.String),
  referenceDescription: Schema.NullOr(Schema.String),
  tags: Schema.Array(Schema.String),
  metadata: Schema.NullOr(JsonColumn<Readonly<Record<string, unknown>>>()),
  address: Schema.NullOr(JsonColumn<Address>()),
  acceptedTerms: Schema.NullOr(JsonColumn<AcceptedTerms>()),
  activatesAt: Schema.NullOr(Schema.Date),
  submittedAt: Schema.NullOr(Schema.Date),
  approvedAt: Schema.NullOr(Schema.Date),
  rejectedAt: Schema.NullOr(Schema.Date),
  unenrolledAt: Schema.NullOr(Schema.Date),
  createdAt: Schema.Date,
  updatedAt: Schema.Date
})
export type EnrollmentRow = typeof EnrollmentRow.Type

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
export const enrollmentColumns = selectList(EnrollmentRow, {
  id: "enrollments.id",
  workspaceId: "enrollments.workspace_id",
  status: "enrollments.status",
  createdAt: "enrollments.created_at",
  updatedAt: "enrollments.updated_at"
})
