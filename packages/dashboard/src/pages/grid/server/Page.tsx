import { workspaceAtom } from "../../../api/session.ts"
import { useMessages } from "../../../i18n/useMessages.ts"
import {
  openAdrClientsQuery,
  openAdrServerQuery,
  openAdrSubscriptionsQuery,
  venReportsQuery
} from "../../../resources/openadr.ts"
import { ButtonLink } from "../../../kit/ButtonLink.tsx"
import { Loaded } from "../../../kit/Loaded.tsx"
import { Tabs } from "../../../kit/Tabs.tsx"
import { Card, PageHeader } from "../../../kit/components.tsx"
import { pageRoute } from "../../../kit/pageRoute.ts"
import { useAtomValue } from "../../../state/atoms.ts"
import { TimelineBands } from "../connection/Timeline.tsx"
import { useRereading } from "../../../kit/useRereading.ts"
import { Clients } from "./Clients.tsx"
import { Reports } from "./Reports.tsx"
import { ServedEvents } from "./ServedEvents.tsx"
import { Subscriptions } from "./Subscriptions.tsx"
import "../grid.css"

const route = pageRoute("/dashboard/openadr")

/** The workspace as a VTN: who follows it, and what it publishes. */
export const Page = () => {
  const t = useMessages("openadr")
  const { page, tab = "clients" } = route.useSearch()
  const change = route.useChange()
  const timeZone = useAtomValue(workspaceAtom)?.timezone ?? "UTC"
  useRereading([
    openAdrServerQuery,
    ...(tab === "clients" ? [openAdrClientsQuery({ page })] : []),
    ...(tab === "subscriptions" ? [openAdrSubscriptionsQuery({ page })] : []),
    ...(tab === "reports" ? [venReportsQuery({ page })] : [])
  ])
  return (
    <>
      <PageHeader
        title={t.title}
        lead={t.lead}
        actions={
          <ButtonLink to="/dashboard/keys" search={{ edit: "new", type: "OPENADR_VEN" }} tone="main" icon="plus">
            {t.create}
          </ButtonLink>
        }
      />
      <Loaded query={openAdrServerQuery}>
        {({ programs, timeline }) => (
          <Card title={t.published}>
            <TimelineBands
              timeline={timeline}
              timeZone={timeZone}
              programName={(id) => programs.find((program) => program.id === id)?.name ?? id}
              emptyHint={t.nothingPublished}
            />
          </Card>
        )}
      </Loaded>
      <Tabs
        label={t.views}
        value={tab}
        onChange={(next) => change({ tab: next, page: undefined })}
        tabs={[
          { id: "clients", label: t.clients, content: <Clients /> },
          { id: "events", label: t.events, content: <ServedEvents timeZone={timeZone} /> },
          { id: "subscriptions", label: t.subscriptions, content: <Subscriptions /> },
          { id: "reports", label: t.reports, content: <Reports /> }
        ]}
      />
    </>
  )
}
