import type { Alert } from "@edp/domain/alerts/Alert"
import { type ReactNode, useState } from "react"
import { formatNumber, formatTime } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { useServiceTexts } from "../../kit/useServiceTexts.ts"
import { alertQuery } from "../../resources/alerts.ts"
import { Button } from "../../kit/Button.tsx"
import { ButtonLink } from "../../kit/ButtonLink.tsx"
import { Dialog } from "../../kit/Dialog.tsx"
import { SelectField } from "../../kit/Field.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { Badge, Facts } from "../../kit/components.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import { nowMillis } from "../../state/now.ts"
import { SiteLink } from "../../kit/recordLinks.tsx"
import { severityStates } from "../../kit/states.ts"
import { useAlertActions } from "./BulkActions.tsx"
import { SiteName } from "./SiteName.tsx"

const HOUR = 3_600_000
const snoozes = { none: 0, hour: HOUR, day: 24 * HOUR, week: 168 * HOUR } as const
type Snooze = keyof typeof snoozes

const Actions = ({ alert, onClose }: { readonly alert: Alert; readonly onClose: () => void }) => {
  const t = useMessages("alerts")
  const [snooze, setSnooze] = useState<Snooze>("none")
  const { busy, problem, run } = useAlertActions(onClose)
  const until = () => (snooze === "none" ? undefined : new Date(nowMillis() + snoozes[snooze]).toISOString())
  return (
    <>
      {problem && <ProblemNotice problem={problem} />}
      <div className="filters">
        <SelectField
          label={t.snooze}
          value={snooze}
          options={(Object.keys(snoozes) as ReadonlyArray<Snooze>).map((value) => ({ value, label: t.snoozes[value] }))}
          onChange={setSnooze}
        />
        <div className="actions">
          <Button busy={busy} onClick={() => void run("acknowledge", [alert.id], until())}>
            {t.acknowledge}
          </Button>
          <Button busy={busy} onClick={() => void run("ignore", [alert.id])}>
            {t.ignore}
          </Button>
          <Button tone="main" busy={busy} onClick={() => void run("resolve", [alert.id])}>
            {t.resolve}
          </Button>
        </div>
      </div>
    </>
  )
}

const Details = ({ alert, onClose }: { readonly alert: Alert; readonly onClose: () => void }) => {
  const t = useMessages("alerts")
  const language = useLanguage()
  const moved = (time: string | null, who: string | null): ReactNode =>
    time === null ? null : (
      <>
        <Age time={time} live /> {who !== null && <span className="muted">{t.by({ who })}</span>}
      </>
    )
  const facts: ReadonlyArray<readonly [string, ReactNode]> = [
    [t.device, alert.deviceName],
    [
      t.site,
      alert.siteId && (
        <SiteLink id={alert.siteId}>
          <SiteName id={alert.siteId} />
        </SiteLink>
      )
    ],
    [t.type, t.types[alert.type]],
    [t.subtype, alert.subtype && <code>{alert.subtype}</code>],
    [t.source, alert.sourceSystem],
    [t.provider, alert.providerCode],
    [t.occurrences, formatNumber(language, alert.occurrenceCount)],
    [t.last, <Age key="last" time={alert.lastOccurredAt} live />],
    [t.created, <Age key="created" time={alert.createdAt} live />],
    [t.acknowledged, moved(alert.acknowledgedAt, alert.acknowledgedBy)],
    [t.ignored, moved(alert.ignoredAt, alert.ignoredBy)],
    [t.resolved, moved(alert.resolvedAt, alert.resolvedBy)],
    [t.snoozedUntil, alert.snoozedUntil && formatTime(language, Date.parse(alert.snoozedUntil))]
  ]
  return (
    <div className="stack">
      <div className="actions">
        <Badge state={severityStates[alert.severity]}>{t.severities[alert.severity]}</Badge>
        <Badge>{t.statuses[alert.status]}</Badge>
        {alert.deviceId !== null && (
          <ButtonLink small icon="right" to="/dashboard/devices/$id" params={{ id: alert.deviceId }}>
            {t.openDevice}
          </ButtonLink>
        )}
      </div>
      {alert.description !== null && <p className="alerts-description">{alert.description}</p>}
      <Actions alert={alert} onClose={onClose} />
      <Facts items={facts.filter(([, value]) => value !== null && value !== "")} />
    </div>
  )
}

interface AlertDialogProps {
  /** Undefined: no alert is shown. */
  readonly id: string | undefined
  readonly onClose: () => void
}

const Shown = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => {
  const { alertTitle } = useServiceTexts()
  return (
    <Loaded query={alertQuery(id)}>
      {(alert) => (
        <>
          <p className="alerts-title">{alertTitle(alert.title)}</p>
          <Details alert={alert} onClose={onClose} />
        </>
      )}
    </Loaded>
  )
}

/** An alert with everything that is known of it, and what can be done. */
export const AlertDialog = ({ id, onClose }: AlertDialogProps) => {
  const t = useMessages("alerts")
  return (
    <Dialog open={id !== undefined} onClose={onClose} title={t.details} wide>
      {id !== undefined && <Shown id={id} onClose={onClose} />}
    </Dialog>
  )
}
