import "./fleet.css"
import type { Fleet } from "@edp/domain/dashboard/Fleet"
import { lazy, Suspense, useCallback, useMemo, useState } from "react"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { workspaceIdAtom } from "../../api/session.ts"
import { fleetQuery } from "../../resources/fleet.ts"
import { Age } from "../../kit/Figure.tsx"
import { FirstSteps } from "../../kit/FirstSteps.tsx"
import { Loaded, Loading } from "../../kit/Loaded.tsx"
import { Empty, PageHeader } from "../../kit/components.tsx"
import { Button } from "../../kit/Button.tsx"
import { pageRoute } from "../../kit/pageRoute.ts"
import { useAtomValue, useLatest } from "../../state/atoms.ts"
import { type ColumnId, readColumns, writeColumns } from "./columns.ts"
import { ColumnsButton } from "./ColumnsButton.tsx"
import { Counts } from "./Counts.tsx"
import { CsvButton } from "./CsvButton.tsx"
import { DeviceList } from "./DeviceList.tsx"
import { ActiveFilters, FilterBar, ViewChoice } from "./FilterBar.tsx"
import { readFilters, withoutFilters } from "./filters.ts"
import { isNothing, nothingSelected, type Selection } from "./selection.ts"
import { useQuietRefresh } from "./useQuietRefresh.ts"

const route = pageRoute("/dashboard/fleet")

const SelectionBar = lazy(() => import("./SelectionBar.tsx").then(({ SelectionBar: bar }) => ({ default: bar })))

const FleetMapView = lazy(() => import("./FleetMapView.tsx"))

const FleetSummary = ({ fleet, isFiltered }: { readonly fleet: Fleet; readonly isFiltered: boolean }) => {
  const t = useMessages("fleet")
  const language = useLanguage()
  const count = (value: number) => formatNumber(language, value)
  return (
    <>
      {isFiltered ? (
        <Loaded query={fleetQuery({})} placeholder={t.devices({ count: fleet.devices })}>
          {(all) => t.matching({ count: count(fleet.devices), all: all.devices })}
        </Loaded>
      ) : (
        t.devices({ count: fleet.devices })
      )}
      {" · "}
      {t.asOf} <Age time={fleet.asOf} live />
    </>
  )
}

/** The columns of the list, which the browser keeps for each workspace. */
const useColumns = () => {
  const workspaceId = useAtomValue(workspaceIdAtom) ?? ""
  const [columns, setColumns] = useState(() => readColumns(workspaceId))
  const choose = (next: ReadonlyArray<ColumnId>) => {
    setColumns(next)
    writeColumns(workspaceId, next)
  }
  return [columns, choose] as const
}

/** The devices of the workspace: counts, filters, and a list or a map of those that match. */
export const Page = () => {
  const t = useMessages("fleet")
  const parameters = route.useSearch()
  const change = route.useChange()
  const text = JSON.stringify(readFilters(parameters))
  const filters = useMemo(() => JSON.parse(text) as ReturnType<typeof readFilters>, [text])
  const query = useMemo(() => fleetQuery(filters), [filters])
  const fleet = useLatest(useAtomValue(query))
  useQuietRefresh([query])
  const [columns, chooseColumns] = useColumns()
  const { sort = "newest" } = parameters
  // A selection is of the devices that match: other filters begin with none.
  const [chosen, setChosen] = useState<{ readonly text: string; readonly selection: Selection }>()
  const selection = chosen?.text === text ? chosen.selection : nothingSelected
  const setSelection = useCallback((next: Selection) => setChosen({ text, selection: next }), [text])
  const isFiltered = text !== "{}"
  const isMap = parameters.view === "map"
  if (fleet?.devices === 0 && !isFiltered) {
    return (
      <>
        <PageHeader title={t.title} />
        <FirstSteps />
      </>
    )
  }
  return (
    <div className="fleet-page">
      <PageHeader
        title={t.title}
        lead={fleet === undefined ? "\u00a0" : <FleetSummary fleet={fleet} isFiltered={isFiltered} />}
        actions={
          <>
            <ViewChoice change={change} isMap={isMap} />
            {!isMap && <ColumnsButton columns={columns} onChange={chooseColumns} />}
            <CsvButton query={filters} total={fleet?.devices ?? 0} />
          </>
        }
      />
      <div className="fleet-counts">
        <Loaded query={query} placeholder={<span aria-busy="true" />}>
          {(counted) => <Counts fleet={counted} parameters={parameters} change={change} />}
        </Loaded>
        {isFiltered && <ActiveFilters parameters={parameters} change={change} />}
      </div>
      <FilterBar parameters={parameters} change={change} isFiltered={isFiltered} isMap={isMap} />
      {isMap ? (
        <Suspense fallback={<Loading />}>
          <FleetMapView filters={filters} />
        </Suspense>
      ) : (
        <DeviceList
          key={text + sort}
          filters={filters}
          sort={sort}
          columns={columns}
          selection={selection}
          onSelect={setSelection}
          empty={
            isFiltered && (
              <Empty
                icon="search"
                title={t.nothing}
                actions={<Button onClick={() => change(withoutFilters)}>{t.clear}</Button>}
              >
                {t.nothingText}
              </Empty>
            )
          }
        />
      )}
      {!isMap && !isNothing(selection) && (
        <Suspense>
          <SelectionBar selection={selection} filters={filters} total={fleet?.devices ?? 0} onSelect={setSelection} />
        </Suspense>
      )}
    </div>
  )
}
