import type { Criteria } from "@edp/domain/collections/criteria"
import { Program } from "@edp/domain/programs/Program"
import { isoOrNull } from "../platform/sql/records.ts"
import { JsonColumn } from "../platform/sql/rows.ts"
import { Struct, Schema } from "effect"

/** A program as it is stored. Its criteria were validated when they were stored. */
export const ProgramRow = Schema.Struct({
  ...Struct.omit(Program.fields, ["startsAt", "endsAt", "eligibility", "createdAt", "updatedAt"]),
  startsAt: Schema.NullOr(Schema.Date),
  endsAt: Schema.NullOr(Schema.Date),
  eligibility: Schema.NullOr(JsonColumn<Criteria>()),
  createdAt: Schema.Date,
  updatedAt: Schema.Date
})
export type ProgramRow = typeof ProgramRow.Type

export const toProgram = (row: ProgramRow): Program => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  description: row.description,
  states: row.states,
  active: row.active,
  visibility: row.visibility,
  organizationId: row.organizationId,
  year: row.year,
  startsAt: isoOrNull(row.startsAt),
  endsAt: isoOrNull(row.endsAt),
  eligibility: row.eligibility as Program["eligibility"],
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString()
})
