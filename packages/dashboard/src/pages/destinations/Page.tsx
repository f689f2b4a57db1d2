import { destinationTypes } from "@edp/domain/destinations/Destination"
import { COUNTED_DELIVERIES, type DestinationOverview } from "@edp/domain/destinations/DestinationOverview"
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { Button } from "../../kit/Button.tsx"
import { SelectField } from "../../kit/Field.tsx"
import { Age } from "../../kit/Figure.tsx"
import { PagedTable } from "../../kit/PagedTable.tsx"
import { Badge, Card, Empty, PageHeader } from "../../kit/components.tsx"
import { SecretDialog } from "../../kit/SecretDialog.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useChange } from "../../kit/useChange.ts"
import { DestinationEditor } from "./DestinationEditor.tsx"
import { destinationsQuery } from "./queries.ts"
import { messages } from "./messages.ts"
import "./destinations.css"

const route = getRouteApi("/dashboard/destinations")

const target = (row: DestinationOverview) =>
  row.url ?? row.email ?? row.phoneNumber ?? row.kafkaConfig?.topic ?? row.manufacturer

const StateBadge = ({ row: { deactivatedAt, health } }: { readonly row: DestinationOverview }) => {
  const t = useMessages(messages)
  if (deactivatedAt !== null) return <Badge state="bad">{t.deactivated}</Badge>
  if (health.failingSince !== null) return <Badge state="warn">{t.failing}</Badge>
  if (health.pausedUntil !== null) return <Badge state="info">{t.paused}</Badge>
  return <Badge state="good">{t.active}</Badge>
}

const Count = ({ value }: { readonly value: number }) => {
  const t = useMessages(messages)
  const language = useLanguage()
  const shown = formatNumber(language, value)
  return value >= COUNTED_DELIVERIES ? t.atLeast(shown) : shown
}

interface ListProps {
  readonly query: ReturnType<typeof destinationsQuery>
  readonly onPage: (page: number) => void
  readonly isFiltered: boolean
  readonly onCreate: () => void
}

const List = ({ query, onPage, isFiltered, onCreate }: ListProps) => {
  const t = useMessages(messages)
  return (
    <PagedTable
      caption={t.caption}
      query={query}
      onPage={onPage}
      id={(row) => row.id}
      empty={
        isFiltered ? (
          <Empty icon="send" title={t.noMatch} />
        ) : (
          <Empty
            icon="send"
            title={t.none}
            actions={
              <Button tone="main" icon="plus" onClick={onCreate}>
                {t.create}
              </Button>
            }
          >
            {t.noneHint}
          </Empty>
        )
      }
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
  )
}

/** The address holds the editor too. */
export const Page = () => {
  const t = useMessages(messages)
  const toast = useToast()
  const navigate = useNavigate()
  const { back, edit: edited, page = 1, type } = route.useSearch()
  const change = useChange(route.useNavigate())
  const [secret, setSecret] = useState<string>()
  const create = () => change({ edit: "new" })
  const close = (id: string | undefined) =>
    back === "detail" && id !== undefined
      ? void navigate({ to: "/dashboard/destinations/$id", params: { id }, replace: true })
      : change({ edit: undefined, back: undefined }, { replace: true })
  return (
    <>
      <PageHeader
        title={t.title}
        lead={t.lead}
        actions={
          <Button tone="main" icon="plus" onClick={create}>
            {t.create}
          </Button>
        }
      />
      <div className="filters">
        <SelectField
          label={t.type}
          value={type ?? ""}
          options={[
            { value: "", label: t.allTypes },
            ...destinationTypes.map((value) => ({ value, label: t.types[value] }))
          ]}
          onChange={(value) => change({ type: value || undefined, page: undefined })}
        />
      </div>
      <Card flush>
        <List
          query={destinationsQuery(page, type)}
          onPage={(next) => change({ page: next })}
          isFiltered={type !== undefined}
          onCreate={create}
        />
      </Card>
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
