import type { CollectionMember } from "@edp/domain/collections/Collection"
import type { Customer } from "@edp/domain/customers/Customer"
import type { Device } from "@edp/domain/devices/Device"
import type { Site } from "@edp/domain/sites/Site"
import { customerName, siteName } from "../../kit/names.ts"

export const isDevice = (member: CollectionMember): member is Device => "manufacturerDeviceId" in member
export const isSite = (member: CollectionMember): member is Site => "address" in member

/** The display name of a member of any type. */
export const memberName = (member: CollectionMember): string =>
  isDevice(member) ? member.name : isSite(member) ? siteName(member) : customerName(member as Customer)
