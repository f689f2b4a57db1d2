import { type GridConnection, gridConnectionStatuses } from "@edp/domain/grid/GridConnection"
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useMessages } from "../../i18n/useMessages.ts"
import { gridConnectionsQuery } from "../../resources/grid.ts"
import { Button, IconButton } from "../../kit/Button.tsx"
import { ChoiceFilter } from "../../kit/ChoiceFilter.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Menu } from "../../kit/Menu.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import { RecordList } from "../../kit/RecordList.tsx"
import { PageHeader } from "../../kit/components.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { pageRoute } from "../../kit/pageRoute.ts"
import { ConnectionDialog } from "./ConnectionDialog.tsx"
import { RemoveDialog } from "./RemoveDialog.tsx"
import { StatusBadge } from "./StatusBadge.tsx"
import { useConnectionActs } from "./useConnectionActs.ts"
import { useRereading } from "../../kit/useRereading.ts"
import "./grid.css"

const route = pageRoute("/dashboard/grid-connections")

/** The VTNs that the workspace follows. The address holds the form too. */
export const Page = () => {
  const t = useMessages("grid")
  const kit = useMessages("kit")
  const toast = useToast()
  const navigate = useNavigate()
  const { edit, page, status } = route.useSearch()
  const change = route.useChange()
  const { remove, setEnabled } = useConnectionActs()
  const [removed, setRemoved] = useState<GridConnection>()
  const query = gridConnectionsQuery({ page, status })
  useRereading([query])
  const connect = (
    <Button tone="main" icon="plus" onClick={() => change({ edit: "new" })}>
      {t.connect}
    </Button>
  )
  const menu = (row: GridConnection) => (
    <Menu
      trigger={<IconButton icon="more" label={t.actionsOn({ name: row.name })} />}
      items={[
        {
          id: "enabled",
          label: row.enabled ? t.pause : t.resume,
          onSelect: () => void setEnabled.run({ id: row.id, enabled: !row.enabled })
        },
        { id: "remove", label: t.remove, danger: true, onSelect: () => setRemoved(row) }
      ]}
    />
  )
  return (
    <>
      <PageHeader title={t.title} lead={t.lead} actions={connect} />
      {setEnabled.problem && <ProblemNotice problem={setEnabled.problem} />}
      <div className="filters">
        <ChoiceFilter
          label={t.status}
          all={t.everyStatus}
          value={status}
          values={gridConnectionStatuses}
          name={(value) => t.statuses[value]}
          onChange={(next) => change({ status: next, page: undefined })}
        />
      </div>
      <RecordList
        caption={t.caption}
        query={query}
        paging={{ onPage: (next) => change({ page: next }) }}
        id={({ id }) => id}
        none={{ icon: "pylon", title: t.none, hint: t.noneHint, actions: connect }}
        noMatch={status !== undefined && { title: t.noMatch }}
        columns={[
          {
            id: "name",
            header: t.name,
            isName: true,
            cell: (row) => (
              <Link to="/dashboard/grid-connections/$id" params={{ id: row.id }}>
                {row.name}
              </Link>
            )
          },
          { id: "status", header: t.status, cell: (row) => <StatusBadge status={row.status} /> },
          { id: "polled", header: t.lastPoll, cell: (row) => <Age time={row.lastPolledAt} live /> },
          {
            id: "error",
            header: t.lastError,
            cell: (row) => <span className="grid-error">{row.lastError ?? "–"}</span>
          },
          { id: "actions", header: kit.actions, align: "end", cell: menu }
        ]}
      />
      <ConnectionDialog
        open={edit === "new"}
        stored={undefined}
        onClose={() => change({ edit: undefined }, { replace: true })}
        onSaved={({ id, name }) => {
          toast.done(t.connected({ name }))
          void navigate({ to: "/dashboard/grid-connections/$id", params: { id }, replace: true })
        }}
      />
      <RemoveDialog connection={removed} onClose={() => setRemoved(undefined)} act={remove} />
    </>
  )
}
