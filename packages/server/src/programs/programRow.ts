import type { Criteria } from "@edp/domain/collections/criteria"
import type { Program } from "@edp/domain/programs/Program"
import { isoOrNull } from "../platform/sql/records.ts"

/** A program as it is stored. Its criteria were validated when they were stored. */
export interface ProgramRow extends Omit<Program, "startsAt" | "endsAt" | "eligibility" | "createdAt" | "updatedAt"> {
  readonly startsAt: Date | null
  readonly endsAt: Date | null
  readonly eligibility: Criteria | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

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
