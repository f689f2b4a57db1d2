import { Customer } from "@edp/domain/customers/Customer"
import { Schema, Struct } from "effect"

/** The columns of a customer. */
export const StoredCustomer = Schema.Struct({
  ...Struct.pick(Customer.fields, ["id", "workspaceId", "referenceId", "firstName", "lastName", "email", "phone"]),
  emailUnconfirmed: Schema.Boolean,
  createdAt: Schema.Date,
  updatedAt: Schema.Date
})

/** A customer as statements return it, with its sites and devices. */
export const CustomerRow = Schema.Struct({
  ...StoredCustomer.fields,
  ...Struct.pick(Customer.fields, ["connectedSiteIds", "connectedDeviceIds"])
})
export type CustomerRow = typeof CustomerRow.Type

export const toCustomer = (row: CustomerRow): Customer => ({
  id: row.id,
  workspaceId: row.workspaceId,
  referenceId: row.referenceId,
  firstName: row.firstName,
  lastName: row.lastName,
  email: row.email,
  emailUnconfirmed: row.emailUnconfirmed,
  phone: row.phone,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  connectedSiteIds: row.connectedSiteIds,
  connectedDeviceIds: row.connectedDeviceIds
})

/** The stored fields of a customer. In a change, absent fields stay as they are. */
export interface CustomerFields {
  readonly referenceId?: string | null
  readonly firstName?: string | null
  readonly lastName?: string | null
  readonly email?: string | null
  readonly phone?: string | null
  /** A visitor of a public page typed the e-mail address: nobody is found by it. */
  readonly emailUnproven?: boolean
}

export const customerColumns = (fields: CustomerFields): Record<string, string | boolean | null> => ({
  ...(fields.referenceId !== undefined && { reference_id: fields.referenceId }),
  ...(fields.firstName !== undefined && { first_name: fields.firstName }),
  ...(fields.lastName !== undefined && { last_name: fields.lastName }),
  ...(fields.email !== undefined && { email: fields.email, email_unproven: fields.emailUnproven === true }),
  ...(fields.phone !== undefined && { phone: fields.phone })
})
