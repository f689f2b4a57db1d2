import type { Alert } from "@edp/domain/alerts/Alert"
import type { Device } from "@edp/domain/devices/Device"
import { useApi } from "../../api/makeApi.ts"
import { formatTime } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { useServiceTexts } from "../../kit/useServiceTexts.ts"
import { AlertsClient, alertsChanged, deviceAlertsQuery } from "../../resources/alerts.ts"
import { IconButton } from "../../kit/Button.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Menu } from "../../kit/Menu.tsx"
import { Badge, type State } from "../../kit/components.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import { RecordList } from "../../kit/RecordList.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"
import { pageRoute } from "../../kit/pageRoute.ts"
import { severityStates } from "../../kit/states.ts"

const route = pageRoute("/dashboard/devices/$id")

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
  const t = useMessages("device")
  const { alertTitle } = useServiceTexts()
  const language = useLanguage()
  const toast = useToast()
  const page = route.useSearch().page
  const change = route.useChange()
  const call = useApi(AlertsClient)
  const actions = {
    acknowledge: t.acknowledged,
    resolve: t.resolved,
    ignore: t.ignored
  }
  const handle = useAction(async (id: string, act: keyof typeof actions) => {
    await call(
      (client) =>
        act === "acknowledge"
          ? client.alerts.acknowledge({ params: { id }, payload: {} })
          : client.alerts[act]({ params: { id } }),
      alertsChanged
    )
    toast.done(actions[act])
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
    <RecordList
      caption={t.tabs.alerts}
      query={deviceAlertsQuery(device.id, page)}
      paging={{ onPage: (next) => change({ page: next }) }}
      id={({ id }) => id}
      name={({ title }) => title}
      none={{ icon: "bell", title: t.noAlerts, hint: t.noAlertsHint }}
      above={() => handle.problem && <ProblemNotice problem={handle.problem} />}
      columns={[
        {
          id: "title",
          header: t.alertColumns.title,
          isName: true,
          cell: (alert) => (
            <div>
              {alertTitle(alert.title)}
              {alert.occurrenceCount > 1 && (
                <span className="muted"> · {t.occurrences({ count: alert.occurrenceCount })}</span>
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
          id: "actions",
          header: t.alertActions,
          align: "end",
          cell: ({ id, status, title }) => (
            <Menu
              trigger={<IconButton icon="more" label={`${t.alertActions}: ${title}`} />}
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
  )
}
