import { type AuditLog, auditResourceTypes } from "@edp/domain/audit/AuditLog"
import { useState } from "react"
import { sessionAtom } from "../../api/session.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { auditLogsQuery } from "../../resources/auditLogs.ts"
import { Button } from "../../kit/Button.tsx"
import { Coded } from "../../kit/Coded.tsx"
import { ChoiceFilter } from "../../kit/ChoiceFilter.tsx"
import { detailsColumn } from "../../kit/detailsColumn.tsx"
import { Age } from "../../kit/Figure.tsx"
import { PageHeader } from "../../kit/components.tsx"
import { RecordList } from "../../kit/RecordList.tsx"
import { SearchField } from "../../kit/SearchField.tsx"
import { TimeFilters } from "../../kit/TimeFilters.tsx"
import type { ChangeOptions } from "../../kit/useChange.ts"
import { pageRoute } from "../../kit/pageRoute.ts"
import { useAtomValue } from "../../state/atoms.ts"
import { RecordDetails } from "./RecordDetails.tsx"

const route = pageRoute("/dashboard/audit")

const noFilters = { resource: undefined, actor: undefined, from: undefined, to: undefined }

export const Page = () => {
  const t = useMessages("audit")
  const search = route.useSearch()
  const change = route.useChange()
  const session = useAtomValue(sessionAtom)
  const [opened, setOpened] = useState<AuditLog>()
  const workspaceName = (id: string) => session?.workspaces.find((each) => each.id === id)?.name ?? id
  const filter = (changed: Partial<typeof search>, options?: ChangeOptions) =>
    change({ ...changed, cursor: undefined }, options)
  const isFiltered = [search.resource, search.actor, search.from, search.to].some(Boolean)
  return (
    <>
      <PageHeader title={t.title} lead={t.lead} />
      <div className="filters" role="group" aria-label={t.filters}>
        <ChoiceFilter
          label={t.resource}
          all={t.all}
          value={search.resource}
          values={auditResourceTypes}
          name={(type) => t.resources[type]}
          onChange={(resource) => filter({ resource })}
        />
        <SearchField label={t.actorId} value={search.actor} onSearch={(actor, options) => filter({ actor }, options)} />
        <TimeFilters labels={t} search={search} onChange={filter} />
        {isFiltered && (
          <Button tone="quiet" icon="cross" onClick={() => filter(noFilters)}>
            {t.clear}
          </Button>
        )}
      </div>
      <RecordList
        query={auditLogsQuery(search)}
        paging={{ cursor: search.cursor, onCursor: (cursor) => change({ cursor }) }}
        id={({ id }) => id}
        caption={t.caption}
        columns={[
          {
            id: "action",
            header: t.action,
            isName: true,
            cell: ({ action }) => <Coded code={action}>{t.actions[action]}</Coded>
          },
          { id: "time", header: t.time, cell: ({ createdAt }) => <Age time={createdAt} /> },
          {
            id: "resource",
            header: t.resource,
            cell: ({ resourceId, resourceType }) => (
              <span title={resourceId}>
                {resourceType === "workspace" ? workspaceName(resourceId) : t.resources[resourceType]}
              </span>
            )
          },
          {
            id: "workspace",
            header: t.workspace,
            isExtra: true,
            cell: ({ workspaceId }) => (workspaceId === null ? "–" : workspaceName(workspaceId))
          },
          { id: "actor", header: t.actor, cell: ({ actorId, actorOwnerId }) => actorOwnerId ?? <code>{actorId}</code> },
          { id: "address", header: t.address, isExtra: true, cell: ({ address }) => address ?? "–" },
          detailsColumn<AuditLog>({
            label: t.details,
            title: ({ action }) => t.open({ action: t.actions[action] }),
            onOpen: setOpened
          })
        ]}
        none={{ icon: "info", title: t.none }}
        noMatch={isFiltered && { icon: "search", title: t.noMatch }}
      />
      <RecordDetails record={opened} workspaceName={workspaceName} onClose={() => setOpened(undefined)} />
    </>
  )
}
