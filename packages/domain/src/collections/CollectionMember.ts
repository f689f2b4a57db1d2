import { Schema } from "effect"
import { Customer } from "../customers/Customer.ts"
import { Device } from "../devices/Device.ts"
import { Site } from "../sites/Site.ts"

/** A member, as its own resource answers it: what it is, the collection's type tells. */
export const CollectionMember = Schema.Union([Device, Site, Customer]).annotate({
  identifier: "CollectionMember",
  description: "A Device, Site or Customer, as the collection's type says"
})
export type CollectionMember = typeof CollectionMember.Type
