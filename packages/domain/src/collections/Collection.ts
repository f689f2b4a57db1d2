import { Schema } from "effect"
import { Customer } from "../customers/Customer.ts"
import { Device, DeviceIncludes } from "../devices/Device.ts"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { Several, paging } from "../shared/Page.ts"
import { StoredText, Text } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"
import { flag, oneOf } from "../shared/quantities.ts"
import { Site } from "../sites/Site.ts"
import { collectionTypes, Criteria } from "./criteria.ts"

const orNull = Schema.NullOr
const optional = Schema.optionalKey

export const CollectionType = oneOf(collectionTypes, "Type of the members")
export const VisibilityLevel = oneOf(["INTERNAL", "SHARED"], "Stored for the caller's use; it has no effect on access")

const example: Criteria = {
  all: [
    { attribute: "type", operator: "eq", value: "battery" },
    { attribute: "state.chargePercentage", operator: "gte", value: 20 }
  ]
}

export const Collection = Schema.Struct({
  id: Cuid.annotate({ examples: [exampleIds.collection] }),
  name: StoredText(255).annotate({ description: "Unique among the workspace's collections that are not deleted" }),
  collectionType: CollectionType,
  description: orNull(StoredText(2000)).annotate({ description: "Description, shown to users" }),
  criteria: Criteria.annotateKey({ description: "The condition that members meet; `{}` is no condition" }),
  criteriaVersion: StoredText(10).annotate({ description: "Version of the criteria's schema" }),
  workspaceId: Cuid.annotate({
    description: "The workspace of the members",
    examples: [exampleIds.workspace]
  }),
  dynamic: Schema.Boolean.annotate({
    description:
      "true: dynamic, the members are the records that currently meet the criteria; false: materialized, the members are stored"
  }),
  isActive: Schema.Boolean.annotate({
    description: "Of a materialized collection: true updates its members within a minute, false freezes them"
  }),
  visibilityLevel: VisibilityLevel,
  createdById: StoredText(25).annotate({ description: "Id of the API key that created the collection" }),
  createdByType: oneOf(["USER", "API_KEY"], "Kind of the creator"),
  deletedAt: orNull(Timestamp).annotate({ description: "Time of deletion; null if it is not deleted" }),
  createdAt: orNull(Timestamp).annotate({ description: "Time of creation" }),
  updatedAt: orNull(Timestamp).annotate({ description: "Time of the last change; changes of members do not count" })
}).annotate({
  identifier: "Collection",
  description: "A group of devices, sites or customers, defined by criteria or member by member",
  examples: [
    {
      id: exampleIds.collection,
      name: "Charged batteries",
      collectionType: "DEVICE",
      description: null,
      criteria: example,
      criteriaVersion: "1",
      workspaceId: exampleIds.workspace,
      dynamic: true,
      isActive: true,
      visibilityLevel: "INTERNAL",
      createdById: exampleIds.apiKey,
      createdByType: "API_KEY",
      deletedAt: null,
      createdAt: "2026-03-01T12:00:00.000Z",
      updatedAt: "2026-03-01T12:00:00.000Z"
    }
  ]
})
export type Collection = typeof Collection.Type

const name = Text(1, 255).annotate({ description: "Unique among the workspace's collections that are not deleted" })
const description = orNull(Text(0, 2000)).annotate({ description: "Description, shown to users" })
const criteria = {
  description:
    "The condition that members meet. `{}` in a materialized collection means that members are added one by one; in a dynamic collection every record of the type meets it"
}
const dynamic = flag("true: dynamic; false: materialized. Can't be changed later")
const isActive = flag("Of a materialized collection: true updates its members within a minute, false freezes them")
const workspaceId = Text(1, 100).annotate({
  description:
    "With a MANAGEMENT key the same as the query parameter `workspaceId`, which takes precedence; ignored with other keys"
})

export const CreateCollection = Schema.Struct({
  name,
  collectionType: CollectionType,
  description: optional(description),
  criteria: Criteria.annotateKey(criteria),
  dynamic: optional(dynamic.annotate({ default: true })),
  isActive: optional(isActive.annotate({ default: true })),
  visibilityLevel: optional(VisibilityLevel.annotate({ default: "INTERNAL" })),
  workspaceId: optional(workspaceId)
}).annotate({
  identifier: "CreateCollection",
  examples: [
    { name: "Charged batteries", collectionType: "DEVICE", criteria: example },
    { name: "Picked by hand", collectionType: "SITE", criteria: {}, dynamic: false }
  ]
})
export type CreateCollection = typeof CreateCollection.Type

export const UpdateCollection = Schema.Struct({
  name: optional(name),
  description: optional(description),
  criteria: optional(Criteria).annotateKey(criteria),
  isActive: optional(isActive),
  visibilityLevel: optional(VisibilityLevel),
  collectionType: optional(
    CollectionType.annotate({
      description: "Can't be changed: a value other than the collection's is VALIDATION_ERROR"
    })
  ),
  dynamic: optional(flag("Can't be changed: a value other than the collection's is VALIDATION_ERROR"))
}).annotate({ identifier: "UpdateCollection", examples: [{ name: "Batteries", isActive: false }] })
export type UpdateCollection = typeof UpdateCollection.Type

export const PreviewCollection = Schema.Struct({
  collectionType: CollectionType,
  criteria: Criteria.annotateKey(criteria),
  workspaceId: optional(workspaceId)
}).annotate({ identifier: "PreviewCollection", examples: [{ collectionType: "DEVICE", criteria: example }] })
export type PreviewCollection = typeof PreviewCollection.Type

/** The workspace of the collections, for MANAGEMENT keys. */
export const OfWorkspace = {
  workspaceId: optional(
    Text(1, 100).annotate({
      description:
        "With a MANAGEMENT key: a workspace of its organization; default its own. With other keys any workspace but their own is WORKSPACE_NOT_FOUND"
    })
  )
}

const boolean = oneOf(["true", "false"])

export const CollectionFilters = {
  ...paging(),
  ...OfWorkspace,
  collectionType: optional(Several(CollectionType).annotate({ description: "Type of the members" })),
  visibilityLevel: optional(Several(VisibilityLevel).annotate({ description: "Visibility of the collections" })),
  dynamic: optional(boolean.annotate({ description: "true: dynamic collections; false: materialized collections" })),
  isActive: optional(boolean.annotate({ description: "false: frozen collections" })),
  q: optional(Text(1, 255).annotate({ description: "Prefix of the name, case-insensitive" }))
}

export const MemberFilters = { ...paging(), ...DeviceIncludes, ...OfWorkspace }

/** A member in the form of its own resource. */
export const CollectionMember = Schema.Union([Device, Site, Customer]).annotate({
  identifier: "CollectionMember",
  description: "A Device, Site or Customer, depending on the type of the collection"
})
export type CollectionMember = typeof CollectionMember.Type
