import type { Site } from "@edp/domain/sites/Site"
import { useNavigate } from "@tanstack/react-router"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { sitesQuery } from "../../resources/sites.ts"
import { Button } from "../../kit/Button.tsx"
import { Age } from "../../kit/Figure.tsx"
import { addressLine, siteName } from "../../kit/names.ts"
import { Badge, PageHeader } from "../../kit/components.tsx"
import { RecordList } from "../../kit/RecordList.tsx"
import { SiteLink } from "../../kit/recordLinks.tsx"
import type { Column } from "../../kit/Table.tsx"
import { TextFilters } from "../../kit/TextFilters.tsx"
import { pageRoute } from "../../kit/pageRoute.ts"
import { SiteDialog } from "./SiteDialog.tsx"
import "./sites.css"

const route = pageRoute("/dashboard/sites")

export const Page = () => {
  const t = useMessages("sites")
  const language = useLanguage()
  const navigate = useNavigate()
  const search = route.useSearch()
  const change = route.useChange()
  const { q, state, postalCode, tag, referenceId } = search
  const isFiltered = [q, state, postalCode, tag, referenceId].some((filter) => filter !== undefined)
  const columns: ReadonlyArray<Column<Site>> = [
    {
      id: "name",
      header: t.fields.name,
      isName: true,
      cell: (site) => <SiteLink id={site.id}>{siteName(site)}</SiteLink>
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
    <Button tone="main" icon="plus" onClick={() => change({ edit: "new" })}>
      {t.newSite}
    </Button>
  )
  return (
    <>
      <PageHeader title={t.title} lead={t.lead} actions={create} />
      <TextFilters
        filters={[
          { name: "q", label: t.search, placeholder: t.searchHint },
          { name: "referenceId", label: t.fields.referenceId },
          { name: "state", label: t.fields.state },
          { name: "postalCode", label: t.fields.postalCode },
          { name: "tag", label: t.tag }
        ]}
        search={search}
        change={change}
      />
      <RecordList
        query={sitesQuery(search)}
        paging={{ onPage: (page) => change({ page }) }}
        id={({ id }) => id}
        caption={t.title}
        columns={columns}
        none={{ icon: "home", title: t.none, hint: t.noneHint, actions: create }}
        noMatch={isFiltered && { icon: "search", title: t.noMatch }}
      />
      <SiteDialog
        open={search.edit === "new"}
        onClose={() => change({ edit: undefined }, { replace: true })}
        onSaved={({ id }) => void navigate({ to: "/dashboard/sites/$id", params: { id } })}
      />
    </>
  )
}
