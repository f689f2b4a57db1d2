import type { Customer } from "@edp/domain/customers/Customer"
import type { Site } from "@edp/domain/sites/Site"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useState } from "react"
import { useApi } from "../../../api/makeApi.ts"
import { useMessages } from "../../../i18n/useMessages.ts"
import { AddRecord } from "../../../kit/AddRecord.tsx"
import { Button } from "../../../kit/Button.tsx"
import { ConfirmDialog } from "../../../kit/ConfirmDialog.tsx"
import { customerName } from "../../../kit/names.ts"
import { PagedTable } from "../../../kit/PagedTable.tsx"
import { Card, Empty } from "../../../kit/components.tsx"
import type { Column } from "../../../kit/Table.tsx"
import { useToast } from "../../../kit/Toasts.tsx"
import { useChange } from "../../../kit/useChange.ts"
import { customersAtSiteQuery, customersQuery, SitesClient } from "../queries.ts"
import { messages } from "../messages.ts"

const route = getRouteApi("/dashboard/sites/$id")

const changed = (siteId: string, customerId: string) => [
  "sites",
  `site:${siteId}`,
  "customers",
  `customer:${customerId}`
]

const LinkCustomer = ({ site }: { readonly site: Site }) => {
  const t = useMessages(messages)
  const toast = useToast()
  const call = useApi(SitesClient)
  return (
    <AddRecord
      label={t.linkCustomer}
      hint={t.chooseCustomer}
      search={customersQuery}
      options={({ data, totalItems }) => ({
        options: data
          .filter(({ id }) => !site.customerIds.includes(id))
          .map((each) => ({
            id: each.id,
            label: customerName(each),
            ...(each.email !== null && { note: each.email })
          })),
        isAll: totalItems <= data.length
      })}
      add={async ({ id, label }) => {
        await call(
          (client) => client.customers.linkSite({ params: { id: site.id, customerId: id } }),
          changed(site.id, id)
        )
        toast.done(t.linked(label))
      }}
    />
  )
}

/** The customers of a site: more can be linked, and each be unlinked. */
export const Customers = ({ site }: { readonly site: Site }) => {
  const t = useMessages(messages)
  const toast = useToast()
  const call = useApi(SitesClient)
  const { customers: page = 1 } = route.useSearch()
  const change = useChange(route.useNavigate())
  const [leaving, setLeaving] = useState<Customer>()
  const columns: ReadonlyArray<Column<Customer>> = [
    {
      id: "name",
      header: t.fields.name,
      isName: true,
      cell: (customer) => (
        <Link to="/dashboard/customers/$id" params={{ id: customer.id }}>
          {customerName(customer)}
        </Link>
      )
    },
    { id: "email", header: t.email, cell: ({ email }) => email ?? "–" },
    { id: "phone", header: t.phone, isExtra: true, cell: ({ phone }) => phone ?? "–" },
    {
      id: "actions",
      header: t.actions,
      align: "end",
      cell: (customer) => (
        <Button small tone="quiet" onClick={() => setLeaving(customer)}>
          {t.unlink}
        </Button>
      )
    }
  ]
  const name = leaving === undefined ? "" : customerName(leaving)
  return (
    <Card title={t.customers} flush>
      <PagedTable
        query={customersAtSiteQuery(site.id, page)}
        onPage={(next) => change({ customers: next })}
        caption={t.customers}
        columns={columns}
        id={({ id }) => id}
        empty={
          <Empty icon="people" title={t.noCustomers}>
            {t.noCustomersHint}
          </Empty>
        }
      />
      <LinkCustomer site={site} />
      <ConfirmDialog
        open={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        title={t.unlinkTitle(name)}
        action={t.unlink}
        act={async () => {
          if (leaving === undefined) return
          await call(
            (client) => client.customers.unlinkSite({ params: { id: site.id, customerId: leaving.id } }),
            changed(site.id, leaving.id)
          )
          toast.done(t.unlinked(name))
        }}
      >
        {t.unlinkLead}
      </ConfirmDialog>
    </Card>
  )
}
