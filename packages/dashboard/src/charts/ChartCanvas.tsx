import { useEffect, useRef } from "react"
import { useLanguage, useMessages } from "../i18n/useMessages.ts"
import { chartOption } from "./chartOption.ts"
import { openChart } from "./echarts.ts"
import { nowMillis } from "../state/now.ts"
import { chartMessages } from "./messages.ts"
import type { TimeChartProps } from "./series.ts"

const NO_BANDS: TimeChartProps["bands"] = []

/** The drawing of a chart. It follows the size of its frame and the colours of the page. */
const ChartCanvas = (props: TimeChartProps & { readonly label: string }) => {
  const { series, bands = NO_BANDS, from, to, timeZone, timeFormat, height = 320, label } = props
  const t = useMessages(chartMessages)
  const language = useLanguage()
  const frame = useRef<HTMLDivElement>(null)
  const chart = useRef<ReturnType<typeof openChart>>(undefined)
  const drawn = useRef<string>(undefined)
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
      const words = { language, noData: t.noData, now: nowMillis() }
      const option = chartOption({ series, bands: bands ?? [], from, to, timeZone, timeFormat, color, ...words })
      // New values keep the part of the axis that someone has zoomed to.
      const span = `${from} ${to}`
      const zoom = drawn.current === span ? chart.current?.getOption()?.["dataZoom"] : undefined
      drawn.current = span
      const { start = 0, end = 100 } = (zoom as ReadonlyArray<{ start?: number; end?: number }> | undefined)?.[0] ?? {}
      const dataZoom = option.dataZoom.map((each) => ({ ...each, start, end }))
      chart.current?.setOption({ ...option, dataZoom }, { notMerge: true })
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
  }, [series, bands, from, to, timeZone, timeFormat, language, t])
  return <div className="chart" style={{ height }} ref={frame} role="img" aria-label={label} />
}

export default ChartCanvas
