import type { Site } from "@edp/domain/sites/Site"
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useTexts } from "../../i18n/useTexts.ts"
import { Button } from "../../kit/Button.tsx"
import { Age } from "../../kit/Figure.tsx"
import { addressLine, siteName } from "../../kit/names.ts"
import { PagedTable } from "../../kit/PagedTable.tsx"
import { Badge, Card, Empty, PageHeader } from "../../kit/Parts.tsx"
import { SearchField } from "../../kit/SearchField.tsx"
import { SearchFilters, useFilters } from "../../kit/SearchFilters.tsx"
import type { Column } from "../../kit/Table.tsx"
import { pageNumber, useParameters } from "../../kit/useParameters.ts"
import { sitesQuery } from "./queries.ts"
import { SiteDialog } from "./SiteDialog.tsx"
import "./sites.css"
import { texts } from "./texts.ts"

const filterNames = ["q", "state", "postalCode", "tag", "referenceId"] as const

const Filters = () => {
  const t = useTexts(texts)
  return (
    <SearchFilters names={filterNames}>
      <SearchField label={t.search} parameter="q" placeholder={t.searchHint} />
      <SearchField label={t.fields.referenceId} parameter="referenceId" />
      <SearchField label={t.fields.state} parameter="state" />
      <SearchField label={t.fields.postalCode} parameter="postalCode" />
      <SearchField label={t.tag} parameter="tag" />
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
  const columns: ReadonlyArray<Column<Site>> = [
    {
      id: "name",
      header: t.fields.name,
      isName: true,
      cell: (site) => (
        <Link to="/dashboard/sites/$id" params={{ id: site.id }}>
          {siteName(site)}
        </Link>
      )
    },
    { id: "address", header: t.address, cell: ({ address }) => addressLine(address) },
    {
      id: "devices",
      header: t.devices,
      align: "end",
      cell: ({ deviceCount }) => formatNumber(language, deviceCount)
    },
    {
      id: "customers",
      header: t.customers,
      align: "end",
      cell: ({ customerIds }) => formatNumber(language, customerIds.length)
    },
    { id: "reference", header: t.fields.referenceId, isExtra: true, cell: ({ referenceId }) => referenceId ?? "–" },
    {
      id: "tags",
      header: t.fields.tags,
      isExtra: true,
      cell: ({ tags }) =>
        tags.length === 0 ? (
          "–"
        ) : (
          <span className="sites-tags">
            {tags.slice(0, 5).map((tag) => (
              <Badge key={tag}>{tag}</Badge>
            ))}
            {tags.length > 5 && <Badge>+{tags.length - 5}</Badge>}
          </span>
        )
    },
    { id: "changed", header: t.changed, isExtra: true, cell: ({ updatedAt }) => <Age time={updatedAt} /> }
  ]
  const create = (
    <Button tone="main" icon="plus" onClick={() => setCreating(true)}>
      {t.newSite}
    </Button>
  )
  return (
    <>
      <PageHeader title={t.title} lead={t.lead} actions={create} />
      <Filters />
      <Card flush>
        <PagedTable
          query={sitesQuery({ page: pageNumber(parameters["page"]), perPage: 25, ...filters })}
          caption={t.title}
          columns={columns}
          id={({ id }) => id}
          empty={
            isFiltered ? (
              <Empty icon="search" title={t.noMatch} />
            ) : (
              <Empty icon="home" title={t.none} actions={create}>
                {t.noneHint}
              </Empty>
            )
          }
        />
      </Card>
      <SiteDialog
        open={creating}
        onClose={() => setCreating(false)}
        onSaved={(site) => void navigate({ to: "/dashboard/sites/$id", params: { id: site.id } })}
      />
    </>
  )
}
