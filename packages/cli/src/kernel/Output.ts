import { Config, Console, Context, Effect, Layer, Option, Stdio, Stream, Terminal } from "effect"
import { usage } from "./CliFailure.ts"
import { type Column, renderCsv, renderCsvRecord, renderRecord, renderTable } from "./table.ts"

export const outputFormats = ["table", "csv", "json"] as const
export type OutputFormat = (typeof outputFormats)[number]

export interface OutputOptions {
  readonly format: OutputFormat
  /** Tables show all columns at full width. */
  readonly wide: boolean
}

/** Prints results as JSON, CSV or text on standard output, and notes on standard error. */
export class Output extends Context.Service<
  Output,
  OutputOptions & {
    readonly json: boolean
    /** COLUMNS, else the terminal's width, else infinite. */
    readonly columns: number
    readonly show: (value: unknown, forPeople: () => string, asCsv?: () => string) => Effect.Effect<void>
    readonly note: (line: string) => Effect.Effect<void>
    /** Whether standard error is a terminal, where a line can be redrawn. */
    readonly animated: boolean
    /** Sets the status line below all notes; empty removes it. Does nothing without a terminal. */
    readonly status: (line: string) => Effect.Effect<void>
  }
>()("@edp/cli/Output") {
  static readonly layer = (options: OutputOptions) => Layer.effect(Output, make(options))
}

const CLEAR_LINE = "\r\u001B[2K"

/** COLUMNS also applies when the output is a pipe. */
const terminalWidth = Effect.gen(function* () {
  const configured = yield* Effect.orElseSucceed(Config.option(Config.Int("COLUMNS")), () => Option.none())
  const columns =
    Option.isSome(configured) && configured.value > 0 ? configured.value : yield* (yield* Terminal.Terminal).columns
  return columns > 0 ? columns : Number.POSITIVE_INFINITY
})

const documentFields = (value: unknown) =>
  Object.entries(typeof value === "object" && value !== null ? value : { value })

const make = Effect.fnUntraced(function* ({ format, wide }: OutputOptions) {
  const stdio = yield* Stdio.Stdio
  const columns = yield* terminalWidth
  const animated = yield* stdio.stderrIsTerminal
  const json = format === "json"
  let shown = ""
  const draw = (text: string) => Effect.ignore(Stream.run(Stream.make(text), stdio.stderr({ endOnDone: false })))
  return Output.of({
    format,
    wide,
    json,
    columns,
    show: (value, forPeople, asCsv = () => renderCsvRecord(documentFields(value))) =>
      Console.log(json ? JSON.stringify(value, null, 2) : format === "csv" ? asCsv() : forPeople()),
    note: Effect.fnUntraced(function* (line) {
      if (shown !== "") yield* draw(CLEAR_LINE)
      yield* Console.error(line)
      if (shown !== "") yield* draw(shown)
    }),
    animated,
    status: (line) => {
      if (!animated) return Effect.void
      shown = line
      return draw(`${CLEAR_LINE}${line}`)
    }
  })
})

/** For commands whose output has no columns. */
export const refuseCsv = Effect.fnUntraced(function* (command: string) {
  const { format } = yield* Output
  if (format === "csv") return yield* usage(`${command} takes --output table or json, not csv`)
})

/** Reads a record, shows it and returns it. */
export const showRecord = Effect.fnUntraced(function* <A, E, R>(
  record: Effect.Effect<A, E, R>,
  fields: (value: A) => ReadonlyArray<readonly [name: string, value: unknown]>
) {
  const output = yield* Output
  const value = yield* record
  yield* output.show(
    value,
    () => renderRecord(fields(value)),
    () => renderCsvRecord(fields(value))
  )
  return value
})

/** Shows rows as a table or CSV, or `document` as JSON. */
export const showTable = Effect.fnUntraced(function* <Row>(
  document: unknown,
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>
) {
  const output = yield* Output
  const shown = output.wide ? columns : columns.filter(({ wide }) => wide !== true)
  yield* output.show(
    document,
    () => renderTable(shown, rows, output.wide ? Number.POSITIVE_INFINITY : output.columns),
    () => renderCsv(columns, rows)
  )
})
