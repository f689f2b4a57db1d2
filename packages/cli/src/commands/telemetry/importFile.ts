import { Effect, Path } from "effect"
import { Output } from "../../Output.ts"
import { withProgress } from "../../ProgressBar.ts"
import { type CheckedFile, checkFile } from "./checkFile.ts"
import { readReadings } from "./csv/readingsOf.ts"
import { generalTargets } from "./generalTargets.ts"
import { homeTargets } from "./homeTargets.ts"
import { nothingPushed, type Pushed, pushReadings } from "./push.ts"
import { isWhollyStored } from "./stored.ts"
import type { ImportOptions, Target } from "./Target.ts"

/** What became of a file. */
export interface FileResult extends Pushed {
  readonly file: string
  readonly form: string
  readonly siteId: string | null
  readonly devices: ReadonlyArray<Pick<Target, "id" | "manufacturerDeviceId" | "type">>
  readonly readings: number
}

/** A file that was found good, and how to find or make where its readings go. */
export const prepare = Effect.fn("telemetry.prepare")(function* (path: string, options: ImportOptions) {
  const paths = yield* Path.Path
  const general = generalTargets(options)
  const file = yield* checkFile(path, general.inspect)
  const referenceId = paths.parse(path).name
  const resolve =
    file.form === "home"
      ? homeTargets(referenceId, options)
      : Effect.map(general.complete(), (targets) => ({ site: undefined, targets }))
  return { file, referenceId, resolve }
})

export type PreparedFile = Effect.Success<ReturnType<typeof prepare>>

const pushFile = (file: CheckedFile, label: string, targets: ReadonlyMap<string, Target>) =>
  withProgress(label, file.readings, (report) =>
    pushReadings(readReadings(file.path), targets, ({ accepted, duplicates, refused }) =>
      report(accepted + duplicates + refused)
    )
  )

/** Finds or makes what is missing, and sends the readings. */
export const importFile = Effect.fn("telemetry.importFile")(function* ({ file, referenceId, resolve }: PreparedFile) {
  const { site, targets } = yield* resolve
  const stored = yield* isWhollyStored(file, targets)
  if (stored) yield* (yield* Output).note(`${referenceId}: all ${file.readings} readings are there already`)
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
