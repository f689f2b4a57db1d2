import { drawOption } from "../../charts/drawOption.ts"
import type { MetricView } from "../view.ts"
import { chartOption } from "./chartOption.ts"

/** Draws energies as an SVG document; equal values give equal bytes. */
export const drawChart = (view: MetricView, title?: string): string => drawOption(chartOption(view, title))
