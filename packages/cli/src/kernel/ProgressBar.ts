import { Clock, Effect } from "effect"
import { Output } from "./Output.ts"

export interface Progress {
  readonly label: string
  readonly done: number
  readonly total: number
  readonly elapsedMs: number
  readonly columns: number
  /** The unit of the counts; default: readings. */
  readonly unit?: string
  /** More figures, after the others. */
  readonly detail?: string
}

const WIDEST_BAR = 40
const NARROWEST_BAR = 8
/** Eighths of a character. */
const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

const bar = (share: number, width: number) => {
  const filled = Math.floor(share * width * 8)
  const full = "█".repeat(Math.floor(filled / 8))
  return (full + (eighths[filled % 8] ?? "")).padEnd(width, "░")
}

const duration = (seconds: number) =>
  seconds < 60 ? `${Math.ceil(seconds)} s` : `${Math.floor(seconds / 60)} min ${Math.ceil(seconds % 60)} s`

const grouped = (count: number) => count.toLocaleString("en-US")

/** The progress as one line that fits the terminal. */
export const renderProgress = ({
  columns,
  done,
  elapsedMs,
  label,
  total,
  unit = "readings",
  detail
}: Progress): string => {
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const rate = elapsedMs > 0 ? (done / elapsedMs) * 1000 : 0
  const left = rate > 0 && done < total ? `, ${duration((total - done) / rate)} left` : ""
  const more = detail === undefined ? "" : `: ${detail}`
  const figures = `${Math.floor(share * 100)} %, ${grouped(done)} of ${grouped(total)} ${unit}${left}${more}`
  const room = columns - label.length - figures.length - 3
  const drawn = room < NARROWEST_BAR ? "" : `${bar(share, Math.min(WIDEST_BAR, room))} `
  return `${label} ${drawn}${figures}`.slice(0, Math.max(1, columns - 1))
}

/**
 * Shows the progress of a job: a bar on a terminal, otherwise one line at the start. The job receives a function that
 * reports its progress.
 */
export const withProgress = Effect.fnUntraced(function* <A, E, R>(
  label: string,
  total: number,
  job: (report: (done: number) => Effect.Effect<void>) => Effect.Effect<A, E, R>,
  unit = "readings"
) {
  const output = yield* Output
  const started = yield* Clock.currentTimeMillis
  const columns = Number.isFinite(output.columns) ? output.columns : 80
  const report = Effect.fnUntraced(function* (done: number) {
    const elapsedMs = (yield* Clock.currentTimeMillis) - started
    yield* output.status(renderProgress({ label, done, total, elapsedMs, columns, unit }))
  })
  if (output.animated) yield* report(0)
  else yield* output.note(`${label}: ${grouped(total)} ${unit}`)
  return yield* Effect.ensuring(job(report), output.status(""))
})
