import { Schema } from "effect"
import { Customer } from "../customers/Customer.ts"
import { Device } from "../devices/Device.ts"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { Several, paging } from "../shared/Page.ts"
import { StoredText, Text } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"
import { flag, oneOf } from "../shared/quantities.ts"
import { Site } from "../sites/Site.ts"
import { collectionTypes, Criteria } from "./criteria.ts"

const orNull = Schema.NullOr
const optional = Schema.optionalKey

export const CollectionType = oneOf(collectionTypes, "What the collection gathers")
export const VisibilityLevel = oneOf(
  ["INTERNAL", "SHARED"],
  "Kept for the caller's own use: it has no effect on who may read the collection"
)

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
  description: orNull(StoredText(2000)).annotate({ description: "More for people" }),
  criteria: Criteria.annotateKey({ description: "The condition that members meet; `{}` holds none" }),
  criteriaVersion: StoredText(10).annotate({ description: "Version of the criteria's schema" }),
  workspaceId: Cuid.annotate({
    description: "The workspace whose records it gathers",
    examples: [exampleIds.workspace]
  }),
  dynamic: Schema.Boolean.annotate({
    description: "true: members are whatever meets the criteria now; false: members are kept as a set"
  }),
  isActive: Schema.Boolean.annotate({
    description: "Of a kept set: true is kept current within a minute, false is frozen as it is"
  }),
  visibilityLevel: VisibilityLevel,
  createdById: StoredText(25).annotate({ description: "Id of the API key that created it" }),
  createdByType: oneOf(["USER", "API_KEY"], "What created it"),
  deletedAt: orNull(Timestamp).annotate({ description: "null: not deleted" }),
  createdAt: orNull(Timestamp).annotate({ description: "When it was created" }),
  updatedAt: orNull(Timestamp).annotate({ description: "When it was changed last; its members do not count" })
}).annotate({
  identifier: "Collection",
  description: "Devices, sites or customers that belong together, by criteria or by hand",
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
const description = orNull(Text(0, 2000)).annotate({ description: "More for people" })
const criteria = {
  description:
    "The condition that members meet. `{}` is for a set kept by hand; in a dynamic collection it is met by every record of the type"
}
const dynamic = flag("true: a live query; false: a kept set. Fixed once the collection exists")
const isActive = flag("Of a kept set: true keeps it current within a minute, false freezes it as it is")
const workspaceId = Text(1, 100).annotate({
  description:
    "With a MANAGEMENT key the same as the query parameter `workspaceId`, which is preferred; from other keys it is ignored"
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
  collectionType: optional(CollectionType.annotate({ description: "Fixed: another than the collection's is refused" })),
  dynamic: optional(flag("Fixed: another than the collection's is refused"))
}).annotate({ identifier: "UpdateCollection", examples: [{ name: "Batteries", isActive: false }] })
export type UpdateCollection = typeof UpdateCollection.Type

export const PreviewCollection = Schema.Struct({
  collectionType: CollectionType,
  criteria: Criteria.annotateKey(criteria),
  workspaceId: optional(workspaceId)
}).annotate({ identifier: "PreviewCollection", examples: [{ collectionType: "DEVICE", criteria: example }] })
export type PreviewCollection = typeof PreviewCollection.Type

/** Which workspace's collections a MANAGEMENT key means. */
export const OfWorkspace = {
  workspaceId: optional(
    Text(1, 100).annotate({
      description:
        "With a MANAGEMENT key: a workspace of its organization, by default its own. Other keys have their own alone: any other is WORKSPACE_NOT_FOUND"
    })
  )
}

const boolean = oneOf(["true", "false"])

export const CollectionFilters = {
  ...paging(),
  ...OfWorkspace,
  collectionType: optional(Several(CollectionType).annotate({ description: "What the collections gather" })),
  visibilityLevel: optional(Several(VisibilityLevel).annotate({ description: "Visibility of the collections" })),
  dynamic: optional(boolean.annotate({ description: "true: live queries; false: kept sets" })),
  isActive: optional(boolean.annotate({ description: "false: frozen" })),
  q: optional(Text(1, 255).annotate({ description: "Beginning of the name, any case" }))
}

export const MemberFilters = { ...paging(), ...OfWorkspace }

/** A member, as its own resource answers it: what it is, the collection's type tells. */
export const CollectionMember = Schema.Union([Device, Site, Customer]).annotate({
  identifier: "CollectionMember",
  description: "A Device, Site or Customer, as the collection's type says"
})
export type CollectionMember = typeof CollectionMember.Type
