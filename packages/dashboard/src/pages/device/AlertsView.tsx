import type { Alert } from "@edp/domain/alerts/Alert"
import type { Device } from "@edp/domain/devices/Device"
import { useApi } from "../../api/makeApi.ts"
import { formatTime } from "../../i18n/format.ts"
import { useLanguage, useTexts } from "../../i18n/useTexts.ts"
import { IconButton } from "../../kit/Button.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { Menu } from "../../kit/Menu.tsx"
import { Pager } from "../../kit/Pager.tsx"
import { Badge, Card, Empty, type State } from "../../kit/Parts.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import { Table } from "../../kit/Table.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAct } from "../../kit/useAct.ts"
import { pageNumber, useParameters } from "../../kit/useParameters.ts"
import { alertsQuery, DeviceClient } from "./queries.ts"
import { texts } from "./texts.ts"

const severityStates: Readonly<Record<Alert["severity"], State>> = { CRITICAL: "bad", WARNING: "warn", INFO: "info" }
const statusStates: Readonly<Record<Alert["status"], State>> = {
  OPEN: "bad",
  ACKNOWLEDGED: "warn",
  IGNORED: "plain",
  RESOLVED: "good"
}

interface AlertsProps {
  readonly device: Device
  readonly timeZone: string
}

/** Alerts of the device with their states. */
export const AlertsView = ({ device, timeZone }: AlertsProps) => {
  const t = useTexts(texts)
  const language = useLanguage()
  const toast = useToast()
  const [parameters, change] = useParameters()
  const page = pageNumber(parameters["page"])
  const call = useApi(DeviceClient)
  const acts = {
    acknowledge: t.acknowledged,
    resolve: t.resolved,
    ignore: t.ignored
  }
  const handle = useAct(async (id: string, act: keyof typeof acts) => {
    await call(
      (client) =>
        act === "acknowledge"
          ? client.alerts.acknowledge({ params: { id }, payload: {} })
          : client.alerts[act]({ params: { id } }),
      ["alerts"]
    )
    toast.done(acts[act])
  })
  const state = (alert: Alert) => (
    <>
      <Badge state={statusStates[alert.status]}>{t.alertStatuses[alert.status]}</Badge>
      {alert.snoozedUntil !== null && (
        <span className="muted">
          {" "}
          {t.snoozed}{" "}
          {formatTime(language, Date.parse(alert.snoozedUntil), { dateStyle: "short", timeStyle: "short", timeZone })}
        </span>
      )}
    </>
  )
  return (
    <Card flush>
      {handle.problem && <ProblemNotice problem={handle.problem} />}
      <Loaded query={alertsQuery(device.id, page)}>
        {(alerts, { waiting }) => (
          <>
            <Table
              caption={t.tabs.alerts}
              rows={alerts.data}
              id={({ id }) => id}
              name={({ title }) => title}
              waiting={waiting}
              empty={
                <Empty icon="bell" title={t.noAlerts}>
                  {t.noAlertsHint}
                </Empty>
              }
              columns={[
                {
                  id: "title",
                  header: t.alertColumns.title,
                  isName: true,
                  cell: (alert) => (
                    <div>
                      {alert.title}
                      {alert.occurrenceCount > 1 && (
                        <span className="muted"> · {t.occurrences(alert.occurrenceCount)}</span>
                      )}
                      {alert.description !== null && <p className="muted device-alert-text">{alert.description}</p>}
                    </div>
                  )
                },
                {
                  id: "severity",
                  header: t.alertColumns.severity,
                  cell: ({ severity }) => <Badge state={severityStates[severity]}>{t.severities[severity]}</Badge>
                },
                { id: "status", header: t.alertColumns.status, cell: state },
                {
                  id: "since",
                  header: t.alertColumns.since,
                  cell: ({ createdAt }) => <Age time={createdAt} timeZone={timeZone} />
                },
                {
                  id: "ended",
                  header: t.alertColumns.ended,
                  isExtra: true,
                  cell: ({ resolvedAt, status }) =>
                    status === "RESOLVED" ? <Age time={resolvedAt} timeZone={timeZone} /> : "–"
                },
                {
                  id: "acts",
                  header: t.alertActs,
                  align: "end",
                  cell: ({ id, status, title }) => (
                    <Menu
                      trigger={<IconButton icon="more" label={`${t.alertActs}: ${title}`} />}
                      items={[
                        ...(status === "ACKNOWLEDGED"
                          ? []
                          : [
                              {
                                id: "acknowledge",
                                label: t.acknowledge,
                                onSelect: () => void handle.run(id, "acknowledge")
                              }
                            ]),
                        ...(status === "RESOLVED"
                          ? []
                          : [{ id: "resolve", label: t.resolve, onSelect: () => void handle.run(id, "resolve") }]),
                        ...(status === "IGNORED"
                          ? []
                          : [{ id: "ignore", label: t.ignore, onSelect: () => void handle.run(id, "ignore") }])
                      ]}
                    />
                  )
                }
              ]}
            />
            <Pager
              page={page}
              totalPages={alerts.totalPages}
              totalItems={alerts.totalItems}
              onPage={(next) => change({ page: String(next) })}
            />
          </>
        )}
      </Loaded>
    </Card>
  )
}
