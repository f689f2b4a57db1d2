import type { Customer } from "@edp/domain/customers/Customer"
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useApi } from "../../../api/makeApi.ts"
import { useMessages } from "../../../i18n/useMessages.ts"
import { customerQuery, customerRemoved, CustomersClient } from "../../../resources/customers.ts"
import { Button } from "../../../kit/Button.tsx"
import { ConfirmDialog } from "../../../kit/ConfirmDialog.tsx"
import { Age } from "../../../kit/Figure.tsx"
import { LoadedRecord } from "../../../kit/LoadedRecord.tsx"
import { customerName } from "../../../kit/names.ts"
import { Badge, Card, Facts, PageHeader } from "../../../kit/components.tsx"
import { useToast } from "../../../kit/Toasts.tsx"
import { pageRoute } from "../../../kit/pageRoute.ts"
import { CustomerDialog } from "../CustomerDialog.tsx"
import { customerFields } from "../customerForm.ts"
import { ConnectLink } from "./ConnectLink.tsx"
import { Devices } from "./Devices.tsx"
import { Enrollments } from "./Enrollments.tsx"
import { Sites } from "./Sites.tsx"

const route = pageRoute("/dashboard/customers/$id")

const DeleteCustomer = ({ customer, open, onClose }: DeleteProps) => {
  const t = useMessages("customers")
  const toast = useToast()
  const navigate = useNavigate()
  const call = useApi(CustomersClient)
  const name = customerName(customer)
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title={t.removeTitle}
      name={name}
      action={t.removeTitle}
      act={async () => {
        await call((client) => client.customers.remove({ params: { id: customer.id } }), customerRemoved)
        toast.done(t.removed({ name }))
        await navigate({ to: "/dashboard/customers" })
      }}
    >
      {t.removeLead}
    </ConfirmDialog>
  )
}

interface DeleteProps {
  readonly customer: Customer
  readonly open: boolean
  readonly onClose: () => void
}

const Unconfirmed = ({ email }: { readonly email: string | null }) => (
  <>
    {email} <Badge state="warn">{useMessages("customers").unconfirmed}</Badge>
  </>
)

const View = ({ customer }: { readonly customer: Customer }) => {
  const t = useMessages("customers")
  const [open, setOpen] = useState<"edit" | "delete" | "connect">()
  const close = () => setOpen(undefined)
  return (
    <>
      <PageHeader
        title={customerName(customer)}
        above={<Link to="/dashboard/customers">{t.title}</Link>}
        actions={
          <>
            <Button tone="main" icon="plug" onClick={() => setOpen("connect")}>
              {t.connect}
            </Button>
            <Button icon="pen" onClick={() => setOpen("edit")}>
              {t.edit}
            </Button>
            <Button icon="trash" tone="danger" onClick={() => setOpen("delete")}>
              {t.remove}
            </Button>
          </>
        }
      />
      <Card>
        <Facts
          items={[
            ...customerFields.map((name) => {
              const isUnconfirmed = name === "email" && customer.emailUnconfirmed === true
              const value = isUnconfirmed ? <Unconfirmed email={customer[name]} /> : customer[name]
              return [t.fields[name], value] as const
            }),
            [t.createdAt, <Age time={customer.createdAt} />],
            [t.changed, <Age time={customer.updatedAt} />]
          ]}
        />
      </Card>
      <Sites customer={customer} />
      <Devices customer={customer} />
      <Enrollments customer={customer} />
      <CustomerDialog open={open === "edit"} onClose={close} customer={customer} />
      <ConnectLink customer={customer} open={open === "connect"} onClose={close} />
      <DeleteCustomer customer={customer} open={open === "delete"} onClose={close} />
    </>
  )
}

export const Page = () => {
  const t = useMessages("customers")
  const id = route.useParams().id
  return (
    <LoadedRecord
      key={id}
      query={customerQuery(id)}
      title={t.customer}
      above={<Link to="/dashboard/customers">{t.title}</Link>}
    >
      {(customer) => <View customer={customer} />}
    </LoadedRecord>
  )
}
