import type { Customer } from "@edp/domain/customers/Customer"
import { useNavigate } from "@tanstack/react-router"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { customersQuery } from "../../resources/customers.ts"
import { Button } from "../../kit/Button.tsx"
import { Age } from "../../kit/Figure.tsx"
import { customerName } from "../../kit/names.ts"
import { PageHeader } from "../../kit/components.tsx"
import { RecordList } from "../../kit/RecordList.tsx"
import { CustomerLink } from "../../kit/recordLinks.tsx"
import type { Column } from "../../kit/Table.tsx"
import { TextFilters } from "../../kit/TextFilters.tsx"
import { pageRoute } from "../../kit/pageRoute.ts"
import { CustomerDialog } from "./CustomerDialog.tsx"

const route = pageRoute("/dashboard/customers")

export const Page = () => {
  const t = useMessages("customers")
  const language = useLanguage()
  const navigate = useNavigate()
  const search = route.useSearch()
  const change = route.useChange()
  const isFiltered = [search.q, search.email, search.referenceId].some((filter) => filter !== undefined)
  const columns: ReadonlyArray<Column<Customer>> = [
    {
      id: "name",
      header: t.name,
      isName: true,
      cell: (customer) => <CustomerLink id={customer.id}>{customerName(customer)}</CustomerLink>
    },
    { id: "email", header: t.fields.email, cell: ({ email }) => email ?? "–" },
    { id: "phone", header: t.fields.phone, isExtra: true, cell: ({ phone }) => phone ?? "–" },
    { id: "reference", header: t.fields.referenceId, isExtra: true, cell: ({ referenceId }) => referenceId ?? "–" },
    {
      id: "sites",
      header: t.sites,
      align: "end",
      cell: ({ connectedSiteIds }) => formatNumber(language, connectedSiteIds.length)
    },
    {
      id: "devices",
      header: t.devices,
      align: "end",
      cell: ({ connectedDeviceIds }) => formatNumber(language, connectedDeviceIds.length)
    },
    { id: "changed", header: t.changed, isExtra: true, cell: ({ updatedAt }) => <Age time={updatedAt} /> }
  ]
  const create = (
    <Button tone="main" icon="plus" onClick={() => change({ edit: "new" })}>
      {t.newCustomer}
    </Button>
  )
  return (
    <>
      <PageHeader title={t.title} lead={t.lead} actions={create} />
      <TextFilters
        filters={[
          { name: "q", label: t.search, placeholder: t.searchHint },
          { name: "email", label: t.wholeEmail },
          { name: "referenceId", label: t.fields.referenceId }
        ]}
        search={search}
        change={change}
      />
      <RecordList
        query={customersQuery(search)}
        paging={{ onPage: (page) => change({ page }) }}
        id={({ id }) => id}
        caption={t.title}
        columns={columns}
        none={{ icon: "people", title: t.none, hint: t.noneHint, actions: create }}
        noMatch={isFiltered && { icon: "search", title: t.noMatch }}
      />
      <CustomerDialog
        open={search.edit === "new"}
        onClose={() => change({ edit: undefined }, { replace: true })}
        onSaved={({ id }) => void navigate({ to: "/dashboard/customers/$id", params: { id } })}
      />
    </>
  )
}
