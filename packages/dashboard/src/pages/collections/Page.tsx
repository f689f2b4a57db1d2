import type { Collection } from "@edp/domain/collections/Collection"
import { collectionTypes } from "@edp/domain/collections/criteria"
import { useNavigate } from "@tanstack/react-router"
import { useMessages } from "../../i18n/useMessages.ts"
import { collectionsQuery } from "../../resources/collections.ts"
import { Button } from "../../kit/Button.tsx"
import { ChoiceFilter } from "../../kit/ChoiceFilter.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Badge, PageHeader } from "../../kit/components.tsx"
import { RecordList } from "../../kit/RecordList.tsx"
import { CollectionLink } from "../../kit/recordLinks.tsx"
import { SearchField } from "../../kit/SearchField.tsx"
import { SearchFilters } from "../../kit/SearchFilters.tsx"
import type { Column } from "../../kit/Table.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { pageRoute } from "../../kit/pageRoute.ts"
import { CollectionDialog } from "./CollectionDialog.tsx"
import { membership } from "./collectionForm.ts"
import "./collections.css"

const route = pageRoute("/dashboard/collections")

export const Page = () => {
  const t = useMessages("collections")
  const toast = useToast()
  const navigate = useNavigate()
  const search = route.useSearch()
  const change = route.useChange()
  const { edit, q, type } = search
  const isFiltered = q !== undefined || type !== undefined
  const columns: ReadonlyArray<Column<Collection>> = [
    {
      id: "name",
      header: t.name,
      isName: true,
      cell: ({ id, name }) => <CollectionLink id={id}>{name}</CollectionLink>
    },
    { id: "type", header: t.type, cell: ({ collectionType }) => t.types[collectionType] },
    {
      id: "kind",
      header: t.kind,
      cell: (row) => (
        <>
          {t.kinds[membership(row)]} {membership(row) === "stored" && !row.isActive && <Badge>{t.frozen}</Badge>}
        </>
      )
    },
    { id: "description", header: t.description, isExtra: true, cell: ({ description }) => description || "–" },
    { id: "changed", header: t.changed, isExtra: true, cell: ({ updatedAt }) => <Age time={updatedAt} /> }
  ]
  const create = (
    <Button tone="main" icon="plus" onClick={() => change({ edit: "new" })}>
      {t.create}
    </Button>
  )
  return (
    <>
      <PageHeader title={t.title} lead={t.lead} actions={create} />
      <SearchFilters isFiltered={isFiltered} onClear={() => change({ q: undefined, type: undefined, page: undefined })}>
        <SearchField
          label={t.search}
          value={q}
          onSearch={(text, options) => change({ q: text, page: undefined }, options)}
        />
        <ChoiceFilter
          label={t.type}
          all={t.all}
          value={type}
          values={collectionTypes}
          name={(value) => t.types[value]}
          onChange={(value) => change({ type: value, page: undefined })}
        />
      </SearchFilters>
      <RecordList
        query={collectionsQuery(search)}
        paging={{ onPage: (page) => change({ page }) }}
        id={({ id }) => id}
        caption={t.caption}
        columns={columns}
        none={{ icon: "filter", title: t.none, hint: t.noneHint, actions: create }}
        noMatch={isFiltered && { icon: "search", title: t.noMatch }}
      />
      <CollectionDialog
        open={edit === "new"}
        onClose={() => change({ edit: undefined }, { replace: true })}
        onSaved={({ id }) => {
          toast.done(t.created)
          void navigate({ to: "/dashboard/collections/$id", params: { id }, replace: true })
        }}
      />
    </>
  )
}
