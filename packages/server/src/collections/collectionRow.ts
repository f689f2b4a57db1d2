import { Collection, type CreateCollection } from "@edp/domain/collections/Collection"
import { type Criteria, type Membership, isEmpty, collectionTypes } from "@edp/domain/collections/criteria"
import { JsonColumn } from "../platform/sql/rows.ts"
import { Struct, Schema } from "effect"

/** A collection that is not deleted. Its criteria were validated when they were stored. */
export const CollectionRow = Schema.Struct({
  ...Struct.omit(Collection.fields, ["criteria", "deletedAt", "createdAt", "updatedAt"]),
  criteria: JsonColumn<Criteria>(),
  deletedAt: Schema.NullOr(Schema.Date),
  createdAt: Schema.Date,
  updatedAt: Schema.Date
})
export type CollectionRow = typeof CollectionRow.Type

export const toCollection = (row: CollectionRow): Collection => ({
  ...row,
  criteria: row.criteria as Collection["criteria"],
  deletedAt: row.deletedAt === null ? null : row.deletedAt.toISOString(),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString()
})

/** The input of the members of a materialized collection. */
export const MaterializedCollection = Schema.Struct({
  id: Schema.String,
  workspaceId: Schema.String,
  collectionType: Schema.Literals(collectionTypes),
  criteria: JsonColumn<Criteria>()
})
export type MaterializedCollection = typeof MaterializedCollection.Type

interface Origin {
  readonly id: string
  readonly workspaceId: string
  readonly createdById: string
  readonly now: Date
}

export const newCollection = (
  input: CreateCollection,
  criteria: Criteria,
  criteriaVersion: string,
  { createdById, id, now, workspaceId }: Origin
): CollectionRow => ({
  id,
  workspaceId,
  name: input.name,
  collectionType: input.collectionType,
  description: input.description ?? null,
  criteria,
  criteriaVersion,
  dynamic: input.dynamic ?? true,
  isActive: input.isActive ?? true,
  visibilityLevel: input.visibilityLevel ?? "INTERNAL",
  createdById,
  createdByType: "API_KEY",
  deletedAt: null,
  createdAt: now,
  updatedAt: now
})

type Kind = Pick<CollectionRow, "dynamic" | "criteria">

export const toMembership = ({ criteria, dynamic, id }: Kind & { readonly id: string }): Membership =>
  dynamic ? { criteria } : { collectionId: id }

/** Without criteria, members are added and removed individually. */
export const isManual = ({ criteria, dynamic }: Kind): boolean => !dynamic && isEmpty(criteria)

/** A materialized collection: its stored members are the records that meet the criteria. */
export const isMaterialized = ({ criteria, dynamic }: Kind): boolean => !dynamic && !isEmpty(criteria)
