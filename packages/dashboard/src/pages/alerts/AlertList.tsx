import { type Alert, alertTypes } from "@edp/domain/alerts/Alert"
import { AlertSeverity } from "@edp/domain/alerts/AlertStatus"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useState } from "react"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { Button } from "../../kit/Button.tsx"
import { SelectField } from "../../kit/Field.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { Pager } from "../../kit/Pager.tsx"
import { Badge, Card, Empty, type State } from "../../kit/components.tsx"
import { type Column, Table } from "../../kit/Table.tsx"
import { useChange } from "../../kit/useChange.ts"
import { BulkActions } from "./BulkActions.tsx"
import { alertStatusChoices, statusesFor, UNRESOLVED } from "./alertStatuses.ts"
import { DeviceFilter, SiteFilter } from "./DeviceFilter.tsx"
import { alertsQuery, type AlertSelection } from "./queries.ts"
import { messages } from "./messages.ts"

const route = getRouteApi("/dashboard/alerts")

export const severityStates: Readonly<Record<Alert["severity"], State>> = {
  CRITICAL: "bad",
  WARNING: "warn",
  INFO: "info"
}

/** The selection in the address. */
const useSelection = () => {
  // Without a status, open alerts are listed: they wait for somebody.
  const { device, page = 1, severity, site, status = "OPEN", type } = route.useSearch()
  const change = useChange(route.useNavigate())
  const selection: AlertSelection = {
    statuses: statusesFor(status),
    severity,
    type,
    deviceId: device,
    siteId: site,
    page
  }
  return [selection, change, status] as const
}

const Filters = () => {
  const t = useMessages(messages)
  const [selection, change, status] = useSelection()
  const all = { value: "", label: t.all } as const
  const filter: typeof change = (changed) => change({ ...changed, page: undefined })
  return (
    <search className="filters" aria-label={t.filters}>
      <SelectField
        label={t.status}
        value={status}
        options={alertStatusChoices.map((value) => ({
          value,
          label: value === "all" ? t.all : value === UNRESOLVED ? t.unresolved : t.statuses[value]
        }))}
        onChange={(value) => filter({ status: value })}
      />
      <SelectField
        label={t.severity}
        value={selection.severity ?? ""}
        options={[all, ...AlertSeverity.literals.map((value) => ({ value, label: t.severities[value] }))]}
        onChange={(value) => filter({ severity: value || undefined })}
      />
      <SelectField
        label={t.type}
        value={selection.type ?? ""}
        options={[all, ...alertTypes.map((value) => ({ value, label: t.types[value] }))]}
        onChange={(value) => filter({ type: value || undefined })}
      />
      {selection.siteId !== undefined && (
        <SiteFilter id={selection.siteId} onClear={() => filter({ site: undefined })} />
      )}
      <DeviceFilter id={selection.deviceId} onChange={(id) => filter({ device: id })} />
    </search>
  )
}

const useColumns = (open: (id: string) => void): ReadonlyArray<Column<Alert>> => {
  const t = useMessages(messages)
  const language = useLanguage()
  return [
    {
      id: "title",
      header: t.alert,
      isName: true,
      cell: ({ id, title }) => (
        <button type="button" className="alerts-open" onClick={() => open(id)}>
          {title}
        </button>
      )
    },
    {
      id: "severity",
      header: t.severity,
      cell: ({ severity }) => <Badge state={severityStates[severity]}>{t.severities[severity]}</Badge>
    },
    { id: "status", header: t.status, cell: ({ status }) => t.statuses[status] },
    {
      id: "device",
      header: t.device,
      cell: ({ deviceId, deviceName }) =>
        deviceId === null ? (
          <span className="muted">–</span>
        ) : (
          <Link to="/dashboard/devices/$id" params={{ id: deviceId }}>
            {deviceName ?? deviceId}
          </Link>
        )
    },
    { id: "type", header: t.type, isExtra: true, cell: ({ type }) => t.types[type] },
    {
      id: "last",
      header: t.last,
      cell: ({ lastOccurredAt, occurrenceCount }) => (
        <>
          <Age time={lastOccurredAt} live />
          {occurrenceCount > 1 && <span className="muted"> · {t.times(formatNumber(language, occurrenceCount))}</span>}
        </>
      )
    }
  ]
}

/** The alerts of the chosen filters, with actions on the selected ones. */
export const AlertList = () => {
  const t = useMessages(messages)
  const [selection, change, status] = useSelection()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const columns = useColumns((alert) => change({ alert }))
  const isFiltered =
    [selection.severity, selection.type, selection.deviceId, selection.siteId].some(Boolean) || status !== "OPEN"
  const clear = () =>
    change({
      status: undefined,
      severity: undefined,
      type: undefined,
      device: undefined,
      site: undefined,
      page: undefined
    })
  return (
    <>
      <Filters />
      <Loaded query={alertsQuery(selection)}>
        {({ data, page, totalItems, totalPages }, { waiting }) => {
          // Rows that left the page are not acted on.
          const shown = data.filter(({ id }) => selected.has(id)).map(({ id }) => id)
          return (
            <Card flush>
              <BulkActions
                ids={shown}
                onDone={(done) => setSelected((former) => new Set([...former].filter((id) => !done.includes(id))))}
              />
              <Table
                caption={t.caption}
                columns={columns}
                rows={data}
                id={({ id }) => id}
                name={({ title }) => title}
                selection={{ selected: new Set(shown), onChange: setSelected }}
                waiting={waiting}
                empty={
                  <Empty
                    icon="bell"
                    title={t.noneTitle}
                    actions={isFiltered && <Button onClick={clear}>{t.clearFilters}</Button>}
                  >
                    {isFiltered ? t.noneFiltered : t.none}
                  </Empty>
                }
              />
              <Pager
                page={page}
                totalPages={totalPages}
                totalItems={totalItems}
                onPage={(next) => change({ page: next })}
              />
            </Card>
          )
        }}
      </Loaded>
    </>
  )
}
