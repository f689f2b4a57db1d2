import { Clock, Effect, type FileSystem, Stream } from "effect"
import { CliFailure } from "../../kernel/CliFailure.ts"
import { type BadLine, type FileReading, type Form, invalidFile, lineParser, readReadings } from "./csvForms.ts"
import { type Line, readLines } from "../../kernel/csv.ts"

/** The result of the first pass, before anything is sent. */
export interface CheckedFile {
  readonly path: string
  readonly form: Form | "green-button"
  readonly readings: number
  /** First and last reading per device, to recognise a file that is stored already. */
  readonly devices: ReadonlyMap<string, DeviceSpan>
  readonly read: Stream.Stream<FileReading, CliFailure, FileSystem.FileSystem>
}

export interface DeviceSpan {
  readonly count: number
  readonly first: FileReading
  readonly last: FileReading
}

const SHOWN = 20
/** How far ahead of its clock the service accepts readings. */
const AHEAD = 5 * 60_000

/** Checks more of a reading than its form, such as its device type. */
export type Inspect<E, R> = (reading: FileReading) => Effect.Effect<BadLine | undefined, E, R>

/** Reads the whole file and reports all invalid lines together. */
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
      // Nothing can be read without a header.
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
    return yield* new CliFailure({ code: "CSV_INVALID", message: `${path} has no readings` })
  }
  return { path, form, readings, devices, read: readReadings(path) } satisfies CheckedFile
})
