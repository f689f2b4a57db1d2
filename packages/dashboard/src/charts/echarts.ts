import { BarChart, LineChart } from "echarts/charts"
import {
  AriaComponent,
  AxisPointerComponent,
  GridComponent,
  MarkAreaComponent,
  MarkLineComponent,
  TooltipComponent
} from "echarts/components"
import { init, use } from "echarts/core"
import { CanvasRenderer } from "echarts/renderers"

use([
  AriaComponent,
  AxisPointerComponent,
  BarChart,
  CanvasRenderer,
  GridComponent,
  LineChart,
  MarkAreaComponent,
  MarkLineComponent,
  TooltipComponent
])

/** Charts on a canvas, with only the parts of ECharts that the page uses. */
export const openChart = (element: HTMLElement) => init(element, null, { renderer: "canvas" })
