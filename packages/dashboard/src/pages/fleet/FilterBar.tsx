import { fleetSorts } from "@edp/domain/dashboard/Fleet"
import type { DeviceType, OnlineStatus } from "@edp/domain/devices/DeviceType"
import { useMessages } from "../../i18n/useMessages.ts"
import { Button } from "../../kit/Button.tsx"
import { SelectField } from "../../kit/Field.tsx"
import { Icon } from "../../kit/Icon.tsx"
import { SearchField } from "../../kit/SearchField.tsx"
import { deviceMessages } from "../../kit/deviceMessages.ts"
import type { Change } from "../../kit/useChange.ts"
import { chosenValues, type FleetSearch, type ListFilter, listFilters, toggled, withoutFilters } from "./filters.ts"
import { SavedFilters } from "./SavedFilters.tsx"
import { messages } from "./messages.ts"

interface FilterBarProps {
  readonly parameters: FleetSearch
  readonly change: Change<FleetSearch>
  readonly isFiltered: boolean
  readonly isMap: boolean
}

const Chips = ({ change, parameters }: Pick<FilterBarProps, "change" | "parameters">) => {
  const t = useMessages(messages)
  const words = useMessages(deviceMessages)
  const label = (name: ListFilter, value: string) => {
    if (name === "type") return words.types[value as DeviceType]
    if (name === "onlineStatus") return words.online[value as OnlineStatus]
    if (name === "status") return value === "connected" ? t.connected : t.disconnected
    if (name === "tag") return `${t.tag}: ${value}`
    return name === "siteId" ? `${t.site}: ${value}` : value
  }
  const chips = listFilters.flatMap((name) => chosenValues(parameters, name).map((value) => ({ name, value })))
  return chips.map(({ name, value }) => (
    <Button
      key={`${name} ${value}`}
      small
      icon="cross"
      aria-label={t.remove(label(name, value))}
      onClick={() => change(toggled(parameters, name, value))}
    >
      {label(name, value)}
    </Button>
  ))
}

/** Search, order, view and saved filters, and the filters that hold now. */
export const FilterBar = ({ change, isFiltered, isMap, parameters }: FilterBarProps) => {
  const t = useMessages(messages)
  return (
    <div className="fleet-bar-area">
      <search className="fleet-filters">
        <SearchField label={t.search} value={parameters.q} onSearch={(q, options) => change({ q }, options)} />
        <SearchField
          label={t.tag}
          value={parameters.tag}
          onSearch={(tag, options) => change({ tag }, options)}
          maxLength={100}
        />
        <SelectField
          label={t.connection}
          value={parameters.status ?? ""}
          options={[
            { value: "", label: t.any },
            { value: "connected", label: t.connected },
            { value: "disconnected", label: t.disconnected }
          ]}
          onChange={(status) => change({ status: status || undefined })}
        />
        {!isMap && (
          <SelectField
            label={t.sort}
            value={parameters.sort ?? "newest"}
            options={fleetSorts.map((sort) => ({ value: sort, label: t[sort] }))}
            onChange={(sort) => change({ sort: sort === "newest" ? undefined : sort })}
          />
        )}
        <SavedFilters parameters={parameters} change={change} isFiltered={isFiltered} />
        <div className="fleet-views" role="group" aria-label={t.view}>
          <Button aria-pressed={!isMap} tone={isMap ? "plain" : "main"} onClick={() => change({ view: undefined })}>
            {t.list}
          </Button>
          <Button
            icon="map"
            aria-pressed={isMap}
            tone={isMap ? "main" : "plain"}
            onClick={() => change({ view: "map" })}
          >
            {t.map}
          </Button>
        </div>
      </search>
      {isFiltered && (
        <div className="fleet-chips">
          <Icon name="filter" size={18} />
          <Chips parameters={parameters} change={change} />
          <Button small tone="quiet" onClick={() => change(withoutFilters)}>
            {t.clear}
          </Button>
        </div>
      )}
    </div>
  )
}
