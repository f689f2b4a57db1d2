import type { EChartsOption } from "echarts"
import { BarChart, LineChart } from "echarts/charts"
import {
  GridComponent,
  LegendComponent,
  MarkAreaComponent,
  MarkLineComponent,
  TitleComponent
} from "echarts/components"
import * as echarts from "echarts/core"
import { SVGRenderer } from "echarts/renderers"
import { HEIGHT, WIDTH } from "./chartFrame.ts"

echarts.use([
  BarChart,
  LineChart,
  GridComponent,
  LegendComponent,
  MarkAreaComponent,
  MarkLineComponent,
  TitleComponent,
  SVGRenderer
])

/** Attributes for interactive pages; their numbers differ from chart to chart. */
const interaction = / class="zr[^"]*"| ecmeta_\w+="[^"]*"|<style[^]*?<\/style>\n?/gu

/** Numbered names within the document. */
const numbered = /((?:url\(#| id=")zr)\d+/gu

/** Draws an SVG document; equal values give equal bytes. */
export const drawOption = (option: EChartsOption): string => {
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width: WIDTH, height: HEIGHT })
  try {
    chart.setOption(option)
    return chart.renderToSVGString().replaceAll(interaction, "").replaceAll(numbered, "$1")
  } finally {
    chart.dispose()
  }
}
