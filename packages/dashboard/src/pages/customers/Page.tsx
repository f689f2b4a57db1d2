import type { Customer } from "@edp/domain/customers/Customer"
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useTexts } from "../../i18n/useTexts.ts"
import { Button } from "../../kit/Button.tsx"
import { Age } from "../../kit/Figure.tsx"
import { customerName } from "../../kit/names.ts"
import { PagedTable } from "../../kit/PagedTable.tsx"
import { Card, Empty, PageHeader } from "../../kit/Parts.tsx"
import { SearchField } from "../../kit/SearchField.tsx"
import { SearchFilters, useFilters } from "../../kit/SearchFilters.tsx"
import type { Column } from "../../kit/Table.tsx"
import { pageNumber, useParameters } from "../../kit/useParameters.ts"
import { CustomerDialog } from "./CustomerDialog.tsx"
import { customersQuery } from "./queries.ts"
import { texts } from "./texts.ts"

const filterNames = ["q", "email", "referenceId"] as const

const Filters = () => {
  const t = useTexts(texts)
  return (
    <SearchFilters names={filterNames}>
      <SearchField label={t.search} parameter="q" placeholder={t.searchHint} />
      <SearchField label={t.wholeEmail} parameter="email" />
      <SearchField label={t.fields.referenceId} parameter="referenceId" />
    </SearchFilters>
  )
}

export const Page = () => {
  const t = useTexts(texts)
  const language = useLanguage()
  const navigate = useNavigate()
  const [parameters] = useParameters()
  const [creating, setCreating] = useState(false)
  const { filters, isFiltered } = useFilters(filterNames)
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
      <Filters />
      <Card flush>
        <PagedTable
          query={customersQuery({ page: pageNumber(parameters["page"]), ...filters })}
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
