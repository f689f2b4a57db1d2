import { Clock, Effect, Stream } from "effect"
import { CliFailure } from "../../kernel/CliFailure.ts"
import { type BadLine, type FileReading, type Form, invalidFile, lineParser } from "./csvForms.ts"
import { type Line, readLines } from "../../kernel/csv.ts"

/** What the first pass learns of a file before anything of it is sent. */
export interface CheckedFile {
  readonly path: string
  readonly form: Form
  readonly readings: number
  /** The first reading of each device, and the last: their times and states tell whether all is stored already. */
  readonly devices: ReadonlyMap<string, DeviceSpan>
}

export interface DeviceSpan {
  readonly count: number
  readonly first: FileReading
  readonly last: FileReading
}

const SHOWN = 20
/** How far ahead of its own clock the service lets a reading be. */
const AHEAD = 5 * 60_000

/** Looks a reading over by more than its form, such as its device's type. */
export type Inspect<E, R> = (reading: FileReading) => Effect.Effect<BadLine | undefined, E, R>

/** Reads a file to its end and reports every bad line at once. */
export const checkFile = Effect.fnUntraced(function* <E, R>(path: string, inspect: Inspect<E, R>) {
  const parse = lineParser((yield* Clock.currentTimeMillis) + AHEAD)
  const devices = new Map<string, { count: number; readonly first: FileReading; last: FileReading }>()
  const bad: Array<BadLine> = []
  let badLines = 0
  let readings = 0
  let form: Form | undefined

  const refuse = (problem: BadLine) => {
    badLines++
    if (bad.length < SHOWN) bad.push(problem)
  }
  const count = (reading: FileReading) => {
    readings++
    const span = devices.get(reading.device)
    if (span === undefined) devices.set(reading.device, { count: 1, first: reading, last: reading })
    else {
      span.count++
      span.last = reading
    }
  }
  const take = Effect.fnUntraced(function* (line: Line) {
    const result = parse(line)
    if ("bad" in result) {
      refuse(result.bad)
      // Without its header nothing below can be read.
      return form === undefined ? yield* invalidFile(path, bad, 0) : undefined
    }
    form = result.form
    for (const reading of result.readings) {
      count(reading)
      if (form === "home") continue
      const problem = yield* inspect(reading)
      if (problem !== undefined) refuse(problem)
    }
  })

  yield* Stream.runForEach(readLines(path), take)
  if (badLines > 0) return yield* invalidFile(path, bad, badLines - bad.length)
  if (form === undefined || readings === 0) {
    return yield* new CliFailure({ code: "CSV_INVALID", message: `${path} holds no readings` })
  }
  return { path, form, readings, devices } satisfies CheckedFile
})
