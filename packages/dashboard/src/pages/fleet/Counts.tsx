import type { Fleet } from "@edp/domain/dashboard/Fleet"
import { onlineStatuses } from "@edp/domain/devices/DeviceType"
import { Link } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { Button } from "../../kit/Button.tsx"
import { deviceMessages } from "../../kit/deviceMessages.ts"
import type { Change } from "../../kit/useChange.ts"
import { chosenValues, type FleetSearch, type ListFilter, toggled } from "./filters.ts"
import { messages } from "./messages.ts"

interface CountsProps {
  readonly fleet: Fleet
  readonly parameters: FleetSearch
  readonly change: Change<FleetSearch>
}

interface Bar {
  readonly value: string
  readonly name: string
  readonly count: number
  readonly mark?: string
}

interface BarsProps extends CountsProps {
  readonly title: string
  readonly filter: ListFilter
  readonly bars: ReadonlyArray<Bar>
}

/** The bars that are shown at first. */
const FEW = 5

/** Counts of one property as bars. A bar filters by its value, and gives the filter up when it is pressed again. */
const Bars = ({ bars, change, filter, fleet, parameters, title }: BarsProps) => {
  const t = useMessages(messages)
  const language = useLanguage()
  const [isWhole, setWhole] = useState(false)
  const chosen = chosenValues(parameters, filter)
  const shown = isWhole ? bars : bars.filter(({ value }, index) => index < FEW || chosen.includes(value))
  return (
    <section className="card fleet-counts-card">
      <h2>{title}</h2>
      <ul className="fleet-bars">
        {shown.map(({ count, mark, name, value }) => (
          <li key={value}>
            <button
              type="button"
              className="fleet-bar"
              aria-pressed={chosen.includes(value)}
              title={t.filterBy(name)}
              onClick={() => change(toggled(parameters, filter, value))}
            >
              <span className="fleet-bar-name">
                {mark && <span className={`fleet-mark ${mark}`} aria-hidden="true" />}
                {name}
              </span>
              <span className="fleet-bar-count">{formatNumber(language, count)}</span>
              <span
                className={`fleet-bar-length ${mark ?? ""}`}
                aria-hidden="true"
                style={{
                  width: `${fleet.devices === 0 ? 0 : Math.max((100 * count) / fleet.devices, count > 0 ? 1 : 0)}%`
                }}
              />
            </button>
          </li>
        ))}
      </ul>
      {bars.length > FEW && (
        <Button small tone="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? t.fewer : t.more(bars.length - FEW)}
        </Button>
      )}
    </section>
  )
}

const Total = ({ children, label }: { readonly children: ReactNode; readonly label: ReactNode }) => (
  <li>
    <span>{label}</span>
    <span className="fleet-bar-count">{children}</span>
  </li>
)

/** Numbers of the devices that match. */
export const Counts = (props: CountsProps) => {
  const { fleet } = props
  const t = useMessages(messages)
  const words = useMessages(deviceMessages)
  const language = useLanguage()
  const count = (value: number) => formatNumber(language, value)
  const severities = ["CRITICAL", "WARNING", "INFO"] as const
  return (
    <div className="fleet-counts">
      <Bars
        {...props}
        title={t.reachability}
        filter="onlineStatus"
        bars={onlineStatuses.map((status) => ({
          value: status,
          name: words.online[status],
          count: fleet.onlineStatus[status],
          mark: status
        }))}
      />
      <Bars
        {...props}
        title={t.types}
        filter="type"
        bars={fleet.types.map(({ devices, type }) => ({ value: type, name: words.types[type], count: devices }))}
      />
      <Bars
        {...props}
        title={t.manufacturers}
        filter="manufacturer"
        bars={fleet.manufacturers.map(({ devices, name, slug }) => ({ value: slug, name, count: devices }))}
      />
      <section className="card fleet-counts-card">
        <h2>{t.alerts}</h2>
        <ul className="fleet-totals">
          {severities.map((severity) => (
            <Total
              key={severity}
              label={
                <Link to="/dashboard/alerts" search={{ status: "OPEN,ACKNOWLEDGED", severity }}>
                  {t[severity]}
                </Link>
              }
            >
              {count(fleet.openAlerts[severity])}
            </Total>
          ))}
        </ul>
        <h2>{t.workspace}</h2>
        <ul className="fleet-totals">
          <Total label={<Link to="/dashboard/sites">{t.sites}</Link>}>{count(fleet.sites)}</Total>
          <Total label={<Link to="/dashboard/customers">{t.customers}</Link>}>{count(fleet.customers)}</Total>
          <Total label={<Link to="/dashboard/connections">{t.accounts}</Link>}>
            {count(fleet.accountsNeedingAction)}
          </Total>
        </ul>
      </section>
    </div>
  )
}
