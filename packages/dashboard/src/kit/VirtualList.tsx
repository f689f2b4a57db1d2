import { useVirtualizer } from "@tanstack/react-virtual"
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react"
import "./VirtualList.css"

interface VirtualListProps {
  /** Says what the list holds, for screen readers. */
  readonly label: string
  readonly count: number
  /** Height of every row in pixels. */
  readonly rowHeight: number
  /** A row by its index. It is asked only for rows that are near the view. */
  readonly row: (index: number) => ReactNode
  /** The rows in view changed, such as to read them. */
  readonly onRange?: (first: number, last: number) => void
  readonly onOpen?: (index: number) => void
  readonly header?: ReactNode
}

/** A list of any length of which only the rows in view exist. The arrow keys, Page Up and Down, Home and End move in it. */
export const VirtualList = ({ label, count, rowHeight, row, onRange, onOpen, header }: VirtualListProps) => {
  const frame = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    onChange: ({ range }) => range && onRange?.(range.startIndex, range.endIndex)
  })
  // Rows of another height, such as after a phone was turned, have other places.
  useEffect(() => virtual.measure(), [virtual, rowHeight])
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const target = event.target as HTMLElement
    const now = Number(target.closest<HTMLElement>("[data-row]")?.dataset["row"] ?? -1)
    const step = Math.max(1, Math.floor((frame.current?.clientHeight ?? rowHeight) / rowHeight) - 1)
    const to = {
      ArrowDown: now + 1,
      ArrowUp: now - 1,
      PageDown: now + step,
      PageUp: now - step,
      Home: 0,
      End: count - 1
    }[event.key]
    if (event.key === "Enter" && now >= 0 && target.dataset["row"] !== undefined) return onOpen?.(now)
    if (to === undefined || count === 0) return
    event.preventDefault()
    const index = Math.min(count - 1, Math.max(0, to))
    virtual.scrollToIndex(index)
    requestAnimationFrame(() =>
      frame.current?.querySelector<HTMLElement>(`[data-row="${index}"]`)?.focus({ preventScroll: true })
    )
  }
  return (
    <div className="virtual" role="table" aria-label={label} aria-rowcount={count + (header ? 1 : 0)}>
      {header}
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions */}
      <div ref={frame} className="virtual-frame" onKeyDown={move} tabIndex={0} role="rowgroup" aria-label={label}>
        <div className="virtual-space" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => (
            <div
              key={index}
              className="virtual-row"
              role="row"
              aria-rowindex={index + (header ? 2 : 1)}
              data-row={index}
              tabIndex={-1}
              style={{ height: rowHeight, transform: `translateY(${start}px)` }}
            >
              {row(index)}
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}
