import type { Customer } from "@edp/domain/customers/Customer"

export interface CustomerRow {
  readonly id: string
  readonly workspaceId: string
  readonly referenceId: string | null
  readonly firstName: string | null
  readonly lastName: string | null
  readonly email: string | null
  readonly phone: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly connectedSiteIds: ReadonlyArray<string>
  readonly connectedDeviceIds: ReadonlyArray<string>
}

export const toCustomer = (row: CustomerRow): Customer => ({
  id: row.id,
  workspaceId: row.workspaceId,
  referenceId: row.referenceId,
  firstName: row.firstName,
  lastName: row.lastName,
  email: row.email,
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
}

export const customerColumns = (fields: CustomerFields): Record<string, string | null> => ({
  ...(fields.referenceId !== undefined && { reference_id: fields.referenceId }),
  ...(fields.firstName !== undefined && { first_name: fields.firstName }),
  ...(fields.lastName !== undefined && { last_name: fields.lastName }),
  ...(fields.email !== undefined && { email: fields.email }),
  ...(fields.phone !== undefined && { phone: fields.phone })
})
