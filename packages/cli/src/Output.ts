import { Console, Context, Effect, Layer, Stdio, Stream, Terminal } from "effect"
import { type Column, renderRecord, renderTable } from "./table.ts"

/** Where results go: one JSON document, or text for people. Notes go to standard error, beside either. */
export class Output extends Context.Service<
  Output,
  {
    readonly json: boolean
    /** Columns of the terminal; without one there is no limit. */
    readonly columns: number
    readonly show: (value: unknown, forPeople: () => string) => Effect.Effect<void>
    readonly note: (line: string) => Effect.Effect<void>
    /** Whether standard error is a terminal, on which a line can be drawn again. */
    readonly animated: boolean
    /** The line that stays below all notes; empty to take it away. Without a terminal nothing is drawn. */
    readonly status: (line: string) => Effect.Effect<void>
  }
>()("@edp/cli/Output") {
  static readonly layer = (json: boolean) => Layer.effect(Output, make(json))
}

const CLEAR_LINE = "\r\u001B[2K"

const make = Effect.fnUntraced(function* (json: boolean) {
  const terminal = yield* Terminal.Terminal
  const stdio = yield* Stdio.Stdio
  const columns = yield* terminal.columns
  const animated = yield* stdio.stderrIsTerminal
  let shown = ""
  const draw = (text: string) => Effect.ignore(Stream.run(Stream.make(text), stdio.stderr({ endOnDone: false })))
  return Output.of({
    json,
    columns: columns > 0 ? columns : Number.POSITIVE_INFINITY,
    show: (value, forPeople) => Console.log(json ? JSON.stringify(value, null, 2) : forPeople()),
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

/** Shows one record. */
export const showRecord = Effect.fnUntraced(function* <A>(
  value: A,
  fields: (value: A) => ReadonlyArray<readonly [name: string, value: unknown]>
) {
  const output = yield* Output
  yield* output.show(value, () => renderRecord(fields(value)))
})

/** Shows rows as a table, and `document` as the JSON document of them all. */
export const showTable = Effect.fnUntraced(function* <Row>(
  document: unknown,
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>
) {
  const output = yield* Output
  yield* output.show(document, () => renderTable(columns, rows, output.columns))
})
