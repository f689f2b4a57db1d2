import type { Fleet } from "@edp/domain/dashboard/Fleet"
import { onlineStatuses } from "@edp/domain/devices/DeviceType"
import { Link } from "@tanstack/react-router"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { Button } from "../../kit/Button.tsx"
import { Menu } from "../../kit/Menu.tsx"
import type { Change } from "../../kit/useChange.ts"
import { chosenValues, type FleetSearch, type ListFilter, toggled } from "./filters.ts"

interface CountsProps {
  readonly fleet: Fleet
  readonly parameters: FleetSearch
  readonly change: Change<FleetSearch>
}

interface Counted {
  readonly value: string
  readonly name: string
  readonly count: number
}

interface ChoiceProps extends Omit<CountsProps, "fleet"> {
  readonly title: string
  readonly filter: ListFilter
  readonly values: ReadonlyArray<Counted>
}

/** The counts of a property with many values: a menu that filters by them. */
const Choice = ({ change, filter, parameters, title, values }: ChoiceProps) => {
  const language = useLanguage()
  const chosen = chosenValues(parameters, filter)
  const shown = values.filter(({ value }) => chosen.includes(value)).map(({ name }) => name)
  return (
    <Menu
      trigger={
        <Button small icon="down" className={chosen.length > 0 ? "fleet-chosen" : undefined}>
          {shown.length === 0 ? title : `${title}: ${shown.join(", ")}`}
        </Button>
      }
      items={values.map(({ count, name, value }) => ({
        id: value,
        label: (
          <span className="fleet-choice">
            {name} <span className="muted">{formatNumber(language, count)}</span>
          </span>
        ),
        checked: chosen.includes(value),
        onSelect: () => change(toggled(parameters, filter, value))
      }))}
    />
  )
}

/** Numbers of the devices that match, as one line of filters. A press on one filters by it, and another one stops that. */
export const Counts = ({ change, fleet, parameters }: CountsProps) => {
  const t = useMessages("fleet")
  const words = useMessages("devices")
  const language = useLanguage()
  const count = (value: number) => formatNumber(language, value)
  const chosen = chosenValues(parameters, "onlineStatus")
  const { CRITICAL, INFO, WARNING } = fleet.openAlerts
  const alerts = CRITICAL + WARNING + INFO
  const shared = { parameters, change }
  return (
    <>
      {onlineStatuses.map((status) => (
        <button
          key={status}
          type="button"
          className="fleet-count"
          aria-pressed={chosen.includes(status)}
          title={t.filterBy({ name: words.online[status] })}
          onClick={() => change(toggled(parameters, "onlineStatus", status))}
        >
          <span className={`fleet-mark ${status}`} aria-hidden="true" />
          {words.online[status]} <strong>{count(fleet.onlineStatus[status])}</strong>
        </button>
      ))}
      <Choice
        {...shared}
        title={t.types}
        filter="type"
        values={fleet.types.map(({ devices, type }) => ({ value: type, name: words.types[type], count: devices }))}
      />
      <Choice
        {...shared}
        title={t.manufacturers}
        filter="manufacturer"
        values={fleet.manufacturers.map(({ devices, name, slug }) => ({ value: slug, name, count: devices }))}
      />
      {alerts > 0 && (
        <Link to="/dashboard/alerts" search={{ status: "OPEN,ACKNOWLEDGED" }}>
          {t.alerts({ count: alerts })}
        </Link>
      )}
      {fleet.accountsNeedingAction > 0 && (
        <Link to="/dashboard/connections" search={{ status: "failed" }}>
          {t.accounts({ count: fleet.accountsNeedingAction })}
        </Link>
      )}
    </>
  )
}
