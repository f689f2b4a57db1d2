import type { Customer } from "@edp/domain/customers/Customer"
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { Button } from "../../kit/Button.tsx"
import { Age } from "../../kit/Figure.tsx"
import { customerName } from "../../kit/names.ts"
import { PagedTable } from "../../kit/PagedTable.tsx"
import { Card, Empty, PageHeader } from "../../kit/components.tsx"
import { SearchField } from "../../kit/SearchField.tsx"
import { SearchFilters } from "../../kit/SearchFilters.tsx"
import type { Column } from "../../kit/Table.tsx"
import { useChange } from "../../kit/useChange.ts"
import { CustomerDialog } from "./CustomerDialog.tsx"
import { customersQuery } from "./queries.ts"
import { messages } from "./messages.ts"

const route = getRouteApi("/dashboard/customers")

const noFilters = { q: undefined, email: undefined, referenceId: undefined, page: undefined }

const Filters = ({ isFiltered }: { readonly isFiltered: boolean }) => {
  const t = useMessages(messages)
  const { q, email, referenceId } = route.useSearch()
  const change = useChange(route.useNavigate())
  return (
    <SearchFilters isFiltered={isFiltered} onClear={() => change(noFilters)}>
      <SearchField
        label={t.search}
        value={q}
        onSearch={(next, options) => change({ q: next, page: undefined }, options)}
        placeholder={t.searchHint}
      />
      <SearchField
        label={t.wholeEmail}
        value={email}
        onSearch={(next, options) => change({ email: next, page: undefined }, options)}
      />
      <SearchField
        label={t.fields.referenceId}
        value={referenceId}
        onSearch={(next, options) => change({ referenceId: next, page: undefined }, options)}
      />
    </SearchFilters>
  )
}

export const Page = () => {
  const t = useMessages(messages)
  const language = useLanguage()
  const navigate = useNavigate()
  const { page = 1, q, email, referenceId } = route.useSearch()
  const change = useChange(route.useNavigate())
  const [creating, setCreating] = useState(false)
  const isFiltered = [q, email, referenceId].some((filter) => filter !== undefined)
  const columns: ReadonlyArray<Column<Customer>> = [
    {
      id: "name",
      header: t.name,
      isName: true,
      cell: (customer) => (
        <Link to="/dashboard/customers/$id" params={{ id: customer.id }}>
          {customerName(customer)}
        </Link>
      )
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
    <Button tone="main" icon="plus" onClick={() => setCreating(true)}>
      {t.newCustomer}
    </Button>
  )
  return (
    <>
      <PageHeader title={t.title} lead={t.lead} actions={create} />
      <Filters isFiltered={isFiltered} />
      <Card flush>
        <PagedTable
          query={customersQuery({ page, q, email, referenceId })}
          onPage={(next) => change({ page: next })}
          caption={t.title}
          columns={columns}
          id={({ id }) => id}
          empty={
            isFiltered ? (
              <Empty icon="search" title={t.noMatch} />
            ) : (
              <Empty icon="people" title={t.none} actions={create}>
                {t.noneHint}
              </Empty>
            )
          }
        />
      </Card>
      <CustomerDialog
        open={creating}
        onClose={() => setCreating(false)}
        onSaved={(customer) => void navigate({ to: "/dashboard/customers/$id", params: { id: customer.id } })}
      />
    </>
  )
}
