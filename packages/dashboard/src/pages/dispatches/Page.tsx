import type { Dispatch, DispatchStatus } from "@edp/domain/dispatches/Dispatch"
import type { ProgramInstance } from "@edp/domain/programs/ProgramInstance"
import { Link } from "@tanstack/react-router"
import { workspaceAtom } from "../../api/session.ts"
import { formatNumber, formatQuantity, formatTime } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { dispatchesQuery } from "../../resources/dispatches.ts"
import { allInstancesQuery } from "../../resources/programs.ts"
import { Button } from "../../kit/Button.tsx"
import { ButtonLink } from "../../kit/ButtonLink.tsx"
import { ChoiceFilter } from "../../kit/ChoiceFilter.tsx"
import { SelectField } from "../../kit/Field.tsx"
import { ListedOf } from "../../kit/ListedOf.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { RecordList } from "../../kit/RecordList.tsx"
import { Badge, Empty, PageHeader } from "../../kit/components.tsx"
import { pageRoute } from "../../kit/pageRoute.ts"
import { dispatchStates } from "../../kit/states.ts"
import { useAtomValue } from "../../state/atoms.ts"
import "./dispatches.css"
import { NewDispatch } from "./NewDispatch.tsx"

const route = pageRoute("/dashboard/dispatches")

const statuses = Object.keys(dispatchStates) as ReadonlyArray<DispatchStatus>

const siteCount = ({ participants }: Dispatch) => Object.values(participants).reduce((sum, count) => sum + count, 0)

interface ListProps {
  readonly instanceId: string
  readonly timeZone: string
}

const List = ({ instanceId, timeZone }: ListProps) => {
  const t = useMessages("dispatches")
  const language = useLanguage()
  const search = route.useSearch()
  const change = route.useChange()
  const time = (text: string) =>
    formatTime(language, Date.parse(text), { dateStyle: "medium", timeStyle: "short", timeZone })
  return (
    <RecordList
      query={dispatchesQuery(instanceId, search)}
      paging={{ onPage: (page) => change({ page }) }}
      id={({ id }) => id}
      caption={t.title}
      none={{ icon: "dispatch", title: t.none, hint: t.noneHint }}
      columns={[
        {
          id: "name",
          header: t.name,
          isName: true,
          cell: ({ id, name }) => (
            <Link to="/dashboard/dispatches/$id" params={{ id }}>
              {name}
            </Link>
          )
        },
        {
          id: "status",
          header: t.status,
          cell: (dispatch) => (
            <span className="dispatches-marks">
              <Badge state={dispatchStates[dispatch.status]}>{t.statuses[dispatch.status]}</Badge>
              {dispatch.test && <Badge state="warn">{t.test}</Badge>}
              {!dispatch.voluntary && <Badge>{t.mandatory}</Badge>}
            </span>
          )
        },
        { id: "starts", header: t.starts, cell: ({ startsAt }) => time(startsAt) },
        { id: "ends", header: t.ends, cell: ({ endsAt }) => time(endsAt) },
        {
          id: "intervals",
          header: t.intervals,
          align: "end",
          isExtra: true,
          cell: ({ intervals }) => formatNumber(language, intervals.length)
        },
        {
          id: "sites",
          header: t.participants,
          align: "end",
          cell: (dispatch) => formatNumber(language, siteCount(dispatch))
        },
        {
          id: "nominated",
          header: t.nominated,
          align: "end",
          cell: ({ nominatedPowerW }) =>
            nominatedPowerW === null ? <span className="muted">–</span> : formatQuantity(language, nominatedPowerW, "W")
        }
      ]}
    />
  )
}

interface ChosenProps {
  readonly instances: ReadonlyArray<ProgramInstance>
  readonly total: number
  readonly timeZone: string
}

const Chosen = ({ instances, total, timeZone }: ChosenProps) => {
  const t = useMessages("dispatches")
  const search = route.useSearch()
  const change = route.useChange()
  const instance = instances.find(({ id }) => id === search.instance) ?? instances[0]
  if (instance === undefined) {
    return (
      <Empty
        icon="program"
        title={t.noInstances}
        actions={<ButtonLink to="/dashboard/programs">{t.toPrograms}</ButtonLink>}
      >
        {t.noInstancesHint}
      </Empty>
    )
  }
  return (
    <>
      <div className="filters">
        <SelectField
          label={t.instance}
          value={instance.id}
          options={instances.map(({ id, title }) => ({ value: id, label: title }))}
          onChange={(next) => change({ instance: next, page: undefined })}
        />
        <ChoiceFilter
          label={t.status}
          all={t.everyStatus}
          value={search.status}
          values={statuses}
          name={(value) => t.statuses[value]}
          onChange={(status) => change({ status, page: undefined })}
        />
        <Button tone="main" icon="plus" className="dispatches-new" onClick={() => change({ edit: "new" })}>
          {t.create}
        </Button>
      </div>
      <ListedOf shown={instances.length} total={total} />
      <List instanceId={instance.id} timeZone={timeZone} />
      <NewDispatch
        open={search.edit === "new"}
        onClose={() => change({ edit: undefined }, { replace: true })}
        instanceId={instance.id}
        timeZone={timeZone}
      />
    </>
  )
}

export const Page = () => {
  const t = useMessages("dispatches")
  const timeZone = useAtomValue(workspaceAtom)?.timezone ?? "UTC"
  return (
    <>
      <PageHeader title={t.title} lead={t.zone({ timeZone })} />
      <Loaded query={allInstancesQuery}>
        {({ data, totalItems }) => <Chosen instances={data} total={totalItems} timeZone={timeZone} />}
      </Loaded>
    </>
  )
}
