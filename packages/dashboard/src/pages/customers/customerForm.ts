import type { CreateCustomer, Customer, UpdateCustomer } from "@edp/domain/customers/Customer"

export const customerFields = ["firstName", "lastName", "email", "phone", "referenceId"] as const
export type CustomerField = (typeof customerFields)[number]

/** The messages of the form of a customer. */
export type CustomerForm = Readonly<Record<CustomerField, string>>

export const formFromCustomer = (customer: Pick<Customer, CustomerField> | undefined): CustomerForm => ({
  firstName: customer?.firstName ?? "",
  lastName: customer?.lastName ?? "",
  email: customer?.email ?? "",
  phone: customer?.phone ?? "",
  referenceId: customer?.referenceId ?? ""
})

/** The customer that a form describes; what is empty is left out. */
export const customerToCreate = (form: CustomerForm): CreateCustomer =>
  Object.fromEntries(customerFields.flatMap((name) => (form[name].trim() === "" ? [] : [[name, form[name].trim()]])))

/** The changes between two states of a form: null clears a field. */
export const customerChanges = (before: CustomerForm, after: CustomerForm): UpdateCustomer =>
  Object.fromEntries(
    customerFields
      .filter((name) => before[name].trim() !== after[name].trim())
      .map((name) => [name, after[name].trim() === "" ? null : after[name].trim()])
  )
