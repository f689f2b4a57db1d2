import { Effect, FileSystem } from "effect"
import { CliFailure } from "../../CliFailure.ts"
import { fileFailure } from "../../import/fileFailure.ts"
import { Output } from "../../Output.ts"
import type { MetricView } from "./view.ts"

/** More colours than these nobody tells apart. */
const MOST_SERIES = 12

const write = Effect.fnUntraced(function* (path: string, bytes: Uint8Array) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.writeFile(path, bytes).pipe(fileFailure("FILE_UNWRITABLE", path))
  yield* (yield* Output).note(`wrote ${path}`)
})

/** Writes a chart of the series as SVG, as PNG, or as both. */
export const writeCharts = Effect.fnUntraced(function* (
  view: MetricView,
  {
    png,
    svg,
    title
  }: { readonly png: string | undefined; readonly svg: string | undefined; readonly title: string | undefined }
) {
  if (view.series.length > MOST_SERIES) {
    return yield* new CliFailure({
      code: "TOO_MANY_SERIES",
      message: `A chart shows at most ${MOST_SERIES} series, and these are ${view.series.length}`,
      details: ["Narrow them with --site, --device or --tag, or take --csv."]
    })
  }
  // What draws is large: only who wants a chart waits for it.
  const { drawChart } = yield* Effect.promise(() => import("./charts/drawChart.ts"))
  const drawn = drawChart(view, title)
  if (svg !== undefined) yield* write(svg, new TextEncoder().encode(drawn))
  if (png === undefined) return
  const { renderPng } = yield* Effect.promise(() => import("./charts/renderPng.ts"))
  yield* write(png, yield* Effect.promise(() => renderPng(drawn)))
})
