import type { Overview } from "@edp/domain/dashboard/Overview"
import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { useServiceTexts } from "../../kit/useServiceTexts.ts"
import { ButtonLink } from "../../kit/ButtonLink.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Icon, type IconName } from "../../kit/Icon.tsx"
import { Card, Notice } from "../../kit/components.tsx"

interface RowProps {
  readonly icon: IconName
  readonly title: string
  readonly count: number
  /** The first of them in a line. */
  readonly first: string
  readonly since?: ReactNode
  /** The next step for the first of them. */
  readonly step: ReactNode
  /** A link to all of them. */
  readonly all: (label: string) => ReactNode
}

const Row = ({ all, count, first, icon, since, step, title }: RowProps) => {
  const t = useMessages("overview")
  const language = useLanguage()
  return (
    <li className="overview-need">
      <Icon name={icon} />
      <div>
        <p className="overview-need-title">
          <span>{title}</span>
          {count > 1 && all(t.all({ count: formatNumber(language, count) }))}
        </p>
        <p className="overview-need-first" title={first}>
          {since !== undefined && <>{since} · </>}
          {first}
        </p>
      </div>
      {step}
    </li>
  )
}

const joined = (...parts: ReadonlyArray<string | null>) => parts.filter((part) => part !== null).join(" · ")

/** Lists what needs somebody, each with its next step. */
export const Attention = ({ attention }: { readonly attention: Overview["attention"] }) => {
  const t = useMessages("overview")
  const { alertTitle } = useServiceTexts()
  const language = useLanguage()
  const { accounts, alerts, destinations, devices } = attention
  const count = (value: number) => formatNumber(language, value)
  const [alert, account, destination, device] = [
    alerts.first[0],
    accounts.first[0],
    destinations.first[0],
    devices.first[0]
  ]
  const isWell = [alert, account, destination, device].every((each) => each === undefined)
  return (
    <Card title={t.attention}>
      {isWell && <Notice state="good" title={t.allWell} />}
      <ul className="overview-needs">
        {alert && (
          <Row
            icon="bell"
            title={t.alerts({ count: count(alerts.count) })}
            count={alerts.count}
            first={joined(alertTitle(alert.title), alert.deviceName, alert.siteName)}
            step={
              <ButtonLink small to="/dashboard/alerts" search={{ severity: "CRITICAL", alert: alert.id }}>
                {t.alertStep}
              </ButtonLink>
            }
            all={(label) => (
              <Link to="/dashboard/alerts" search={{ status: "OPEN,ACKNOWLEDGED", severity: "CRITICAL" }}>
                {label}
              </Link>
            )}
          />
        )}
        {account && (
          <Row
            icon="key"
            title={t.accounts({ count: count(accounts.count) })}
            count={accounts.count}
            first={joined(account.name, account.manufacturer)}
            step={
              <ButtonLink small to="/dashboard/connections" search={{ status: "failed", account: account.id }}>
                {t.accountStep}
              </ButtonLink>
            }
            all={(label) => (
              <Link to="/dashboard/connections" search={{ status: "failed" }}>
                {label}
              </Link>
            )}
          />
        )}
        {destination && (
          <Row
            icon="send"
            title={t.destinations({ count: count(destinations.count) })}
            count={destinations.count}
            first={joined(
              destination.label ?? destination.destinationType,
              destination.deactivated ? t.deactivated : null
            )}
            step={
              <ButtonLink small to="/dashboard/destinations/$id" params={{ id: destination.id }}>
                {t.destinationStep}
              </ButtonLink>
            }
            all={(label) => <Link to="/dashboard/destinations">{label}</Link>}
          />
        )}
        {device && (
          <Row
            icon="broken"
            title={t.devices({ count: count(devices.count) })}
            count={devices.count}
            first={joined(device.name, device.siteName)}
            since={<Age time={device.lastReportedAt} />}
            step={
              <ButtonLink small to="/dashboard/devices/$id" params={{ id: device.id }}>
                {t.deviceStep}
              </ButtonLink>
            }
            all={(label) => (
              <Link
                to="/dashboard/fleet"
                search={{ onlineStatus: "offline", status: "connected", sort: "longest-silent" }}
              >
                {label}
              </Link>
            )}
          />
        )}
      </ul>
    </Card>
  )
}
