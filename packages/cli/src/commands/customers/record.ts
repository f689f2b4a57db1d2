import type { Customer } from "@edp/domain/customers/Customer"
import type { Column } from "../../table.ts"

export const customerColumns: ReadonlyArray<Column<Customer>> = [
  { title: "ID", value: (customer) => customer.id, whole: true, wide: true },
  { title: "REFERENCE", value: (customer) => customer.referenceId },
  {
    title: "NAME",
    value: ({ firstName, lastName }) => [firstName, lastName].filter((part) => part !== null).join(" ")
  },
  { title: "E-MAIL", value: (customer) => customer.email },
  { title: "PHONE", value: (customer) => customer.phone, wide: true },
  { title: "SITES", value: (customer) => customer.connectedSiteIds.length, right: true, whole: true },
  { title: "DEVICES", value: (customer) => customer.connectedDeviceIds.length, right: true, whole: true },
  { title: "CREATED", value: (customer) => customer.createdAt, time: true, wide: true }
]

export const nameOf = ({ email, firstName, id, lastName, referenceId }: Customer) =>
  [firstName, lastName].filter((part) => part !== null).join(" ") || (email ?? referenceId ?? id)

const deviceLines = ({ devices = [] }: Customer) =>
  devices.map(({ id, name, onlineStatus, type }) => [`device ${id}`, `${type}, ${name}, ${onlineStatus}`] as const)

export const customerFields = (customer: Customer) => [
  ["id", customer.id] as const,
  ["reference", customer.referenceId] as const,
  ["first name", customer.firstName] as const,
  ["last name", customer.lastName] as const,
  ["e-mail", customer.email] as const,
  ["phone", customer.phone] as const,
  ["sites", customer.connectedSiteIds] as const,
  ["devices", customer.connectedDeviceIds] as const,
  ["created", customer.createdAt] as const,
  ["updated", customer.updatedAt] as const,
  ...deviceLines(customer)
]
