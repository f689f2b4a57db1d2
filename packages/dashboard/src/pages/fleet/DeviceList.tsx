import type { FleetDevice, FleetFilters } from "@edp/domain/dashboard/Fleet"
import { useNavigate } from "@tanstack/react-router"
import {
  type CSSProperties,
  type FormEvent,
  type MouseEvent,
  type ReactNode,
  useRef,
  useSyncExternalStore
} from "react"
import { useMessages } from "../../i18n/useMessages.ts"
import { Loading } from "../../kit/Loaded.tsx"
import { Notice } from "../../kit/components.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { VirtualList } from "../../kit/VirtualList.tsx"
import { type ColumnId, columnWidths } from "./columns.ts"
import { cellClass, DeviceRow, devicePath } from "./DeviceRow.tsx"
import type { FleetSort } from "./filters.ts"
import { isSelected, nothingSelected, type Selection, SELECTION_LIMIT, select } from "./selection.ts"
import { useWindows } from "./useWindows.ts"

interface DeviceListProps {
  readonly filters: FleetFilters
  readonly sort: FleetSort
  readonly columns: ReadonlyArray<ColumnId>
  readonly selection: Selection
  readonly onSelect: (selection: Selection) => void
  readonly empty: ReactNode
}

/** In pixels. On a phone a row is a card. */
const ROW = 28
const CARD = 142

/** The tallest list that every browser can scroll, in pixels. */
const TALLEST = 16_000_000

const phone = matchMedia("(width < 720px)")
const watchPhone = (changed: () => void) => {
  phone.addEventListener("change", changed)
  return () => phone.removeEventListener("change", changed)
}

const Header = ({ columns, onSelect, selection }: Pick<DeviceListProps, "columns" | "selection" | "onSelect">) => {
  const t = useMessages("fleet")
  const isAll = selection.kind === "all"
  return (
    <div role="row" aria-rowindex={1} className="fleet-row fleet-head">
      <div role="columnheader" className="fleet-cell fleet-check">
        <input
          type="checkbox"
          aria-label={t.selectMatching}
          checked={isAll}
          onChange={() => onSelect(isAll ? nothingSelected : { kind: "all" })}
        />
      </div>
      <div role="columnheader" className="fleet-cell">
        {t.columnName}
      </div>
      {columns.map((id) => (
        <div key={id} role="columnheader" className={cellClass(id)}>
          {t.columnNames[id]}
        </div>
      ))}
    </div>
  )
}

/**
 * Selects a row, or the rows from the former one to it. Rows in between that are not read, such as after a jump, stay as they are, which
 * a message says.
 */
const useToggle = (
  row: (index: number) => FleetDevice | undefined,
  selection: Selection,
  onSelect: (selection: Selection) => void
) => {
  const t = useMessages("fleet")
  const toast = useToast()
  const former = useRef<number>(undefined)
  return (index: number, isRange: boolean) => {
    const device = row(index)
    if (device === undefined) return
    const isChosen = !isSelected(selection, device.id)
    const from = isRange ? (former.current ?? index) : index
    former.current = index
    const [first, last] = [Math.min(from, index), Math.max(from, index)]
    const indexes = Array.from({ length: Math.min(last - first, SELECTION_LIMIT) + 1 }, (_, n) => first + n)
    const ids = indexes.flatMap((each) => row(each)?.id ?? [])
    const next = select(selection, ids, isChosen)
    if (next.isCut || ids.length <= last - first) toast.failed(t.selectionCut({ most: SELECTION_LIMIT }))
    onSelect(next.selection)
  }
}

/** The matching devices, of which those near the view are read and shown. */
export const DeviceList = ({ columns, empty, filters, onSelect, selection, sort }: DeviceListProps) => {
  const t = useMessages("fleet")
  const navigate = useNavigate()
  const isPhone = useSyncExternalStore(watchPhone, () => phone.matches)
  const { onRange, problem, row, total } = useWindows(filters, sort)
  const toggle = useToggle(row, selection, onSelect)
  if (total === undefined) return problem === undefined ? <Loading /> : <ProblemNotice problem={problem} />
  if (total === 0) return empty
  const rowHeight = isPhone ? CARD : ROW
  const count = Math.min(total, Math.floor(TALLEST / rowHeight))
  const widths = ["check" as const, "name" as const, ...columns].map((id) => columnWidths[id]).join(" ")
  const template = { "--fleet-template": widths } as CSSProperties
  const open = (path: string) => void navigate({ to: path })
  const follow = (event: MouseEvent<HTMLDivElement>) => {
    const link = (event.target as HTMLElement).closest("a")
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
    if (link === null || !isPlain) return
    event.preventDefault()
    open(link.pathname)
  }
  // Changes of the check boxes bubble from the rows, which then need no function that changes with each rendering.
  const toggleRow = ({ nativeEvent, target }: FormEvent<HTMLDivElement>) => {
    const changed = (target as HTMLElement).closest<HTMLElement>("[data-row]")
    if (changed !== null) toggle(Number(changed.dataset["row"]), (nativeEvent as globalThis.MouseEvent).shiftKey)
  }
  return (
    <>
      {problem && <ProblemNotice problem={problem} />}
      {count < total && <Notice state="info">{t.tooLong({ count })}</Notice>}
      {/* Clicks bubble from links, which have the keyboard's ways themselves. */}
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions */}
      <div className="card flush fleet-list" style={template} onClick={follow} onChange={toggleRow}>
        <VirtualList
          label={t.listLabel}
          count={count}
          rowHeight={rowHeight}
          header={isPhone ? undefined : <Header columns={columns} selection={selection} onSelect={onSelect} />}
          row={(index) => (
            <DeviceRow
              device={row(index)}
              columns={isPhone ? undefined : columns}
              isSelected={selection.kind === "some" && selection.ids.has(row(index)?.id ?? "")}
              isAllSelected={selection.kind === "all"}
            />
          )}
          onRange={onRange}
          onOpen={(index) => {
            const device = row(index)
            if (device !== undefined) open(devicePath(device.id))
          }}
        />
      </div>
    </>
  )
}
