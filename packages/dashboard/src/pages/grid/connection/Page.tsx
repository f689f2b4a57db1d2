import type { GridConnection } from "@edp/domain/grid/GridConnection"
import { Link } from "@tanstack/react-router"
import { workspaceAtom } from "../../../api/session.ts"
import { formatQuantity } from "../../../i18n/format.ts"
import { useLanguage, useMessages } from "../../../i18n/useMessages.ts"
import {
  gridConnectionQuery,
  gridEventsQuery,
  gridProgramsQuery,
  gridReportsQuery,
  gridTimelineQuery
} from "../../../resources/grid.ts"
import { Button } from "../../../kit/Button.tsx"
import { Age } from "../../../kit/Figure.tsx"
import { LoadedRecord } from "../../../kit/LoadedRecord.tsx"
import { Tabs } from "../../../kit/Tabs.tsx"
import { Card, Facts, Notice, PageHeader } from "../../../kit/components.tsx"
import { pageRoute } from "../../../kit/pageRoute.ts"
import { currentValue, useAtomValue } from "../../../state/atoms.ts"
import { StatusBadge } from "../StatusBadge.tsx"
import { useRereading } from "../../../kit/useRereading.ts"
import { Actions } from "./Actions.tsx"
import { Events } from "./Events.tsx"
import { Programs } from "./Programs.tsx"
import { Reports } from "./Reports.tsx"
import { Timeline } from "./Timeline.tsx"
import "../grid.css"

const route = pageRoute("/dashboard/grid-connections/$id")

interface PartProps {
  readonly connection: GridConnection
}

const Notices = ({ connection: { failingSince, id, lastError, notificationError, status } }: PartProps) => {
  const t = useMessages("grid")
  const change = route.useChange()
  const programs = currentValue(useAtomValue(gridProgramsQuery(id)))?.data ?? []
  const isIdle = programs.every(({ programInstanceId, rules }) => programInstanceId === null || rules.length === 0)
  const toPrograms = (
    <Button small onClick={() => change({ tab: "programs", page: undefined })}>
      {t.toPrograms}
    </Button>
  )
  return (
    <>
      {status === "failing" && (
        <Notice state="bad" title={t.failingTitle}>
          {lastError}
          {failingSince !== null && (
            <>
              {" · "}
              {t.failingSince} <Age time={failingSince} />
            </>
          )}
        </Notice>
      )}
      {status === "connected" && lastError !== null && (
        <Notice state="warn" title={t.leftOut}>
          {lastError}
        </Notice>
      )}
      {status === "connected" && notificationError !== null && (
        <Notice state="warn" title={t.notificationError}>
          {notificationError}
        </Notice>
      )}
      {status === "paused" && (
        <Notice state="info" title={t.isPaused}>
          {t.isPausedHint}
        </Notice>
      )}
      {programs.length > 0 && isIdle && (
        <Notice state="info" title={t.commandsNothing} actions={toPrograms}>
          {t.commandsNothingHint}
        </Notice>
      )}
    </>
  )
}

const Details = ({ connection }: PartProps) => {
  const t = useMessages("grid")
  const language = useLanguage()
  return (
    <Card>
      <Facts
        items={[
          [t.status, <StatusBadge key="status" status={connection.status} />],
          [t.lastPoll, <Age key="poll" time={connection.lastPolledAt} live />],
          [t.pollSeconds, formatQuantity(language, connection.pollSeconds, "s")],
          [t.notifiedBy, t.notifiers[connection.notifiedBy]],
          [
            t.lastNotification,
            connection.lastNotifiedAt && <Age key="notified" time={connection.lastNotifiedAt} live />
          ],
          [t.vtnUrl, <code key="url">{connection.vtnUrl}</code>],
          [t.venName, connection.venName],
          [t.clientId, connection.clientId ?? t.noToken],
          [t.targets, connection.targets.join(", ")],
          [t.venId, connection.venId && <code key="ven">{connection.venId}</code>]
        ]}
      />
    </Card>
  )
}

const Shown = ({ connection }: PartProps) => {
  const t = useMessages("grid")
  const timeZone = useAtomValue(workspaceAtom)?.timezone ?? "UTC"
  const { page, report, status, tab = "events" } = route.useSearch()
  const change = route.useChange()
  const { id, name } = connection
  const programs = currentValue(useAtomValue(gridProgramsQuery(id)))?.data ?? []
  const programName = (programId: string) => programs.find((each) => each.id === programId)?.name ?? t.program
  useRereading([
    gridConnectionQuery(id),
    gridTimelineQuery(id),
    gridProgramsQuery(id),
    ...(tab === "events" ? [gridEventsQuery(id, { page, status })] : []),
    ...(tab === "reports" ? [gridReportsQuery(id, { page, status: report })] : [])
  ])
  return (
    <>
      <PageHeader
        title={name}
        above={<Link to="/dashboard/grid-connections">{t.title}</Link>}
        actions={<Actions connection={connection} />}
      />
      <Notices connection={connection} />
      <Details connection={connection} />
      <Timeline {...{ id, timeZone, programName }} />
      <Tabs
        label={t.views}
        value={tab}
        onChange={(next) => change({ tab: next, page: undefined, status: undefined, report: undefined })}
        tabs={[
          { id: "events", label: t.events, content: <Events {...{ id, timeZone, programName }} /> },
          { id: "programs", label: t.programs, content: <Programs id={id} /> },
          { id: "reports", label: t.reports, content: <Reports {...{ id, timeZone }} /> }
        ]}
      />
    </>
  )
}

export const Page = () => {
  const t = useMessages("grid")
  const id = route.useParams().id
  return (
    <LoadedRecord
      key={id}
      query={gridConnectionQuery(id)}
      title={t.connection}
      above={<Link to="/dashboard/grid-connections">{t.title}</Link>}
    >
      {(connection) => <Shown connection={connection} />}
    </LoadedRecord>
  )
}
