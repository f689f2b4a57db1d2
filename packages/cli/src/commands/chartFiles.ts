import { Effect, FileSystem, Option } from "effect"
import { Flag } from "effect/cli"
import { usage } from "../kernel/CliFailure.ts"
import { Output } from "../kernel/Output.ts"
import { fileFailure } from "../kernel/files.ts"
import { text } from "../kernel/flags.ts"

const file = (name: "svg" | "png") =>
  Flag.File(name).pipe(
    Flag.withMetavar("file"),
    Flag.withDescription(`Write ${name === "svg" ? "an SVG" : "a PNG"} chart instead of a table`),
    Flag.optional
  )

/** The flags of a command that writes charts. */
export const chartFlags = {
  svg: file("svg"),
  png: file("png"),
  title: text("title", "Title of the chart; default: a description")
}

export interface ChartFlags {
  readonly svg: Option.Option<string>
  readonly png: Option.Option<string>
  readonly title: Option.Option<string>
}

/** Whether the flags ask for a chart. */
export const asksForChart = Effect.fnUntraced(function* ({ png, svg, title }: ChartFlags) {
  const isChart = Option.isSome(svg) || Option.isSome(png)
  if (Option.isSome(title) && !isChart) return yield* usage("--title is for --svg and --png")
  return isChart
})

const write = Effect.fnUntraced(function* (path: string, bytes: Uint8Array) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.writeFile(path, bytes).pipe(fileFailure("FILE_UNWRITABLE", path))
  yield* (yield* Output).note(`wrote ${path}`)
})

/**
 * Writes a chart as SVG, PNG or both.
 *
 * @param draw Loads what draws and returns SVG: the chart library is large.
 */
export const writeCharts = Effect.fnUntraced(function* (
  { png, svg, title }: ChartFlags,
  draw: (title: string | undefined) => Promise<string>
) {
  const drawn = yield* Effect.promise(() => draw(Option.getOrUndefined(title)))
  if (Option.isSome(svg)) yield* write(svg.value, new TextEncoder().encode(drawn))
  if (Option.isNone(png)) return
  const { renderPng } = yield* Effect.promise(() => import("./charts/renderPng.ts"))
  yield* write(png.value, yield* Effect.promise(() => renderPng(drawn)))
})
