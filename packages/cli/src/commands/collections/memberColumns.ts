import type { CollectionMember } from "@edp/domain/collections/Collection"
import type { Column } from "../../table.ts"

const kindOf = (member: CollectionMember) =>
  "manufacturerDeviceId" in member ? member.type : "address" in member ? "site" : "customer"

const nameOf = (member: CollectionMember) =>
  "name" in member ? member.name : [member.firstName, member.lastName].filter((part) => part !== null).join(" ")

/** What devices, sites and customers have in common. */
export const memberColumns: ReadonlyArray<Column<CollectionMember>> = [
  { title: "ID", value: (member) => member.id, whole: true, wide: true },
  { title: "KIND", value: kindOf, whole: true },
  { title: "NAME", value: nameOf },
  { title: "REFERENCE", value: (member) => member.referenceId }
]
