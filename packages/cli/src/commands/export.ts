import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { choices, several, text } from "../kernel/flags.ts"
import { between } from "../kernel/paging.ts"
import { verb } from "../kernel/verb.ts"

const format = Flag.Literals("format", ["parquet", "csv", "ndjson"])

const flags = {
  file: Argument.String("file").pipe(Argument.withDescription("The file to write")),
  from: Flag.String("from").pipe(Flag.withDescription("At or after this date-time")),
  to: Flag.String("to").pipe(Flag.withDescription("Before this date-time")),
  format: format.pipe(Flag.withDescription("Default: by the ending of the file, else parquet"), Flag.optional),
  siteId: several("site", "Id of a site"),
  customerId: several("customer", "Id of a customer"),
  collectionId: several("collection", "Id of a collection of devices"),
  restart: Flag.Boolean("restart").pipe(
    Flag.withDescription("Begin anew instead of continuing an interrupted export"),
    Flag.withDefault(false)
  )
}

const dayFlags = {
  destination: Argument.String("destination").pipe(Argument.withDescription("A folder, or s3://BUCKET/PREFIX")),
  of: choices("of", ["readings", "events", "commands"]).pipe(Flag.withDescription("Default: all; repeat for several")),
  format: format.pipe(Flag.withDescription("Default: parquet"), Flag.withDefault("parquet" as const)),
  since: text("since", "The first day, such as 2026-03-01; default: a week before the last one"),
  after: Flag.Int("after").pipe(
    between(1, 366),
    Flag.withDescription("Days after which the late readings of a day have come"),
    Flag.withDefault(2)
  )
}

const make = (kind: "readings" | "events" | "commands", description: string, example: string) =>
  verb(
    `export ${kind}`,
    description,
    flags,
    (options) =>
      Effect.flatMap(
        Effect.promise(() => import("./export/runExport.ts")),
        ({ runExport }) => runExport(kind, options)
      ),
    [example]
  )

export const exporting = Command.make("export").pipe(
  Command.withDescription("Readings, events and commands as Parquet, CSV or NDJSON"),
  Command.withSubcommands([
    make(
      "readings",
      "Write readings, a row for each, in the order of devices and times",
      "edp export readings march.parquet --from 2026-03-01T00:00:00Z --to 2026-04-01T00:00:00Z"
    ),
    make(
      "events",
      "Write events, oldest first; those of selected devices also with --customer and --collection",
      "edp export events march.csv --from 2026-03-01T00:00:00Z --to 2026-04-01T00:00:00Z"
    ),
    make(
      "commands",
      "Write commands that were issued in the time, newest first",
      "edp export commands march.ndjson --from 2026-03-01T00:00:00Z --to 2026-04-01T00:00:00Z --site SITE_ID"
    ),
    verb(
      "export days",
      "Write a file for each day that is over, for a timer; days that are there already stay as they are",
      dayFlags,
      (options) =>
        Effect.flatMap(
          Effect.promise(() => import("./export/exportDays.ts")),
          ({ exportDays }) => exportDays(options)
        ),
      ["edp export days /var/lib/edp-export", "edp export days s3://energy/home-workspace --of readings"]
    )
  ])
)
