import type { Dispatch, DispatchStatus } from "@edp/domain/dispatches/Dispatch"
import type { ProgramInstance } from "@edp/domain/programs/ProgramInstance"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useState } from "react"
import { workspaceAtom } from "../../api/session.ts"
import { formatNumber, formatQuantity, formatTime } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { Button } from "../../kit/Button.tsx"
import { ButtonLink } from "../../kit/ButtonLink.tsx"
import { SelectField } from "../../kit/Field.tsx"
import { ListedOf } from "../../kit/ListedOf.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { PagedTable } from "../../kit/PagedTable.tsx"
import { Badge, Card, Empty, PageHeader, type State } from "../../kit/components.tsx"
import { useChange } from "../../kit/useChange.ts"
import { useAtomValue } from "../../state/atoms.ts"
import "./dispatches.css"
import { NewDispatch } from "./NewDispatch.tsx"
import { dispatchesQuery, instancesQuery } from "./queries.ts"
import { messages } from "./messages.ts"

const route = getRouteApi("/dashboard/dispatches")

const states: Readonly<Record<DispatchStatus, State>> = {
  draft: "plain",
  scheduled: "info",
  running: "good",
  completed: "plain",
  cancelled: "bad"
}

const statuses = Object.keys(states) as ReadonlyArray<DispatchStatus>

const siteCount = ({ participants }: Dispatch) => Object.values(participants).reduce((sum, count) => sum + count, 0)

interface ListProps {
  readonly instanceId: string
  readonly timeZone: string
}

const List = ({ instanceId, timeZone }: ListProps) => {
  const t = useMessages(messages)
  const language = useLanguage()
  const { page = 1, status } = route.useSearch()
  const change = useChange(route.useNavigate())
  const time = (text: string) =>
    formatTime(language, Date.parse(text), { dateStyle: "medium", timeStyle: "short", timeZone })
  return (
    <Card flush>
      <PagedTable
        query={dispatchesQuery(instanceId, page, status)}
        onPage={(next) => change({ page: next })}
        caption={t.title}
        id={({ id }) => id}
        empty={
          <Empty icon="dispatch" title={t.none}>
            {t.noneHint}
          </Empty>
        }
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
                <Badge state={states[dispatch.status]}>{t.statuses[dispatch.status]}</Badge>
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
              nominatedPowerW === null ? (
                <span className="muted">–</span>
              ) : (
                formatQuantity(language, nominatedPowerW, "W")
              )
          }
        ]}
      />
    </Card>
  )
}

interface ChosenProps {
  readonly instances: ReadonlyArray<ProgramInstance>
  readonly total: number
  readonly timeZone: string
}

const Chosen = ({ instances, total, timeZone }: ChosenProps) => {
  const t = useMessages(messages)
  const search = route.useSearch()
  const change = useChange(route.useNavigate())
  const [creating, setCreating] = useState(false)
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
        <SelectField
          label={t.status}
          value={search.status ?? ""}
          options={[
            { value: "", label: t.everyStatus },
            ...statuses.map((value) => ({ value, label: t.statuses[value] }))
          ]}
          onChange={(status) => change({ status: status || undefined, page: undefined })}
        />
        <Button tone="main" icon="plus" onClick={() => setCreating(true)}>
          {t.create}
        </Button>
      </div>
      <ListedOf shown={instances.length} total={total} />
      <List instanceId={instance.id} timeZone={timeZone} />
      <NewDispatch open={creating} onClose={() => setCreating(false)} instanceId={instance.id} timeZone={timeZone} />
    </>
  )
}

export const Page = () => {
  const t = useMessages(messages)
  const timeZone = useAtomValue(workspaceAtom)?.timezone ?? "UTC"
  return (
    <>
      <PageHeader title={t.title} lead={t.zone(timeZone)} />
      <Loaded query={instancesQuery}>
        {({ data, totalItems }) => <Chosen instances={data} total={totalItems} timeZone={timeZone} />}
      </Loaded>
    </>
  )
}
