import type { FleetFilters } from "@edp/domain/dashboard/Fleet"
import { useNavigate } from "@tanstack/react-router"
import { type CSSProperties, type MouseEvent, type ReactNode, useSyncExternalStore } from "react"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { Loading } from "../../kit/Loaded.tsx"
import { Notice } from "../../kit/components.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import { VirtualList } from "../../kit/VirtualList.tsx"
import { type ColumnId, columnWidths } from "./columns.ts"
import { cellClass, DeviceRow, devicePath } from "./DeviceRow.tsx"
import type { FleetSort } from "./filters.ts"
import { messages } from "./messages.ts"
import { useWindows } from "./useWindows.ts"

interface DeviceListProps {
  readonly filters: FleetFilters
  readonly sort: FleetSort
  readonly columns: ReadonlyArray<ColumnId>
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

const Header = ({ columns }: Pick<DeviceListProps, "columns">) => {
  const t = useMessages(messages)
  return (
    <div role="row" aria-rowindex={1} className="fleet-row fleet-head">
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

/** The matching devices, of which those near the view are read and shown. */
export const DeviceList = ({ columns, empty, filters, sort }: DeviceListProps) => {
  const t = useMessages(messages)
  const language = useLanguage()
  const navigate = useNavigate()
  const isPhone = useSyncExternalStore(watchPhone, () => phone.matches)
  const { onRange, problem, row, total } = useWindows(filters, sort)
  if (total === undefined) return problem === undefined ? <Loading /> : <ProblemNotice problem={problem} />
  if (total === 0) return empty
  const rowHeight = isPhone ? CARD : ROW
  const count = Math.min(total, Math.floor(TALLEST / rowHeight))
  const widths = ["name" as const, ...columns].map((id) => columnWidths[id]).join(" ")
  const template = { "--fleet-template": widths } as CSSProperties
  const open = (path: string) => void navigate({ to: path })
  const follow = (event: MouseEvent<HTMLDivElement>) => {
    const link = (event.target as HTMLElement).closest("a")
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
    if (link === null || !isPlain) return
    event.preventDefault()
    open(link.pathname)
  }
  return (
    <>
      {problem && <ProblemNotice problem={problem} />}
      {count < total && <Notice state="info">{t.tooLong(formatNumber(language, count))}</Notice>}
      {/* Clicks bubble from links, which have the keyboard's ways themselves. */}
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions */}
      <div className="card flush fleet-list" style={template} onClick={follow}>
        <VirtualList
          label={t.listLabel}
          count={count}
          rowHeight={rowHeight}
          header={isPhone ? undefined : <Header columns={columns} />}
          row={(index) => <DeviceRow device={row(index)} columns={isPhone ? undefined : columns} />}
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
