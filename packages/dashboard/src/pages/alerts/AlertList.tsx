import { alertTypes } from "@edp/domain/alerts/Alert"
import { AlertSeverity } from "@edp/domain/alerts/AlertStatus"
import { alertSorts, type ListedAlert } from "@edp/domain/dashboard/ListedAlertsApi"
import { useState } from "react"
import { useMessages } from "../../i18n/useMessages.ts"
import { useServiceTexts } from "../../kit/useServiceTexts.ts"
import { alertsQuery, alertStatusChoices, UNRESOLVED } from "../../resources/alerts.ts"
import { Button } from "../../kit/Button.tsx"
import { ChoiceFilter } from "../../kit/ChoiceFilter.tsx"
import { SelectField } from "../../kit/Field.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Badge } from "../../kit/components.tsx"
import { RecordList } from "../../kit/RecordList.tsx"
import { CustomerLink, DeviceLink, SiteLink } from "../../kit/recordLinks.tsx"
import type { Column } from "../../kit/Table.tsx"
import { pageRoute } from "../../kit/pageRoute.ts"
import { DeviceFilter, SiteFilter } from "../../kit/recordFilters.tsx"
import { severityStates } from "../../kit/states.ts"
import { BulkActions } from "./BulkActions.tsx"

const route = pageRoute("/dashboard/alerts")

const Filters = () => {
  const t = useMessages("alerts")
  const search = route.useSearch()
  const { device, severity, site, sort = "severity", status = "OPEN", type } = search
  const change = route.useChange()
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
      <ChoiceFilter
        label={t.severity}
        all={t.all}
        value={severity}
        values={AlertSeverity.literals}
        name={(value) => t.severities[value]}
        onChange={(value) => filter({ severity: value })}
      />
      <ChoiceFilter
        label={t.type}
        all={t.all}
        value={type}
        values={alertTypes}
        name={(value) => t.types[value]}
        onChange={(value) => filter({ type: value })}
      />
      <SelectField
        label={t.order}
        value={sort}
        options={alertSorts.map((value) => ({ value, label: t.orders[value] }))}
        onChange={(value) => filter({ sort: value === "severity" ? undefined : value })}
      />
      <SiteFilter id={site} onChange={(id) => filter({ site: id })} />
      <DeviceFilter id={device} onChange={(id) => filter({ device: id })} />
    </search>
  )
}

const useColumns = (open: (id: string) => void): ReadonlyArray<Column<ListedAlert>> => {
  const t = useMessages("alerts")
  const { alertTitle } = useServiceTexts()
  return [
    {
      id: "title",
      header: t.alert,
      isName: true,
      cell: ({ id, title }) => (
        <button type="button" className="alerts-open" onClick={() => open(id)}>
          {alertTitle(title)}
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
          <DeviceLink id={deviceId}>{deviceName ?? deviceId}</DeviceLink>
        )
    },
    {
      id: "site",
      header: t.site,
      cell: ({ siteId, siteName }) =>
        siteId === null || siteName === null ? (
          <span className="muted">–</span>
        ) : (
          <SiteLink id={siteId}>{siteName}</SiteLink>
        )
    },
    {
      id: "customer",
      header: t.customer,
      cell: ({ customerId, customerName }) =>
        customerId === null ? (
          <span className="muted">–</span>
        ) : (
          <CustomerLink id={customerId}>{customerName ?? customerId}</CustomerLink>
        )
    },
    { id: "type", header: t.type, isExtra: true, cell: ({ type }) => t.types[type] },
    {
      id: "last",
      header: t.last,
      cell: ({ lastOccurredAt, occurrenceCount }) => (
        <>
          <Age time={lastOccurredAt} live />
          {occurrenceCount > 1 && <span className="muted"> · {t.times({ count: occurrenceCount })}</span>}
        </>
      )
    }
  ]
}

/** The alerts of the chosen filters, with actions on the selected ones. */
export const AlertList = () => {
  const t = useMessages("alerts")
  const { alertTitle } = useServiceTexts()
  const search = route.useSearch()
  const change = route.useChange()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const columns = useColumns((alert) => change({ alert }))
  const isFiltered =
    [search.severity, search.type, search.device, search.site].some(Boolean) || (search.status ?? "OPEN") !== "OPEN"
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
      <RecordList
        query={alertsQuery(search)}
        paging={{ onPage: (page) => change({ page }) }}
        id={({ id }) => id}
        caption={t.caption}
        columns={columns}
        name={({ title }) => alertTitle(title)}
        selection={{ selected, onChange: setSelected }}
        none={{ icon: "bell", title: t.noneTitle, hint: t.none }}
        noMatch={isFiltered && { hint: t.noneFiltered, actions: <Button onClick={clear}>{t.clearFilters}</Button> }}
        above={(rows) => (
          <BulkActions
            // Rows that left the page are not acted on.
            ids={rows.filter(({ id }) => selected.has(id)).map(({ id }) => id)}
            onDone={(done) => setSelected((former) => new Set([...former].filter((id) => !done.includes(id))))}
          />
        )}
      />
    </>
  )
}
