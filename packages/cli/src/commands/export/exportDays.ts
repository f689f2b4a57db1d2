import { Clock, Effect, Option } from "effect"
import { usage } from "../../kernel/CliFailure.ts"
import { Output } from "../../kernel/Output.ts"
import { openDestination } from "./destination.ts"
import { type Format, type Kind, writeExport } from "./runExport.ts"

interface Options {
  readonly destination: string
  readonly of: ReadonlyArray<Kind>
  readonly format: Format
  readonly since: Option.Option<string>
  readonly after: number
}

const DAY = 86_400_000
/** Days before the last one that are looked at without `--since`. */
const LOOK_BACK = 7

const toDay = (at: number) => new Date(at).toISOString().slice(0, 10)

/** Writes the days of UTC that are over and not yet there, oldest first. A day without rows has no file. */
export const exportDays = Effect.fnUntraced(function* (options: Options) {
  const output = yield* Output
  const { after, format } = options
  const kinds: ReadonlyArray<Kind> = options.of.length > 0 ? options.of : ["readings", "events", "commands"]
  const today = Math.floor((yield* Clock.currentTimeMillis) / DAY) * DAY
  const last = today - after * DAY
  const first = Option.match(options.since, {
    onNone: () => last - LOOK_BACK * DAY,
    onSome: (day) => Date.parse(`${day}T00:00:00Z`)
  })
  // A day that no month has is parsed as another one.
  const isDay = Option.match(options.since, {
    onNone: () => true,
    onSome: (day) => !Number.isNaN(first) && toDay(first) === day
  })
  if (!isDay) return yield* usage("--since must be a day such as 2026-03-01")
  const destination = yield* openDestination(options.destination)
  const written: Array<{ readonly file: string; readonly rows: number; readonly bytes: number }> = []
  for (let at = first; at <= last; at += DAY)
    for (const kind of kinds) {
      const name = `${kind}/${toDay(at)}.${format}`
      if (yield* destination.has(name)) continue
      const file = yield* destination.prepare(name)
      const { bytes, rows } = yield* writeExport(kind, {
        file,
        format: Option.some(format),
        from: new Date(at).toISOString(),
        to: new Date(at + DAY).toISOString(),
        siteId: [],
        customerId: [],
        collectionId: [],
        restart: false
      })
      if (rows === 0) {
        yield* destination.discard(name)
        continue
      }
      yield* destination.keep(name)
      written.push({ file: destination.locate(name), rows, bytes })
      yield* output.note(`${rows.toLocaleString("en-US")} ${kind} of ${toDay(at)}`)
    }
  yield* output.show({ written, until: toDay(last) }, () =>
    written.length === 0
      ? `Nothing to write: every day until ${toDay(last)} is there or has no rows.`
      : `${written.length} files are written to ${options.destination}; the last day is ${toDay(last)}.`
  )
})
