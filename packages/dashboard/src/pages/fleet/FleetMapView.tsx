import type { FleetCell, FleetFilters, FleetMap } from "@edp/domain/dashboard/Fleet"
import { useNavigate } from "@tanstack/react-router"
import { useEffect, useEffectEvent, useMemo, useRef, useState } from "react"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { fleetMapQuery } from "../../resources/fleet.ts"
import { Button, IconButton } from "../../kit/Button.tsx"
import { ListedOf } from "../../kit/ListedOf.tsx"
import { Loaded, Loading } from "../../kit/Loaded.tsx"
import { Table } from "../../kit/Table.tsx"
import { sitePath } from "./DeviceRow.tsx"
import { cellRadius, drawMap } from "./drawMap.ts"
import { fitted, type MapView, panned, project, type Size, visibleBox, zoomed } from "./projection.ts"
import { useQuietRefresh } from "./useQuietRefresh.ts"
import { useRedraw } from "./useRedraw.ts"

/** After the map has rested for this long, in milliseconds, the cells of its part are read. */
const REST = 200
/** The most places that the table lists. */
const LISTED = 50
const STEP = 80

/** The map's part of the earth, once it has rested. */
const useRested = (view: MapView, size: Size) => {
  const { bbox, zoom } = visibleBox(view, size)
  const [rested, setRested] = useState({ bbox, zoom })
  useEffect(() => {
    const timer = setTimeout(() => setRested({ bbox, zoom }), REST)
    return () => clearTimeout(timer)
  }, [bbox, zoom])
  return rested
}

interface ShownMapProps {
  readonly first: FleetMap
  readonly filters: FleetFilters
  readonly size: Size
}

interface SurfaceProps extends ShownMapProps {
  readonly view: MapView
  readonly move: (view: MapView) => void
  readonly cells: ReadonlyArray<FleetCell>
  readonly open: (cell: FleetCell) => void
}

/** The drawn map with its gestures: drag, wheel, pinch, arrow keys, plus, minus and 0. */
const Surface = ({ cells, first, move, open, size, view }: SurfaceProps) => {
  const t = useMessages("fleet")
  const canvas = useRef<HTMLCanvasElement>(null)
  const [marked, setMarked] = useState<FleetCell>()
  const pointers = useRef(new Map<number, { readonly x: number; readonly y: number }>())
  const travelled = useRef(0)
  const zoomAt = useEffectEvent(({ deltaY, offsetX, offsetY }: WheelEvent) =>
    move(zoomed(view, size, 2 ** (-deltaY / 300), offsetX, offsetY))
  )
  useRedraw(() => {
    if (canvas.current !== null) drawMap(canvas.current, view, size, cells, marked)
  })
  useEffect(() => {
    const element = canvas.current!
    // React's own listeners can't keep the page from scrolling.
    const zoom = (event: WheelEvent) => {
      event.preventDefault()
      zoomAt(event)
    }
    element.addEventListener("wheel", zoom, { passive: false })
    return () => element.removeEventListener("wheel", zoom)
  }, [])
  const cellAt = (x: number, y: number) =>
    cells.find((cell) => {
      const place = project(view, size, cell.lon, cell.lat)
      return Math.hypot(place.x - x, place.y - y) <= Math.max(cellRadius(cell), 12)
    })
  const drag = (event: React.PointerEvent<HTMLCanvasElement>) => {
    const former = pointers.current.get(event.pointerId)
    const [x, y] = [event.nativeEvent.offsetX, event.nativeEvent.offsetY]
    if (former === undefined) return setMarked(cellAt(x, y))
    const others = [...pointers.current].filter(([id]) => id !== event.pointerId).map(([, place]) => place)
    pointers.current.set(event.pointerId, { x, y })
    travelled.current += Math.hypot(x - former.x, y - former.y)
    const [other] = others
    if (other === undefined) return move(panned(view, former.x - x, former.y - y))
    const factor =
      Math.hypot(x - other.x, y - other.y) / Math.max(1, Math.hypot(former.x - other.x, former.y - other.y))
    move(zoomed(view, size, factor, (x + other.x) / 2, (y + other.y) / 2))
  }
  const release = (event: React.PointerEvent<HTMLCanvasElement>) => {
    pointers.current.delete(event.pointerId)
    if (travelled.current > 6) return
    const cell = cellAt(event.nativeEvent.offsetX, event.nativeEvent.offsetY)
    if (cell !== undefined) open(cell)
  }
  const steer = (event: React.KeyboardEvent) => {
    const next: Readonly<Record<string, () => MapView>> = {
      ArrowLeft: () => panned(view, -STEP, 0),
      ArrowRight: () => panned(view, STEP, 0),
      ArrowUp: () => panned(view, 0, -STEP),
      ArrowDown: () => panned(view, 0, STEP),
      "+": () => zoomed(view, size, 2),
      "=": () => zoomed(view, size, 2),
      "-": () => zoomed(view, size, 0.5),
      "0": () => fitted(first.cells, size)
    }
    const chosen = next[event.key]
    if (chosen === undefined) return
    event.preventDefault()
    move(chosen())
  }
  return (
    <>
      <canvas
        ref={canvas}
        className="fleet-canvas"
        role="img"
        aria-label={t.mapLabel}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        style={{ height: size.height, cursor: marked ? "pointer" : "grab" }}
        onKeyDown={steer}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          travelled.current = 0
          pointers.current.set(event.pointerId, { x: event.nativeEvent.offsetX, y: event.nativeEvent.offsetY })
        }}
        onPointerMove={drag}
        onPointerUp={release}
        onPointerCancel={(event) => pointers.current.delete(event.pointerId)}
        onPointerLeave={() => setMarked(undefined)}
      />
      <div className="fleet-map-buttons">
        <IconButton icon="plus" label={t.zoomIn} onClick={() => move(zoomed(view, size, 2))} />
        <IconButton icon="minus" label={t.zoomOut} onClick={() => move(zoomed(view, size, 0.5))} />
        <IconButton icon="globe" label={t.showAll} onClick={() => move(fitted(first.cells, size))} />
      </div>
    </>
  )
}

const Places = ({
  cells,
  open
}: {
  readonly cells: ReadonlyArray<FleetCell>
  readonly open: (cell: FleetCell) => void
}) => {
  const t = useMessages("fleet")
  const language = useLanguage()
  const count = (value: number) => formatNumber(language, value)
  const degrees = (value: number) => formatNumber(language, value, 2)
  const name = (cell: FleetCell) =>
    cell.site?.name ?? `${t.sitesNear({ count: cell.sites })}, ${degrees(cell.lat)}°, ${degrees(cell.lon)}°`
  return (
    <details className="fleet-places">
      <summary>{t.mapTable}</summary>
      <Table
        caption={t.mapTable}
        rows={cells.slice(0, LISTED)}
        id={(cell) => `${cell.lat} ${cell.lon}`}
        columns={[
          { id: "place", header: t.place, isName: true, cell: name },
          { id: "sites", header: t.sites, align: "end", cell: ({ sites }) => count(sites) },
          {
            id: "online",
            header: t.listLabel,
            cell: ({ devices, online }) => t.onlineOf({ online: count(online), devices: count(devices) })
          },
          { id: "alerts", header: t.columnNames.alerts, align: "end", cell: ({ alerts }) => count(alerts) },
          {
            id: "open",
            header: "",
            cell: (cell) => (
              <Button small tone="quiet" aria-label={`${t.openPlace}: ${name(cell)}`} onClick={() => open(cell)}>
                {t.openPlace}
              </Button>
            )
          }
        ]}
      />
      <ListedOf shown={LISTED} total={cells.length} />
    </details>
  )
}

const ShownMap = (props: ShownMapProps) => {
  const { filters, first, size } = props
  const t = useMessages("fleet")
  const navigate = useNavigate()
  const [view, setView] = useState<MapView>(() => fitted(first.cells, size))
  const { bbox, zoom } = useRested(view, size)
  const query = useMemo(() => fleetMapQuery(filters, bbox, zoom), [filters, bbox, zoom])
  useQuietRefresh([query])
  const open = (cell: FleetCell) => {
    if (cell.site !== undefined) return void navigate({ to: sitePath(cell.site.id) })
    setView(zoomed({ ...view, lon: cell.lon, lat: cell.lat }, size, 4))
  }
  return (
    <Loaded query={query}>
      {(map) => (
        <>
          <div className="fleet-map">
            <Surface {...props} view={view} move={setView} cells={map.cells} open={open} />
          </div>
          <p className="fleet-note">
            {(map.withoutCoordinates.sites > 0 || map.withoutSite > 0) && (
              <>
                {t.withoutPlace({
                  sites: map.withoutCoordinates.sites,
                  devices: map.withoutCoordinates.devices + map.withoutSite
                })}{" "}
              </>
            )}
            {t.mapSource}.
          </p>
          <Places cells={map.cells} open={open} />
        </>
      )}
    </Loaded>
  )
}

/** The sites of the matching devices on a map that needs nothing from outside. */
const FleetMapView = ({ filters }: { readonly filters: FleetFilters }) => {
  const frame = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState<Size>()
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      const { width } = entry!.contentRect
      setSize({ width, height: Math.round(Math.min(innerHeight * 0.7, Math.max(320, width * 0.6))) })
    })
    observer.observe(frame.current!)
    return () => observer.disconnect()
  }, [])
  const query = useMemo(() => fleetMapQuery(filters, undefined, 3), [filters])
  return (
    <div ref={frame} className="fleet-map-frame">
      {size === undefined ? (
        <Loading />
      ) : (
        <Loaded query={query}>{(first) => <ShownMap first={first} filters={filters} size={size} />}</Loaded>
      )}
    </div>
  )
}

export default FleetMapView
