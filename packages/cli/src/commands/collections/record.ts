import type { Collection } from "@edp/domain/collections/Collection"
import type { Column } from "../../table.ts"

const kind = ({ dynamic, isActive }: Collection) => (dynamic ? "live" : isActive ? "kept" : "frozen")

export const collectionColumns: ReadonlyArray<Column<Collection>> = [
  { title: "ID", value: (collection) => collection.id, whole: true },
  { title: "NAME", value: (collection) => collection.name },
  { title: "TYPE", value: (collection) => collection.collectionType, whole: true },
  { title: "MEMBERS", value: kind, whole: true },
  { title: "VISIBILITY", value: (collection) => collection.visibilityLevel, wide: true },
  { title: "CREATED", value: (collection) => collection.createdAt, time: true, whole: true, wide: true }
]

export const collectionFields = (collection: Collection) =>
  [
    ["id", collection.id],
    ["name", collection.name],
    ["type", collection.collectionType],
    ["members", kind(collection)],
    ["criteria", collection.criteria],
    ["description", collection.description],
    ["visibility", collection.visibilityLevel],
    ["workspace", collection.workspaceId],
    ["created", `${collection.createdAt} by ${collection.createdById}`],
    ["updated", collection.updatedAt]
  ] as const
