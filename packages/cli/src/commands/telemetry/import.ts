import { deviceTypes } from "@edp/domain/devices/DeviceType"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { usage } from "../../CliFailure.ts"
import { fromHere } from "../../fromHere.ts"
import { Provision } from "../../Provision.ts"
import { importFile, prepare, type PreparedFile } from "./importFile.ts"
import { summarise } from "./summary.ts"
import type { ImportOptions } from "./Target.ts"

/** Each home is a site of its own, by its file's name. */
const checkHomes = Effect.fnUntraced(function* (files: ReadonlyArray<PreparedFile>, { address }: ImportOptions) {
  const names = files.flatMap(({ file, referenceId }) => (file.form === "home" ? [referenceId] : []))
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) return yield* usage(`Two homes are named ${twice}, and a file's name tells its site`)
  if (address !== undefined && names.length > 1) return yield* usage("--address is for one home: each has its own")
})

export const importTelemetry = Command.make(
  "import",
  {
    files: Argument.File("file").pipe(Argument.withDescription("CSV file"), Argument.atLeast(1)),
    address: Flag.String("address").pipe(
      Flag.withDescription('Address of a home\'s site that is made: "street, city, ST zip"'),
      Flag.optional
    ),
    timezone: Flag.String("timezone").pipe(
      Flag.withDescription("Time zone of sites that are made; default: none"),
      Flag.optional
    ),
    manufacturer: Flag.String("manufacturer").pipe(
      Flag.withDescription("Slug of the devices' manufacturer"),
      Flag.withDefault("generic")
    ),
    deviceType: Flag.Literals("device-type", deviceTypes).pipe(
      Flag.withDescription("General form: type of devices that are made"),
      Flag.optional
    ),
    site: Flag.String("site").pipe(
      Flag.withDescription("General form: referenceId of the site of devices that are made"),
      Flag.optional
    )
  },
  Effect.fn("telemetry.import")(function* ({ address, deviceType, files: named, manufacturer, site, timezone }) {
    const files = yield* Effect.forEach(named, fromHere)
    const options: ImportOptions = {
      provision: yield* Provision,
      manufacturer,
      timezone: Option.getOrUndefined(timezone),
      address: Option.getOrUndefined(address),
      deviceType: Option.getOrUndefined(deviceType),
      site: Option.getOrUndefined(site)
    }
    // Every file is read to its end before anything of any is sent.
    const prepared = yield* Effect.forEach(files, (path) => prepare(path, options))
    yield* checkHomes(prepared, options)
    yield* summarise(yield* Effect.forEach(prepared, importFile))
  })
).pipe(
  Command.withDescription(
    "Import readings from CSV files through the API, as a manufacturer's devices would send them. A file is a home (interval_start,load_wh,solar_wh) or readings of any devices (device,timestamp,<state columns>). Importing a file again adds nothing."
  ),
  Command.withShortDescription("Import readings from CSV files"),
  Command.withExamples([
    { command: "edp telemetry import examples/sample-home/home.csv --provision" },
    {
      command:
        'edp telemetry import home.csv --provision --address "1 Capitol Mall, Sacramento, CA 95814" --timezone America/Los_Angeles'
    },
    { command: "edp telemetry import readings.csv" }
  ])
)
