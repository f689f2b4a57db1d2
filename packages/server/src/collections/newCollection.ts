import type { CreateCollection } from "@edp/domain/collections/Collection"
import type { Criteria } from "@edp/domain/collections/criteria"
import type { CollectionRow } from "./collectionRow.ts"

interface Origin {
  readonly id: string
  readonly workspaceId: string
  readonly createdById: string
  readonly now: Date
}

/** What a collection is when it begins. */
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
