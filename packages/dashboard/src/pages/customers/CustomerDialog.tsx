import type { Customer } from "@edp/domain/customers/Customer"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { customerChanged, customersChanged, CustomersClient } from "../../resources/customers.ts"
import { Dialog } from "../../kit/Dialog.tsx"
import { DialogForm } from "../../kit/DialogForm.tsx"
import { TextField } from "../../kit/Field.tsx"
import { customerName } from "../../kit/names.ts"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"
import { useFields } from "../../kit/useFields.ts"
import { customerChanges, type CustomerField, customerToCreate, formFromCustomer } from "./customerForm.ts"

interface Props {
  readonly open: boolean
  readonly onClose: () => void
  /** The customer to change; without one a customer is created. */
  readonly customer?: Customer
  readonly onSaved?: (customer: Customer) => void
}

const Form = ({ onClose, customer, onSaved }: Omit<Props, "open">) => {
  const t = useMessages("customers")
  const kit = useMessages("kit")
  const toast = useToast()
  const call = useApi(CustomersClient)
  const [before] = useState(() => formFromCustomer(customer))
  const [form, bind] = useFields(before)
  const { run, busy, problem } = useAction(() =>
    customer === undefined
      ? call((client) => client.customers.create({ payload: customerToCreate(form) }), customersChanged)
      : call(
          (client) => client.customers.update({ params: { id: customer.id }, payload: customerChanges(before, form) }),
          customerChanged(customer.id)
        )
  )
  const bound = bind(problem)
  const field = (name: CustomerField) => ({ label: t.fields[name], ...bound(name) })
  const submit = async () => {
    const saved = await run()
    if (saved === undefined) return
    toast.done(customer === undefined ? t.created({ name: customerName(saved) }) : t.saved)
    onClose()
    onSaved?.(saved)
  }
  return (
    <DialogForm
      act={{ busy, problem }}
      action={customer === undefined ? t.create : kit.save}
      onSubmit={submit}
      onCancel={onClose}
    >
      {customer === undefined && <p className="hint">{t.allOptional}</p>}
      <TextField {...field("firstName")} maxLength={100} />
      <TextField {...field("lastName")} maxLength={100} />
      <TextField {...field("email")} type="email" maxLength={254} />
      <TextField {...field("phone")} type="tel" minLength={5} maxLength={20} />
      <TextField {...field("referenceId")} hint={t.referenceHint} maxLength={1000} />
    </DialogForm>
  )
}

/** Creates or changes a customer. */
export const CustomerDialog = ({ open, ...rest }: Props) => {
  const t = useMessages("customers")
  return (
    <Dialog open={open} onClose={rest.onClose} title={rest.customer === undefined ? t.newCustomer : t.editCustomer}>
      <Form {...rest} />
    </Dialog>
  )
}
