import { type Schedule, scheduledTypes } from "@edp/domain/schedules/Schedule"
import { useMessages } from "../../i18n/useMessages.ts"
import { schedulesQuery } from "../../resources/schedules.ts"
import { Button } from "../../kit/Button.tsx"
import { ChoiceFilter } from "../../kit/ChoiceFilter.tsx"
import { detailsColumn } from "../../kit/detailsColumn.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Badge, PageHeader } from "../../kit/components.tsx"
import { RecordList } from "../../kit/RecordList.tsx"
import type { Column } from "../../kit/Table.tsx"
import { pageRoute } from "../../kit/pageRoute.ts"
import { Followed } from "./Followed.tsx"
import { ScheduleDetails } from "./ScheduleDetails.tsx"
import { ScheduleEditor } from "./ScheduleEditor.tsx"
import { Target } from "./targets.tsx"
import "./schedules.css"

const route = pageRoute("/dashboard/schedules")

export const Page = () => {
  const t = useMessages("schedules")
  const { types } = useMessages("devices")
  const search = route.useSearch()
  const change = route.useChange()
  const { device, edit, enabled, schedule, type } = search
  const isFiltered = type !== undefined || enabled !== undefined
  const open = (id: string) => change({ schedule: id })
  const create = (
    <Button tone="main" icon="plus" onClick={() => change({ edit: "new" })}>
      {t.create}
    </Button>
  )
  const columns: ReadonlyArray<Column<Schedule>> = [
    { id: "name", header: t.name, isName: true, cell: ({ name }) => name },
    { id: "target", header: t.target, cell: ({ target }) => <Target target={target} /> },
    { id: "type", header: t.type, isExtra: true, cell: ({ deviceType }) => types[deviceType] },
    {
      id: "state",
      header: t.state,
      cell: (row) => <Badge state={row.enabled ? "good" : "plain"}>{row.enabled ? t.enabled : t.paused}</Badge>
    },
    {
      id: "next",
      header: t.next,
      cell: ({ nextTransitionAt, timezone }) =>
        nextTransitionAt === null ? "–" : <Age time={nextTransitionAt} timeZone={timezone} />
    },
    { id: "timezone", header: t.timezone, isExtra: true, cell: ({ timezone }) => timezone },
    detailsColumn<Schedule>({ label: t.details, title: ({ name }) => t.open({ name }), onOpen: ({ id }) => open(id) })
  ]
  return (
    <>
      <PageHeader title={t.title} lead={t.lead} actions={create} />
      <div className="filters" role="group" aria-label={t.filters}>
        <ChoiceFilter
          label={t.type}
          all={t.all}
          value={type}
          values={scheduledTypes}
          name={(value) => types[value]}
          onChange={(value) => change({ type: value, page: undefined })}
        />
        <ChoiceFilter
          label={t.state}
          all={t.all}
          value={enabled}
          values={["true", "false"]}
          name={(value) => (value === "true" ? t.enabled : t.paused)}
          onChange={(value) => change({ enabled: value, page: undefined })}
        />
        {isFiltered && (
          <Button
            tone="quiet"
            icon="cross"
            onClick={() => change({ type: undefined, enabled: undefined, page: undefined })}
          >
            {t.clear}
          </Button>
        )}
      </div>
      <RecordList
        query={schedulesQuery(search)}
        paging={{ onPage: (page) => change({ page }) }}
        id={({ id }) => id}
        caption={t.caption}
        columns={columns}
        none={{ icon: "clock", title: t.none, hint: t.noneHint, actions: create }}
        noMatch={isFiltered && { icon: "search", title: t.noMatch }}
      />
      <Followed device={device} onDevice={(id) => change({ device: id })} onOpen={open} />
      <ScheduleDetails
        id={edit === undefined ? schedule : undefined}
        onEdit={(id) => change({ edit: id })}
        onClose={() => change({ schedule: undefined }, { replace: true })}
      />
      <ScheduleEditor edited={edit} onClose={() => change({ edit: undefined }, { replace: true })} />
    </>
  )
}
