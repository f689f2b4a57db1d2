import type { Site } from "@edp/domain/sites/Site"
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { Button } from "../../kit/Button.tsx"
import { Age } from "../../kit/Figure.tsx"
import { addressLine, siteName } from "../../kit/names.ts"
import { PagedTable } from "../../kit/PagedTable.tsx"
import { Badge, Card, Empty, PageHeader } from "../../kit/components.tsx"
import { SearchField } from "../../kit/SearchField.tsx"
import { SearchFilters } from "../../kit/SearchFilters.tsx"
import type { Column } from "../../kit/Table.tsx"
import { useChange } from "../../kit/useChange.ts"
import { sitesQuery } from "./queries.ts"
import { SiteDialog } from "./SiteDialog.tsx"
import "./sites.css"
import { messages } from "./messages.ts"

const route = getRouteApi("/dashboard/sites")

const noFilters = {
  q: undefined,
  state: undefined,
  postalCode: undefined,
  tag: undefined,
  referenceId: undefined,
  page: undefined
}

const Filters = ({ isFiltered }: { readonly isFiltered: boolean }) => {
  const t = useMessages(messages)
  const { q, state, postalCode, tag, referenceId } = route.useSearch()
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
        label={t.fields.referenceId}
        value={referenceId}
        onSearch={(next, options) => change({ referenceId: next, page: undefined }, options)}
      />
      <SearchField
        label={t.fields.state}
        value={state}
        onSearch={(next, options) => change({ state: next, page: undefined }, options)}
      />
      <SearchField
        label={t.fields.postalCode}
        value={postalCode}
        onSearch={(next, options) => change({ postalCode: next, page: undefined }, options)}
      />
      <SearchField
        label={t.tag}
        value={tag}
        onSearch={(next, options) => change({ tag: next, page: undefined }, options)}
      />
    </SearchFilters>
  )
}

export const Page = () => {
  const t = useMessages(messages)
  const language = useLanguage()
  const navigate = useNavigate()
  const { page = 1, q, state, postalCode, tag, referenceId } = route.useSearch()
  const change = useChange(route.useNavigate())
  const [creating, setCreating] = useState(false)
  const isFiltered = [q, state, postalCode, tag, referenceId].some((filter) => filter !== undefined)
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
      <Filters isFiltered={isFiltered} />
      <Card flush>
        <PagedTable
          query={sitesQuery({ page, perPage: 25, q, state, postalCode, tag, referenceId })}
          onPage={(next) => change({ page: next })}
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
