import { isEmpty, type Membership } from "@edp/domain/collections/criteria"
import type { CollectionRow } from "./collectionRow.ts"

type Kind = Pick<CollectionRow, "dynamic" | "criteria">

export const membershipOf = ({ criteria, dynamic, id }: Kind & { readonly id: string }): Membership =>
  dynamic ? { criteria } : { collectionId: id }

/** Members of a set without criteria are put in and taken out one by one. */
export const isKeptByHand = ({ criteria, dynamic }: Kind): boolean => !dynamic && isEmpty(criteria)

/** Members of a set with criteria are whoever meets them. */
export const followsCriteria = ({ criteria, dynamic }: Kind): boolean => !dynamic && !isEmpty(criteria)
