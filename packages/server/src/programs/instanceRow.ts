import type { Criteria } from "@edp/domain/collections/criteria"
import { type ProgramInstance, ProgramInstanceStatus } from "@edp/domain/programs/ProgramInstance"
import { JsonColumn } from "../platform/sql/rows.ts"
import { Schema } from "effect"

export const StoredPeriod = Schema.Struct({
  /** ISO 8601 in UTC with milliseconds, like `activatesAt`. */
  deadline: Schema.String,
  activatesAt: Schema.String
})
export type StoredPeriod = typeof StoredPeriod.Type

/** The columns of an instance. */
export const StoredInstance = Schema.Struct({
  id: Schema.String,
  workspaceId: Schema.String,
  programId: Schema.String,
  slug: Schema.String,
  /** The name of the hosted page, unique among all workspaces; a slug, too. */
  pageSlug: Schema.String,
  title: Schema.String,
  description: Schema.String,
  eligibilityCriteria: Schema.String,
  programTerms: Schema.String,
  termsVersion: Schema.Finite,
  /** In order of their deadlines. */
  enrollmentPeriods: Schema.Array(StoredPeriod),
  customFields: Schema.NullOr(JsonColumn<Readonly<Record<string, unknown>>>()),
  status: ProgramInstanceStatus,
  createdAt: Schema.Date,
  updatedAt: Schema.Date
})
export type StoredInstance = typeof StoredInstance.Type

/** An instance with the fields of its program that decide about enrollments. */
export const InstanceRow = Schema.Struct({
  ...StoredInstance.fields,
  programSlug: Schema.String,
  programName: Schema.String,
  programActive: Schema.Boolean,
  programStartsAt: Schema.NullOr(Schema.Date),
  programEndsAt: Schema.NullOr(Schema.Date),
  /** Codes of US states; empty means every state. */
  states: Schema.Array(Schema.String),
  /** A condition of devices. Null and `{}` are none. */
  eligibility: Schema.NullOr(JsonColumn<Criteria>())
})
export type InstanceRow = typeof InstanceRow.Type

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
