import { verb } from "../kernel/verb.ts"
import { deviceTypes } from "@edp/domain/devices/DeviceType"
import { Effect, Option, Path } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CliFailure, usage } from "../kernel/CliFailure.ts"
import { Output, showTable } from "../kernel/Output.ts"
import { withProgress } from "../kernel/ProgressBar.ts"
import { Provision } from "../kernel/environment.ts"
import { fromHere } from "../kernel/files.ts"
import type { Column } from "../kernel/table.ts"
import { type CheckedFile, checkFile } from "./telemetry/checkFile.ts"
import { checkGreenButton } from "./telemetry/green-button/checkGreenButton.ts"
import { isXmlFile } from "./telemetry/green-button/readFeed.ts"
import type { ImportOptions, Target } from "./telemetry/provision.ts"
import { type Pushed, isFullyStored, nothingPushed, pushReadings } from "./telemetry/push.ts"
import { generalTargets, homeTargets, usagePointTargets } from "./telemetry/targets.ts"

/** The result of a file. */
interface FileResult extends Pushed {
  readonly file: string
  readonly form: string
  readonly siteId: string | null
  readonly devices: ReadonlyArray<Pick<Target, "id" | "manufacturerDeviceId" | "type">>
  readonly readings: number
}

/** A checked file, and how to resolve or create its devices. */
const prepare = Effect.fn("telemetry.prepare")(function* (path: string, options: ImportOptions) {
  const paths = yield* Path.Path
  const referenceId = paths.parse(path).name
  if (yield* isXmlFile(path)) {
    const file = yield* checkGreenButton(path, options.usagePoint)
    const targets = usagePointTargets(file.usagePoint, referenceId, options)
    return { file, referenceId, resolve: Effect.map(targets, (targets) => ({ site: undefined, targets })) }
  }
  if (options.usagePoint !== undefined || options.device !== undefined) {
    return yield* usage(`--usage-point and --device are for files of Green Button, and ${path} is not XML`)
  }
  const general = generalTargets(options)
  const file = yield* checkFile(path, general.inspect)
  const resolve =
    file.form === "home"
      ? homeTargets(referenceId, options)
      : Effect.map(general.complete(), (targets) => ({ site: undefined, targets }))
  return { file, referenceId, resolve }
})

type PreparedFile = Effect.Success<ReturnType<typeof prepare>>

const pushFile = (file: CheckedFile, label: string, targets: ReadonlyMap<string, Target>) =>
  withProgress(label, file.readings, (report) =>
    pushReadings(file.read, targets, ({ accepted, duplicates, refused }) => report(accepted + duplicates + refused))
  )

/** Resolves or creates the devices, and sends the readings. */
const importFile = Effect.fn("telemetry.importFile")(function* ({ file, referenceId, resolve }: PreparedFile) {
  const { site, targets } = yield* resolve
  const stored = yield* isFullyStored(file, targets)
  if (stored) yield* (yield* Output).note(`${referenceId}: all ${file.readings} readings are already stored`)
  const pushed = stored ? { ...nothingPushed, duplicates: file.readings } : yield* pushFile(file, referenceId, targets)
  return {
    file: file.path,
    form: file.form,
    siteId: site?.id ?? null,
    devices: [...targets.values()].map(({ id, manufacturerDeviceId, type }) => ({ id, manufacturerDeviceId, type })),
    readings: file.readings,
    ...pushed
  } satisfies FileResult
})

const SHOWN_ERRORS = 20

const columns: ReadonlyArray<Column<FileResult>> = [
  { title: "FILE", value: ({ file }) => file },
  { title: "DEVICES", value: ({ devices }) => devices.length, right: true, whole: true },
  { title: "READINGS", value: ({ readings }) => readings, right: true, whole: true },
  { title: "ACCEPTED", value: ({ accepted }) => accepted, right: true, whole: true },
  { title: "DUPLICATES", value: ({ duplicates }) => duplicates, right: true, whole: true },
  { title: "ERRORS", value: ({ refused }) => refused, right: true, whole: true }
]

const sum = (files: ReadonlyArray<FileResult>, field: "readings" | "accepted" | "duplicates" | "refused") =>
  files.reduce((total, file) => total + file[field], 0)

/** Shows the results; refused readings are listed by line. */
const summarise = Effect.fnUntraced(function* (files: ReadonlyArray<FileResult>) {
  const refused = sum(files, "refused")
  const totals = {
    readings: sum(files, "readings"),
    accepted: sum(files, "accepted"),
    duplicates: sum(files, "duplicates")
  }
  yield* showTable({ files, ...totals, refused }, columns, files)
  if (refused === 0) return
  const lines = files.flatMap(({ errors, file }) =>
    errors.map(({ code, line, message }) => `${file} line ${line}: ${code}: ${message}`)
  )
  const more = refused > SHOWN_ERRORS ? [`and ${refused - SHOWN_ERRORS} more`] : []
  return yield* new CliFailure({
    code: "READINGS_REFUSED",
    message: `The service refused ${refused} readings; the others are stored`,
    details: [...lines.slice(0, SHOWN_ERRORS), ...more]
  })
})

/** Each home is its own site, named after its file. */
const checkHomes = Effect.fnUntraced(function* (files: ReadonlyArray<PreparedFile>, { address }: ImportOptions) {
  const names = files.flatMap(({ file, referenceId }) => (file.form === "home" ? [referenceId] : []))
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) return yield* usage(`Two files are named ${twice}: the file name identifies the site`)
  if (address !== undefined && names.length > 1) return yield* usage("--address is for a single home")
})

const importTelemetry = verb(
  "telemetry import",
  "Import readings from files through the API. A CSV file contains a home (interval_start,load_wh,solar_wh) or readings of any devices (device,timestamp,<state columns>), an XML file the intervals of a meter, as utilities offer them for download (Green Button). Repeating an import adds nothing.",
  {
    files: Argument.File("file").pipe(
      Argument.withDescription("CSV file, or XML file of Green Button"),
      Argument.atLeast(1)
    ),
    address: Flag.String("address").pipe(
      Flag.withDescription('Address of a new site: "street, city, ST zip"'),
      Flag.optional
    ),
    timezone: Flag.String("timezone").pipe(
      Flag.withDescription("Time zone of new sites; default: none"),
      Flag.optional
    ),
    manufacturer: Flag.String("manufacturer").pipe(
      Flag.withDescription("Slug of the devices' manufacturer"),
      Flag.withDefault("generic")
    ),
    deviceType: Flag.Literals("device-type", deviceTypes).pipe(
      Flag.withDescription("General form: type of new devices"),
      Flag.optional
    ),
    site: Flag.String("site").pipe(
      Flag.withDescription("General form and Green Button: referenceId of the site of new devices"),
      Flag.optional
    ),
    usagePoint: Flag.String("usage-point").pipe(
      Flag.withDescription("Green Button: the usage point, if the file has several"),
      Flag.optional
    ),
    device: Flag.String("device").pipe(
      Flag.withDescription("Green Button: id of the meter, or the manufacturer's id; default: the usage point's id"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({
    address,
    device,
    deviceType,
    files: named,
    manufacturer,
    site,
    timezone,
    usagePoint
  }) {
    const files = yield* Effect.forEach(named, fromHere)
    const options: ImportOptions = {
      provision: yield* Provision,
      manufacturer,
      timezone: Option.getOrUndefined(timezone),
      address: Option.getOrUndefined(address),
      deviceType: Option.getOrUndefined(deviceType),
      site: Option.getOrUndefined(site),
      usagePoint: Option.getOrUndefined(usagePoint),
      device: Option.getOrUndefined(device)
    }
    // All files are checked before anything is sent.
    const prepared = yield* Effect.forEach(files, (path) => prepare(path, options))
    yield* checkHomes(prepared, options)
    yield* summarise(yield* Effect.forEach(prepared, importFile))
  }),
  [
    "edp telemetry import examples/sample-home/home.csv --provision",
    'edp telemetry import home.csv --provision --address "1 Capitol Mall, Sacramento, CA 95814" --timezone America/Los_Angeles',
    "edp telemetry import readings.csv",
    'edp telemetry import usage.xml --provision --site home --address "1 Capitol Mall, Sacramento, CA 95814"'
  ]
).pipe(Command.withShortDescription("Import readings from CSV and Green Button files"))

export const telemetry = Command.make("telemetry").pipe(
  Command.withDescription("Import readings of devices"),
  Command.withSubcommands([importTelemetry])
)
