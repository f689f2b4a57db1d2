import type { Alert } from "@edp/domain/alerts/Alert"
import type { Schedule } from "@edp/domain/schedules/Schedule"
import type { Site } from "@edp/domain/sites/Site"
import { Link } from "@tanstack/react-router"
import { formatTime } from "../../../i18n/format.ts"
import { useLanguage, useTexts } from "../../../i18n/useTexts.ts"
import { ButtonLink } from "../../../kit/Button.tsx"
import { Age } from "../../../kit/Figure.tsx"
import { Loaded } from "../../../kit/Loaded.tsx"
import { Badge, Card, Empty, type State } from "../../../kit/Parts.tsx"
import { texts } from "../texts.ts"
import { devicesAtSiteQuery, openAlertsQuery, schedulesQuery } from "./queries.ts"

const severityStates: Readonly<Record<Alert["severity"], State>> = {
  INFO: "info",
  WARNING: "warn",
  CRITICAL: "bad"
}

/** The alerts of a site that are not over. */
export const OpenAlerts = ({ site }: { readonly site: Site }) => {
  const t = useTexts(texts)
  return (
    <Card
      title={t.alerts}
      actions={
        <ButtonLink small icon="bell" to="/dashboard/alerts" search={{ site: site.id, status: "all" }}>
          {t.allAlerts}
        </ButtonLink>
      }
    >
      <Loaded query={openAlertsQuery(site.id)}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty icon="check" title={t.noAlerts} />
          ) : (
            <ul className="sites-list">
              {data.map((alert) => (
                <li key={alert.id}>
                  <Badge state={severityStates[alert.severity]}>{t.severities[alert.severity]}</Badge> {alert.title}
                  {alert.deviceId !== null && (
                    <>
                      {" · "}
                      <Link to="/dashboard/devices/$id" params={{ id: alert.deviceId }}>
                        {alert.deviceName ?? t.device}
                      </Link>
                    </>
                  )}{" "}
                  <span className="muted">
                    <Age time={alert.createdAt} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}

interface ScheduleListProps {
  readonly schedules: ReadonlyArray<Schedule>
  readonly names: ReadonlyMap<string, string>
}

const ScheduleList = ({ schedules, names }: ScheduleListProps) => {
  const t = useTexts(texts)
  const language = useLanguage()
  return (
    <ul className="sites-list">
      {schedules.map(({ id, name, target, enabled, nextTransitionAt, timezone }) => (
        <li key={id}>
          <strong>{name}</strong>
          {"deviceId" in target && (
            <>
              {" · "}
              <Link to="/dashboard/devices/$id" params={{ id: target.deviceId }}>
                {names.get(target.deviceId) ?? t.device}
              </Link>
            </>
          )}{" "}
          {!enabled && <Badge>{t.paused}</Badge>}
          {nextTransitionAt !== null && (
            <span className="muted">
              {t.nextAt}{" "}
              {formatTime(language, Date.parse(nextTransitionAt), {
                dateStyle: "medium",
                timeStyle: "short",
                timeZone: timezone
              })}
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

/** The schedules that name a device of the site. */
export const Schedules = ({ site }: { readonly site: Site }) => {
  const t = useTexts(texts)
  const none = (
    <Empty icon="clock" title={t.noSchedules}>
      {t.noSchedulesHint}
    </Empty>
  )
  return (
    <Card title={t.schedules}>
      <Loaded query={devicesAtSiteQuery(site.id)}>
        {({ data: devices }) =>
          devices.length === 0 ? (
            none
          ) : (
            <Loaded query={schedulesQuery(devices.map(({ id }) => id))}>
              {({ data }) =>
                data.length === 0 ? (
                  none
                ) : (
                  <ScheduleList schedules={data} names={new Map(devices.map(({ id, name }) => [id, name]))} />
                )
              }
            </Loaded>
          )
        }
      </Loaded>
    </Card>
  )
}
