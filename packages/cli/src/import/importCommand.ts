import { Effect, Option, Path } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CliFailure, usage } from "../kernel/CliFailure.ts"
import { Output, showTable } from "../kernel/Output.ts"
import type { Delimiter } from "../kernel/csv.ts"
import { fromHere } from "../kernel/files.ts"
import type { Column } from "../kernel/table.ts"
import { type ImportKind, type RowResult, asGiven, byColumn, type ImportOptions } from "./ImportKind.ts"
import type { Tally } from "./report.ts"
import { dryRun, runImport } from "./runImport.ts"

interface Done {
  readonly rows: number
  readonly tally: Tally
}

const count = (title: string, value: (document: Document) => unknown): Column<Document> => ({
  title,
  value,
  right: true,
  whole: true
})
type Document = Readonly<Record<string, unknown>>

const counts = (names: ReadonlyArray<string>): ReadonlyArray<Column<Document>> => [
  { title: "FILE", value: ({ file }) => file },
  ...names.map((name) => count(name.toUpperCase(), (document) => document[name]))
]

const failureLine = ({ code, fields, line, message, row }: RowResult) => {
  const problems = Object.entries(fields).map(([field, problem]) => `${field}: ${problem}`)
  return `row ${row} (line ${line}): ${code}: ${problems.length > 0 ? problems.join("; ") : message}`
}

const rowsFailed = ({ failed, failures }: Tally, message: string) =>
  new CliFailure({
    code: "ROWS_FAILED",
    message,
    details: [
      ...failures.map(failureLine),
      ...(failed > failures.length ? [`and ${failed - failures.length} more`] : [])
    ]
  })

/** Shows the results; failed rows are listed with their fields. */
const showImport = Effect.fnUntraced(function* ({ rows, tally }: Done, { path, report }: ImportOptions) {
  const { created, earlier, exists, failed } = tally
  const document = { file: path, rows, created, exists, failed, earlier, report }
  yield* showTable(document, counts(["rows", "created", "exists", "failed"]), [document])
  const output = yield* Output
  if (earlier > 0) yield* output.note(`${earlier} of them were completed by an earlier run`)
  yield* output.note(`results of each row: ${report}`)
  if (failed > 0) return yield* rowsFailed(tally, `${failed} of ${rows} rows failed; the others exist`)
})

/** Shows what an import would send. */
const showDryRun = Effect.fnUntraced(function* (
  { requests, rows, tally }: Done & { readonly requests: number },
  { path, report, reportNamed }: ImportOptions
) {
  const { earlier, failed, valid } = tally
  const document = { file: path, rows, valid, failed, earlier, requests, ...(reportNamed && { report }), dryRun: true }
  yield* showTable(document, counts(["rows", "valid", "failed", "earlier", "requests"]), [document])
  const output = yield* Output
  yield* output.note(
    `nothing was sent; an import would send ${valid} ${valid === 1 ? "row" : "rows"} in ${requests} ${requests === 1 ? "request" : "requests"}`
  )
  if (failed > 0) return yield* rowsFailed(tally, `${failed} of ${rows} rows would fail`)
})

const formats = { ".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl" } as const

const on = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

const flags = {
  file: Argument.File("file").pipe(Argument.withDescription("CSV or JSON Lines")),
  format: Flag.Literals("format", ["csv", "jsonl"]).pipe(
    Flag.withDescription("File format; default: by extension"),
    Flag.optional
  ),
  delimiter: Flag.Literals("delimiter", ["comma", "semicolon", "tab"]).pipe(
    Flag.withDescription("Delimiter; default: comma, for .tsv files tab"),
    Flag.optional
  ),
  report: Flag.File("report").pipe(
    Flag.withMetavar("file"),
    Flag.withDescription("Report of each row's result, .csv or .jsonl; default: FILE.report.csv"),
    Flag.optional
  ),
  dryRun: on("dry-run", "Check the rows and send nothing"),
  lookUp: on("look-up", "Look up every referenceId, one read request each, to find existing records and their ids"),
  ignoreUnknown: on("ignore-unknown", "Ignore unknown columns and fields"),
  restart: on("restart", "Discard the results of earlier runs and the report")
}

const formatByExtension = (extension: string): "csv" | "jsonl" | undefined => formats[extension as keyof typeof formats]

interface Files {
  readonly file: string
  readonly format: Option.Option<"csv" | "jsonl">
  readonly report: Option.Option<string>
}

/** The files to read and to write, with their formats. */
const resolveFiles = Effect.fnUntraced(function* ({ file: named, format: asked, report: wanted }: Files) {
  const paths = yield* Path.Path
  const file = yield* fromHere(named)
  const { ext } = paths.parse(file)
  const format = Option.getOrElse(asked, () => formatByExtension(ext.toLowerCase()))
  if (format === undefined) return yield* usage(`The format of ${file} is unknown: pass --format csv or --format jsonl`)
  const report = Option.isSome(wanted) ? yield* fromHere(wanted.value) : `${file}.report.csv`
  const reportFormat = formatByExtension(paths.parse(report).ext.toLowerCase())
  if (reportFormat === undefined) return yield* usage("--report takes a file named .csv or .jsonl")
  if (paths.resolve(report) === paths.resolve(file)) return yield* usage("--report would overwrite the file itself")
  return { path: file, format, isTabbed: ext.toLowerCase() === ".tsv", report, reportFormat }
})

type Flags = Command.Command.Config.Infer<typeof flags>

const runCommand = <Input>(kind: ImportKind<Input>) =>
  Effect.fn(`${kind.noun}.import`)(function* (flags: Flags) {
    const { isTabbed, ...files } = yield* resolveFiles(flags)
    const options: ImportOptions = {
      ...files,
      delimiter: Option.getOrElse(flags.delimiter, () => (isTabbed ? "tab" : "comma") as Delimiter),
      ignoreUnknown: flags.ignoreUnknown,
      fieldName: files.format === "csv" ? byColumn(kind.columns) : asGiven,
      reportNamed: Option.isSome(flags.report),
      lookUp: flags.lookUp,
      restart: flags.restart
    }
    if (flags.dryRun) yield* showDryRun(yield* dryRun(kind, options), options)
    else yield* showImport(yield* runImport(kind, options), options)
  })

/** The help of an import. */
const described =
  <Input>(kind: Pick<ImportKind<Input>, "noun" | "columns">, examples: ReadonlyArray<string>) =>
  <Name extends string, A, B, E, R>(command: Command.Command<Name, A, B, E, R>) =>
    command.pipe(
      Command.withDescription(
        `Import ${kind.noun} from a CSV file (${Object.keys(kind.columns).join(", ")}) or from JSON Lines as the API takes them, 500 a request. Invalid rows don't stop the others. An interrupted import continues when it is run again, and creates nothing twice.`
      ),
      Command.withShortDescription(`Import ${kind.noun} from a CSV or JSON Lines file`),
      Command.withExamples(examples.map((command) => ({ command })))
    )

export const importCommand = <Input>(kind: ImportKind<Input>, examples: ReadonlyArray<string>) =>
  Command.make("import", flags, runCommand(kind)).pipe(described(kind, examples))

/** An import into a program instance, which a flag names. */
export const importIntoInstance = <Input>(
  kind: Pick<ImportKind<Input>, "noun" | "columns"> & { readonly into: (instance: string) => ImportKind<Input> },
  examples: ReadonlyArray<string>
) =>
  Command.make(
    "import",
    {
      ...flags,
      instance: Flag.String("instance").pipe(Flag.withDescription("Program instance, by id or slug"))
    },
    ({ instance, ...flags }) => runCommand(kind.into(instance))(flags)
  ).pipe(described(kind, examples))
