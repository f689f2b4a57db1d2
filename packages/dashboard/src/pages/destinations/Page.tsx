import { destinationTypes } from "@edp/domain/destinations/Destination"
import { COUNTED_DELIVERIES, type DestinationOverview } from "@edp/domain/destinations/DestinationOverview"
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { destinationsQuery } from "../../resources/destinations.ts"
import { Button } from "../../kit/Button.tsx"
import { ChoiceFilter } from "../../kit/ChoiceFilter.tsx"
import { Age } from "../../kit/Figure.tsx"
import { RecordList } from "../../kit/RecordList.tsx"
import { Badge, PageHeader } from "../../kit/components.tsx"
import { SecretDialog } from "../../kit/SecretDialog.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { pageRoute } from "../../kit/pageRoute.ts"
import { DestinationEditor } from "./DestinationEditor.tsx"
import "./destinations.css"

const route = pageRoute("/dashboard/destinations")

const target = (row: DestinationOverview) =>
  row.url ?? row.email ?? row.phoneNumber ?? row.kafkaConfig?.topic ?? row.manufacturer

const StateBadge = ({ row: { deactivatedAt, health } }: { readonly row: DestinationOverview }) => {
  const t = useMessages("destinations")
  if (deactivatedAt !== null) return <Badge state="bad">{t.deactivated}</Badge>
  if (health.failingSince !== null) return <Badge state="warn">{t.failing}</Badge>
  if (health.pausedUntil !== null) return <Badge state="info">{t.paused}</Badge>
  return <Badge state="good">{t.active}</Badge>
}

const Count = ({ value }: { readonly value: number }) => {
  const t = useMessages("destinations")
  const language = useLanguage()
  const shown = formatNumber(language, value)
  return value >= COUNTED_DELIVERIES ? t.atLeast({ count: shown }) : shown
}

/** The address holds the editor too. */
export const Page = () => {
  const t = useMessages("destinations")
  const toast = useToast()
  const navigate = useNavigate()
  const { back, edit: edited, page, type } = route.useSearch()
  const change = route.useChange()
  const [secret, setSecret] = useState<string>()
  const create = (
    <Button tone="main" icon="plus" onClick={() => change({ edit: "new" })}>
      {t.create}
    </Button>
  )
  const close = (id: string | undefined) =>
    back === "detail" && id !== undefined
      ? void navigate({ to: "/dashboard/destinations/$id", params: { id }, replace: true })
      : change({ edit: undefined, back: undefined }, { replace: true })
  return (
    <>
      <PageHeader title={t.title} lead={t.lead} actions={create} />
      <div className="filters">
        <ChoiceFilter
          label={t.type}
          all={t.allTypes}
          value={type}
          values={destinationTypes}
          name={(value) => t.types[value]}
          onChange={(next) => change({ type: next, page: undefined })}
        />
      </div>
      <RecordList
        caption={t.caption}
        query={destinationsQuery({ page, type })}
        paging={{ onPage: (next) => change({ page: next }) }}
        id={({ id }) => id}
        none={{ icon: "send", title: t.none, hint: t.noneHint, actions: create }}
        noMatch={type !== undefined && { title: t.noMatch }}
        columns={[
          {
            id: "name",
            header: t.name,
            isName: true,
            cell: (row) => (
              <span className="destinations-name">
                <Link to="/dashboard/destinations/$id" params={{ id: row.id }}>
                  {row.label ?? target(row) ?? row.id}
                </Link>
                {row.label !== null && <code className="muted">{target(row)}</code>}
              </span>
            )
          },
          { id: "type", header: t.type, cell: (row) => t.types[row.destinationType] },
          { id: "state", header: t.state, cell: (row) => <StateBadge row={row} /> },
          { id: "waiting", header: t.waiting, align: "end", cell: (row) => <Count value={row.health.pending} /> },
          { id: "failed", header: t.failed, align: "end", cell: (row) => <Count value={row.health.failed} /> },
          { id: "events", header: t.events, align: "end", isExtra: true, cell: (row) => row.eventTypes.length },
          { id: "created", header: t.created, isExtra: true, cell: (row) => <Age time={row.createdAt} /> }
        ]}
      />
      <DestinationEditor
        edited={edited}
        onClose={() => close(edited)}
        onSaved={(saved) => {
          toast.done(t.saved)
          if (edited === "new" && saved.secret !== null) setSecret(saved.secret)
          close(saved.id)
        }}
      />
      <SecretDialog secret={secret} title={t.secretTitle} onClose={() => setSecret(undefined)}>
        {t.secretLead}
      </SecretDialog>
    </>
  )
}
