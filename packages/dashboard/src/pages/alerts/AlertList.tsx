import { type Alert, alertTypes } from "@edp/domain/alerts/Alert"
import { AlertSeverity } from "@edp/domain/alerts/AlertStatus"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useTexts } from "../../i18n/useTexts.ts"
import { Button } from "../../kit/Button.tsx"
import { SelectField } from "../../kit/Field.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { Pager } from "../../kit/Pager.tsx"
import { Badge, Card, Empty, type State } from "../../kit/Parts.tsx"
import { type Column, Table } from "../../kit/Table.tsx"
import { pageNumber, useParameters } from "../../kit/useParameters.ts"
import { BulkActs } from "./BulkActs.tsx"
import { alertStatusChoices, readStatus, statusesFor, UNRESOLVED } from "./alertStatuses.ts"
import { DeviceFilter, SiteFilter } from "./DeviceFilter.tsx"
import { alertsQuery, type AlertSelection } from "./queries.ts"
import { texts } from "./texts.ts"

export const severityStates: Readonly<Record<Alert["severity"], State>> = {
  CRITICAL: "bad",
  WARNING: "warn",
  INFO: "info"
}

const oneOf = <Value extends string>(values: ReadonlyArray<Value>, text: string | undefined) =>
  values.find((value) => value === text)

/** The selection in the address. */
const useSelection = () => {
  const [parameters, change] = useParameters()
  const status = readStatus(parameters.status)
  const selection: AlertSelection = {
    statuses: statusesFor(status),
    severity: oneOf(AlertSeverity.literals, parameters.severity),
    type: oneOf(alertTypes, parameters.type),
    deviceId: parameters.device,
    siteId: parameters.site,
    page: pageNumber(parameters.page)
  }
  return [selection, change, status] as const
}

const Filters = () => {
  const t = useTexts(texts)
  const [selection, change, status] = useSelection()
  const all = { value: "", label: t.all } as const
  const filter = (name: string, value: string | undefined) => change({ [name]: value || undefined, page: undefined })
  return (
    <search className="filters" aria-label={t.filters}>
      <SelectField
        label={t.status}
        value={status}
        options={alertStatusChoices.map((value) => ({
          value,
          label: value === "all" ? t.all : value === UNRESOLVED ? t.unresolved : t.statuses[value]
        }))}
        onChange={(value) => filter("status", value)}
      />
      <SelectField
        label={t.severity}
        value={selection.severity ?? ""}
        options={[all, ...AlertSeverity.literals.map((value) => ({ value, label: t.severities[value] }))]}
        onChange={(value) => filter("severity", value)}
      />
      <SelectField
        label={t.type}
        value={selection.type ?? ""}
        options={[all, ...alertTypes.map((value) => ({ value, label: t.types[value] }))]}
        onChange={(value) => filter("type", value)}
      />
      {selection.siteId !== undefined && <SiteFilter id={selection.siteId} onClear={() => filter("site", undefined)} />}
      <DeviceFilter id={selection.deviceId} onChange={(id) => filter("device", id)} />
    </search>
  )
}

const useColumns = (open: (id: string) => void): ReadonlyArray<Column<Alert>> => {
  const t = useTexts(texts)
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

/** The alerts of the chosen filters, with acts on the selected ones. */
export const AlertList = () => {
  const t = useTexts(texts)
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
              <BulkActs ids={shown} onDone={() => setSelected(new Set())} />
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
                onPage={(next) => change({ page: String(next) })}
              />
            </Card>
          )
        }}
      </Loaded>
    </>
  )
}
