import type { CollectionType, Criteria, Membership } from "@edp/domain/collections/criteria"
import { Context, type Effect } from "effect"
import type { Statement } from "effect/sql"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"

/** A collection that is not deleted, with its criteria if it has no list of members. */
export interface StoredCollection {
  readonly id: string
  readonly collectionType: CollectionType
  readonly dynamic: boolean
  readonly criteria: Criteria
}

/** The collections that select devices; a later slice stores them. */
export class CollectionsOfDevices extends Context.Service<
  CollectionsOfDevices,
  {
    /** Those of the collections that the workspace has. */
    readonly find: (
      workspaceId: string,
      collectionIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<StoredCollection>, DatabaseUnavailable>
    /** The memberships of those of the collections that the workspace has and that are of the type. */
    readonly memberships: (
      workspaceId: string,
      type: CollectionType,
      collectionIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Membership>, DatabaseUnavailable>
    /** A query of the ids of listed members. */
    readonly memberIds: (workspaceId: string, collectionId: string) => Statement.Fragment
    /** The condition that a record is a listed member; the column has its id. */
    readonly contains: (collectionId: string, column: string) => Statement.Fragment
  }
>()("@edp/server/devices/CollectionsOfDevices") {}
