import { type RefObject, useEffect, useImperativeHandle, useRef, useState } from "react"
import { formatTimes } from "../i18n/format.ts"
import { useLanguage, useMessages } from "../i18n/useMessages.ts"
import { useAtomValue } from "../state/atoms.ts"
import { minuteAtom } from "../state/now.ts"
import { chartOption } from "./chartOption.ts"
import { openChart } from "./echarts.ts"
import { drawPicture } from "./picture.ts"
import type { TimeChartProps } from "./series.ts"

const NO_BANDS: TimeChartProps["bands"] = []

/** Pixels that a pointer moves at least to choose a time. */
const LEAST_DRAG = 8

export interface ChartHandle {
  /** The chart with its title and legend. */
  readonly picture: () => Promise<Blob>
}

interface ChartCanvasProps extends TimeChartProps {
  readonly label: string
  readonly handle: RefObject<ChartHandle | null>
  readonly onBand: (index: number) => void
}

interface Drag {
  readonly start: number
  readonly end: number
}

/** The drawing of a chart. It follows the size of its frame and the colours of the page. */
const ChartCanvas = (props: ChartCanvasProps) => {
  const { series, bands = NO_BANDS, from, to, timeZone, timeFormat, height = 320, label, handle } = props
  const { onBand, onZoom, title } = props
  const t = useMessages("charts")
  const language = useLanguage()
  const now = useAtomValue(minuteAtom)
  const frame = useRef<HTMLDivElement>(null)
  const chart = useRef<ReturnType<typeof openChart>>(undefined)
  const [drag, setDrag] = useState<Drag>()
  useEffect(() => {
    const opened = openChart(frame.current!)
    chart.current = opened
    const sizes = new ResizeObserver(() => opened.resize())
    sizes.observe(frame.current!)
    return () => {
      sizes.disconnect()
      opened.dispose()
    }
  }, [])
  useEffect(() => {
    const draw = () => {
      const probe = document.createElement("span")
      frame.current!.append(probe)
      // A colour of the style sheet is a function of light and dark, which only a computed style resolves.
      const color = (name: string) => {
        probe.style.color = `var(${name})`
        return getComputedStyle(probe).color
      }
      const words = { language, noData: t.noData, nowLabel: t.now, now }
      const option = chartOption({ series, bands: bands ?? [], from, to, timeZone, timeFormat, color, ...words })
      chart.current?.setOption(option, { notMerge: true })
      probe.remove()
    }
    draw()
    const dark = matchMedia("(prefers-color-scheme: dark)")
    dark.addEventListener("change", draw)
    const scheme = new MutationObserver(draw)
    scheme.observe(document.documentElement, { attributeFilter: ["data-scheme"] })
    return () => {
      dark.removeEventListener("change", draw)
      scheme.disconnect()
    }
  }, [series, bands, from, to, timeZone, timeFormat, language, t, now])
  useEffect(() => {
    const opened = chart.current!
    const click = ({ componentType, dataIndex }: { readonly componentType: string; readonly dataIndex: number }) => {
      if (componentType === "markArea") onBand(dataIndex)
    }
    opened.on("click", click as never)
    return () => void opened.off("click", click as never)
  }, [onBand])
  useImperativeHandle(handle, () => ({
    picture: () =>
      drawPicture({
        element: frame.current!,
        chart: chart.current!.renderToCanvas({ pixelRatio: 2 }),
        title: `${title} · ${formatTimes(language, from, to, timeZone)}`,
        series
      })
  }))
  const place = (event: React.PointerEvent) => event.clientX - frame.current!.getBoundingClientRect().left
  const timeAt = (pixel: number) =>
    Math.min(to, Math.max(from, Number(chart.current!.convertFromPixel({ xAxisIndex: 0 }, pixel))))
  const zooming = onZoom !== undefined && {
    onPointerDown: (event: React.PointerEvent) => {
      if (event.button === 0) setDrag({ start: place(event), end: place(event) })
    },
    onPointerMove: (event: React.PointerEvent) => {
      if (drag === undefined) return
      if (event.buttons === 0) return setDrag(undefined)
      const end = place(event)
      if (Math.abs(end - drag.start) >= LEAST_DRAG) event.currentTarget.setPointerCapture(event.pointerId)
      setDrag({ ...drag, end })
    },
    onPointerUp: () => {
      setDrag(undefined)
      if (drag === undefined || Math.abs(drag.end - drag.start) < LEAST_DRAG) return
      const [first, last] = [drag.start, drag.end].toSorted((a, b) => a - b) as [number, number]
      if (timeAt(last) > timeAt(first)) onZoom(timeAt(first), timeAt(last))
    },
    onPointerCancel: () => setDrag(undefined)
  }
  return (
    <div className={onZoom === undefined ? "chart" : "chart zooms"} style={{ height }} {...zooming}>
      <div className="chart-frame" ref={frame} role="img" aria-label={label} />
      {drag !== undefined && Math.abs(drag.end - drag.start) >= LEAST_DRAG && (
        <div
          className="chart-selection"
          style={{ left: Math.min(drag.start, drag.end), width: Math.abs(drag.end - drag.start) }}
        />
      )}
    </div>
  )
}

export default ChartCanvas
