import type { Collection } from "@edp/domain/collections/Collection"
import type { CollectionType, Criteria } from "@edp/domain/collections/criteria"

/** A living collection, with criteria that were checked when they came in. */
export interface CollectionRow extends Omit<Collection, "criteria" | "deletedAt" | "createdAt" | "updatedAt"> {
  readonly criteria: Criteria
  readonly deletedAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

export const toCollection = (row: CollectionRow): Collection => ({
  ...row,
  criteria: row.criteria as Collection["criteria"],
  deletedAt: row.deletedAt === null ? null : row.deletedAt.toISOString(),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString()
})

/** What makes the members of a kept set that follows its criteria. */
export interface KeptSet {
  readonly id: string
  readonly workspaceId: string
  readonly collectionType: CollectionType
  readonly criteria: Criteria
}
