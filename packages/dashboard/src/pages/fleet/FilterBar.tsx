import { fleetSorts } from "@edp/domain/dashboard/Fleet"
import { useMessages } from "../../i18n/useMessages.ts"
import { Button } from "../../kit/Button.tsx"
import { SelectField } from "../../kit/Field.tsx"
import { SearchField } from "../../kit/SearchField.tsx"
import type { Change } from "../../kit/useChange.ts"
import { chosenValues, type FleetSearch, toggled, withoutFilters } from "./filters.ts"
import { SavedFilters } from "./SavedFilters.tsx"

interface FilterBarProps {
  readonly parameters: FleetSearch
  readonly change: Change<FleetSearch>
  readonly isFiltered: boolean
  readonly isMap: boolean
}

/** The filters that no field shows, and the way to stop all filters. */
export const ActiveFilters = ({ change, parameters }: Pick<FilterBarProps, "change" | "parameters">) => {
  const t = useMessages("fleet")
  return (
    <>
      {chosenValues(parameters, "siteId").map((id) => (
        <Button
          key={id}
          small
          icon="cross"
          aria-label={t.remove({ name: `${t.site}: ${id}` })}
          onClick={() => change(toggled(parameters, "siteId", id))}
        >
          {t.site}: {id}
        </Button>
      ))}
      <Button small onClick={() => change(withoutFilters)}>
        {t.clear}
      </Button>
    </>
  )
}

/** Chooses the list or the map. */
export const ViewChoice = ({ change, isMap }: Pick<FilterBarProps, "change" | "isMap">) => {
  const t = useMessages("fleet")
  return (
    <div className="fleet-views" role="group" aria-label={t.view}>
      <Button aria-pressed={!isMap} tone={isMap ? "plain" : "main"} onClick={() => change({ view: undefined })}>
        {t.list}
      </Button>
      <Button icon="map" aria-pressed={isMap} tone={isMap ? "main" : "plain"} onClick={() => change({ view: "map" })}>
        {t.map}
      </Button>
    </div>
  )
}

/** Search, order and saved filters. */
export const FilterBar = ({ change, isFiltered, isMap, parameters }: FilterBarProps) => {
  const t = useMessages("fleet")
  return (
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
    </search>
  )
}
