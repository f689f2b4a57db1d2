import type { Schedule } from "@edp/domain/schedules/Schedule"
import type { Site } from "@edp/domain/sites/Site"
import { formatTime } from "../../../i18n/format.ts"
import { useLanguage, useMessages } from "../../../i18n/useMessages.ts"
import { useServiceTexts } from "../../../kit/useServiceTexts.ts"
import { siteAlertsQuery } from "../../../resources/alerts.ts"
import { SCHEDULED_DEVICES, siteDevicesQuery } from "../../../resources/devices.ts"
import { deviceSchedulesQuery } from "../../../resources/schedules.ts"
import { ButtonLink } from "../../../kit/ButtonLink.tsx"
import { Age } from "../../../kit/Figure.tsx"
import { ListedOf } from "../../../kit/ListedOf.tsx"
import { Loaded } from "../../../kit/Loaded.tsx"
import { Badge, Card, Empty } from "../../../kit/components.tsx"
import { DeviceLink } from "../../../kit/recordLinks.tsx"
import { severityStates } from "../../../kit/states.ts"

/** The alerts of a site that are not over. */
export const OpenAlerts = ({ site }: { readonly site: Site }) => {
  const t = useMessages("sites")
  const { alertTitle } = useServiceTexts()
  return (
    <Card
      title={t.alerts}
      actions={
        <ButtonLink small icon="bell" to="/dashboard/alerts" search={{ site: site.id, status: "all" }}>
          {t.allAlerts}
        </ButtonLink>
      }
    >
      <Loaded query={siteAlertsQuery(site.id)}>
        {({ data, totalItems }) =>
          data.length === 0 ? (
            <Empty icon="check" title={t.noAlerts} />
          ) : (
            <>
              <ul className="sites-list">
                {data.map((alert) => (
                  <li key={alert.id}>
                    <Badge state={severityStates[alert.severity]}>{t.severities[alert.severity]}</Badge>{" "}
                    {alertTitle(alert.title)}
                    {alert.deviceId !== null && (
                      <>
                        {" · "}
                        <DeviceLink id={alert.deviceId}>{alert.deviceName ?? t.device}</DeviceLink>
                      </>
                    )}{" "}
                    <span className="muted">
                      <Age time={alert.createdAt} />
                    </span>
                  </li>
                ))}
              </ul>
              <ListedOf shown={data.length} total={totalItems} />
            </>
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
  const t = useMessages("sites")
  const language = useLanguage()
  return (
    <ul className="sites-list">
      {schedules.map(({ id, name, target, enabled, nextTransitionAt, timezone }) => (
        <li key={id}>
          <strong>{name}</strong>
          {"deviceId" in target && (
            <>
              {" · "}
              <DeviceLink id={target.deviceId}>{names.get(target.deviceId) ?? t.device}</DeviceLink>
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
  const t = useMessages("sites")
  const none = (
    <Empty icon="clock" title={t.noSchedules}>
      {t.noSchedulesHint}
    </Empty>
  )
  return (
    <Card title={t.schedules}>
      <Loaded query={siteDevicesQuery(site.id, 1, SCHEDULED_DEVICES)}>
        {({ data: devices, totalItems: allDevices = devices.length }) =>
          devices.length === 0 ? (
            none
          ) : (
            <Loaded query={deviceSchedulesQuery(devices.map(({ id }) => id))}>
              {({ data, totalItems }) => (
                <>
                  {data.length === 0 && allDevices <= devices.length ? (
                    none
                  ) : (
                    <ScheduleList schedules={data} names={new Map(devices.map(({ id, name }) => [id, name]))} />
                  )}
                  <ListedOf shown={data.length} total={totalItems} />
                  {allDevices > devices.length && <p className="muted">{t.schedulesOf({ devices: devices.length })}</p>}
                </>
              )}
            </Loaded>
          )
        }
      </Loaded>
    </Card>
  )
}
