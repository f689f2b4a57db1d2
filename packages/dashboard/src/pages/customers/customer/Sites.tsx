import type { Customer } from "@edp/domain/customers/Customer"
import type { Site } from "@edp/domain/sites/Site"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useState } from "react"
import { useApi } from "../../../api/makeApi.ts"
import { useMessages } from "../../../i18n/useMessages.ts"
import { AddRecord } from "../../../kit/AddRecord.tsx"
import { Button } from "../../../kit/Button.tsx"
import { ButtonLink } from "../../../kit/ButtonLink.tsx"
import { ConfirmDialog } from "../../../kit/ConfirmDialog.tsx"
import { addressLine, siteName } from "../../../kit/names.ts"
import { PagedTable } from "../../../kit/PagedTable.tsx"
import { Card, Empty } from "../../../kit/components.tsx"
import type { Column } from "../../../kit/Table.tsx"
import { useToast } from "../../../kit/Toasts.tsx"
import { useChange } from "../../../kit/useChange.ts"
import { CustomersClient, sitesQuery, sitesWithCustomerQuery } from "../queries.ts"
import { messages } from "../messages.ts"

const route = getRouteApi("/dashboard/customers/$id")

const changed = (siteId: string, customerId: string) => [
  "sites",
  `site:${siteId}`,
  "customers",
  `customer:${customerId}`
]

const LinkSite = ({ customer }: { readonly customer: Customer }) => {
  const t = useMessages(messages)
  const toast = useToast()
  const call = useApi(CustomersClient)
  return (
    <AddRecord
      label={t.linkSite}
      hint={t.chooseSite}
      search={sitesQuery}
      options={({ data, totalItems }) => ({
        options: data
          .filter(({ id }) => !customer.connectedSiteIds.includes(id))
          .map((site) => ({ id: site.id, label: siteName(site), note: addressLine(site.address) })),
        isAll: totalItems <= data.length
      })}
      add={async ({ id, label }) => {
        await call(
          (client) => client.customers.linkSite({ params: { id, customerId: customer.id } }),
          changed(id, customer.id)
        )
        toast.done(t.linked(label))
      }}
    />
  )
}

/** The sites of a customer: more can be linked, and each be unlinked. */
export const Sites = ({ customer }: { readonly customer: Customer }) => {
  const t = useMessages(messages)
  const toast = useToast()
  const call = useApi(CustomersClient)
  const { sites: page = 1 } = route.useSearch()
  const change = useChange(route.useNavigate())
  const [leaving, setLeaving] = useState<Site>()
  const columns: ReadonlyArray<Column<Site>> = [
    {
      id: "name",
      header: t.site,
      isName: true,
      cell: (site) => (
        <Link to="/dashboard/sites/$id" params={{ id: site.id }}>
          {siteName(site)}
        </Link>
      )
    },
    { id: "address", header: t.address, cell: ({ address }) => addressLine(address) },
    { id: "devices", header: t.devices, align: "end", isExtra: true, cell: ({ deviceCount }) => deviceCount },
    {
      id: "actions",
      header: t.actions,
      align: "end",
      cell: (site) => (
        <span className="actions customers-row-actions">
          <ButtonLink small tone="quiet" to="/dashboard/energy" search={{ site: site.id }}>
            {t.energy}
          </ButtonLink>
          <Button small tone="quiet" onClick={() => setLeaving(site)}>
            {t.unlink}
          </Button>
        </span>
      )
    }
  ]
  const name = leaving === undefined ? "" : siteName(leaving)
  return (
    <Card title={t.sites} flush>
      <PagedTable
        query={sitesWithCustomerQuery(customer.id, page)}
        onPage={(next) => change({ sites: next })}
        caption={t.sites}
        columns={columns}
        id={({ id }) => id}
        empty={
          <Empty icon="home" title={t.noSites}>
            {t.noSitesHint}
          </Empty>
        }
      />
      <LinkSite customer={customer} />
      <ConfirmDialog
        open={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        title={t.unlinkTitle(name)}
        action={t.unlink}
        act={async () => {
          if (leaving === undefined) return
          await call(
            (client) => client.customers.unlinkSite({ params: { id: leaving.id, customerId: customer.id } }),
            changed(leaving.id, customer.id)
          )
          toast.done(t.unlinked(name))
        }}
      >
        {t.unlinkLead}
      </ConfirmDialog>
    </Card>
  )
}
