import { open, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { Effect, Option } from "effect"
import { CliFailure, usage } from "../../kernel/CliFailure.ts"
import { writing } from "../../kernel/files.ts"
import { Output } from "../../kernel/Output.ts"
import { type Position, type Selection, sources } from "./sources.ts"

export type Kind = keyof typeof sources
export type Format = "parquet" | "csv" | "ndjson"

interface Options extends Selection {
  readonly file: string
  readonly format: Option.Option<Format>
  readonly restart: boolean
}

/** How far an export is, and what it is of. */
interface State {
  readonly of: string
  readonly place: Position | null
  readonly bytes: number
  readonly rows: number
  /** Whether all rows are fetched, and only the target is missing. */
  readonly done: boolean
}

const formatFor = ({ file, format }: Options) =>
  Option.getOrElse(format, () => (/\.(csv|ndjson)$/u.exec(file)?.[1] ?? "parquet") as Format)

/** Rows between two notes where no line can be redrawn. */
const NOTED = 100_000

const count = (rows: number) => rows.toLocaleString("en-US")

/** The state of an interrupted export whose rows are there. */
const readState = async (path: string, part: string): Promise<State | undefined> => {
  try {
    await stat(part)
    return JSON.parse(await readFile(path, "utf8")) as State
  } catch {
    return undefined
  }
}

/** Replaces the state in one step, so that an interruption leaves the earlier one. */
const saveState = async (path: string, state: State) => {
  await writeFile(`${path}.new`, JSON.stringify(state))
  await rename(`${path}.new`, path)
}

/**
 * Fetches the rows into a file of NDJSON beside the target, page by page, and then writes the target from it. Returns the number of rows and of
 * bytes.
 */
export const writeExport = Effect.fnUntraced(function* (kind: Kind, options: Options) {
  const output = yield* Output
  const { file: target, from, to } = options
  for (const [flag, value] of Object.entries({ from, to })) {
    if (Number.isNaN(Date.parse(value)))
      return yield* usage(`--${flag} must be a date-time such as 2026-03-01T00:00:00Z`)
  }
  const [part, statePath] = [`${target}.part`, `${target}.part.json`]
  const { collectionId, customerId, siteId } = options
  const of = JSON.stringify([kind, from, to, siteId, customerId, collectionId])
  const known = options.restart ? undefined : yield* Effect.promise(() => readState(statePath, part))
  if (known !== undefined && known.of !== of) {
    return yield* new CliFailure({
      code: "EXPORT_OF_OTHER_DATA",
      message: `${part} is of another export`,
      details: ["Name another file, or pass --restart to begin anew."]
    })
  }
  const rows = yield* Effect.scoped(
    Effect.gen(function* () {
      const file = yield* Effect.acquireRelease(
        writing(part, () => open(part, known === undefined ? "w" : "r+", 0o600)),
        (opened) => Effect.promise(() => opened.close())
      )
      let state: State = known ?? { of, place: null, bytes: 0, rows: 0, done: false }
      // Rows after the last state are fetched again.
      yield* writing(part, () => file.truncate(state.bytes))
      if (known !== undefined) yield* output.note(`Continuing after ${count(known.rows)} ${kind}`)
      const next = yield* sources[kind](options)
      while (!state.done) {
        const page = yield* next(state.place ?? undefined)
        const text = Buffer.from(page.rows.map((row) => `${JSON.stringify(row)}\n`).join(""))
        const noted = Math.floor(state.rows / NOTED)
        const at = state.bytes
        state = {
          of,
          place: page.next ?? null,
          bytes: at + text.length,
          rows: state.rows + page.rows.length,
          done: page.next === undefined
        }
        const saved = state
        yield* writing(part, async () => {
          await file.write(text, 0, text.length, at)
          await saveState(statePath, saved)
        })
        yield* output.status(`${count(state.rows)} ${kind}`)
        if (!output.animated && Math.floor(state.rows / NOTED) > noted)
          yield* output.note(`${count(state.rows)} ${kind}`)
      }
      yield* output.status("")
      return state.rows
    })
  )
  const format = formatFor(options)
  yield* writing(target, async () => {
    if (format === "ndjson") return rename(part, target)
    const { toCsv, toParquet } = await import("./convert.ts")
    await (format === "csv" ? toCsv : toParquet)(part, `${target}.new`)
    await rename(`${target}.new`, target)
    await rm(part)
  })
  yield* Effect.promise(() => rm(statePath, { force: true }))
  const { size } = yield* Effect.promise(() => stat(target))
  return { format, rows, bytes: size }
})

/** Writes a file, and says what is in it. */
export const runExport = Effect.fnUntraced(function* (kind: Kind, options: Options) {
  const { bytes, format, rows } = yield* writeExport(kind, options)
  const { file } = options
  yield* (yield* Output).show(
    { file, format, [kind]: rows, bytes },
    () => `${count(rows)} ${kind} are in ${file}, ${(bytes / 1_000_000).toFixed(1)} MB of ${format}.`
  )
})
