import { fleetSorts } from "@edp/domain/dashboard/Fleet"
import type { DeviceType, OnlineStatus } from "@edp/domain/devices/DeviceType"
import { useEffect, useState } from "react"
import { useTexts } from "../../i18n/useTexts.ts"
import { Button } from "../../kit/Button.tsx"
import { SelectField, TextField } from "../../kit/Field.tsx"
import { Icon } from "../../kit/Icon.tsx"
import type { Parameters } from "../../kit/useParameters.ts"
import { chosenValues, type ListFilter, listFilters, readSort, toggled, withoutFilters } from "./filters.ts"
import { SavedFilters } from "./SavedFilters.tsx"
import { texts } from "./texts.ts"
import { useNames } from "./useNames.ts"

interface FilterBarProps {
  readonly parameters: Parameters
  readonly change: (changed: Parameters, options?: { readonly push?: boolean }) => void
  readonly isFiltered: boolean
  readonly isMap: boolean
}

/** Typing filters after this pause, in milliseconds. */
const PAUSE = 300

/** A text that follows the address, and changes it when typing pauses. */
const useTyped = (value: string, commit: (text: string) => void) => {
  const [text, setText] = useState(value)
  const [known, setKnown] = useState(value)
  if (known !== value) {
    setKnown(value)
    setText(value)
  }
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => commit(text), PAUSE)
    return () => clearTimeout(timer)
  }, [text, value, commit])
  return [text, setText] as const
}

const Chips = ({ change, parameters }: Pick<FilterBarProps, "change" | "parameters">) => {
  const t = useTexts(texts)
  const names = useNames()
  const label = (name: ListFilter, value: string) => {
    if (name === "type") return names.type(value as DeviceType)
    if (name === "onlineStatus") return names.onlineStatus(value as OnlineStatus)
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
  const t = useTexts(texts)
  const [q, setQ] = useTyped(parameters["q"] ?? "", (text) => change({ q: text.slice(0, 255) || undefined }))
  const [tag, setTag] = useTyped(parameters["tag"] ?? "", (text) => change({ tag: text.trim() || undefined }))
  return (
    <div className="fleet-bar-area">
      <search className="fleet-filters">
        <TextField label={t.search} type="search" value={q} onChange={setQ} maxLength={255} />
        <TextField label={t.tag} value={tag} onChange={setTag} maxLength={100} />
        <SelectField
          label={t.connection}
          value={parameters["status"] ?? ""}
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
            value={readSort(parameters)}
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
            onClick={() => change({ view: "map" }, { push: true })}
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
