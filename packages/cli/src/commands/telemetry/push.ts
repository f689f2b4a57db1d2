import { Effect, type FileSystem, Stream } from "effect"
import { CliFailure } from "../../CliFailure.ts"
import { Connection } from "../../Connection.ts"
import { describeFailure } from "../../describeFailure.ts"
import { splitBySize } from "../../splitBySize.ts"
import type { FileReading } from "./csv/Reading.ts"
import type { Target } from "./Target.ts"

export interface Refused {
  readonly line: number
  readonly code: string
  readonly message: string
}

export interface Pushed {
  readonly accepted: number
  readonly duplicates: number
  readonly refused: number
  /** The first of the refused ones. */
  readonly errors: ReadonlyArray<Refused>
}

export const nothingPushed: Pushed = { accepted: 0, duplicates: 0, refused: 0, errors: [] }

/** What the bulk endpoint takes. */
const MAX_READINGS = 1000
const IN_FLIGHT = 4
const KEPT_ERRORS = 1000
/** Enough waits of growing length to outlast a restart of the service. */
const RETRIES = 12

interface Item {
  readonly line: number
  readonly payload: { readonly deviceId: string; readonly timestamp: string; readonly state: object }
}

const interrupted = (stored: number) => (error: unknown) => {
  const { code, details, message } = describeFailure(error)
  return new CliFailure({
    code,
    message,
    details: [
      ...details,
      `${stored} readings were stored. Run the same command again to go on: what is stored is recognised.`
    ]
  })
}

/** Sends readings in bulk, a few requests at a time, as a manufacturer does. */
export const pushReadings = Effect.fn("telemetry.push")(function* (
  readings: Stream.Stream<FileReading, CliFailure, FileSystem.FileSystem>,
  targets: ReadonlyMap<string, Target>,
  onPushed: (total: Pushed) => Effect.Effect<void>
) {
  const call = yield* (yield* Connection).endpoint("directIntegration", "pushBulk", { retries: RETRIES })
  let total = nothingPushed
  const push = Effect.fnUntraced(function* (batch: ReadonlyArray<Item>) {
    const answer = yield* call({ payload: { readings: batch.map(({ payload }) => payload) } })
    const errors = answer.errors.map(({ code, index, message }) => ({ line: batch[index]?.line ?? 0, code, message }))
    total = {
      accepted: total.accepted + answer.accepted,
      duplicates: total.duplicates + answer.duplicates,
      refused: total.refused + errors.length,
      errors: [...total.errors, ...errors].slice(0, KEPT_ERRORS)
    }
    yield* onPushed(total)
  })
  yield* readings.pipe(
    Stream.map(({ device, line, state, timestamp }): Item => {
      // Every device of the file was found or made before its readings are sent.
      return { line, payload: { deviceId: targets.get(device)!.id, timestamp, state } }
    }),
    Stream.grouped(MAX_READINGS),
    Stream.flatMap((items) => Stream.fromIterable(splitBySize(items, ({ payload }) => payload))),
    Stream.mapEffect(push, { concurrency: IN_FLIGHT, unordered: true }),
    Stream.runDrain,
    Effect.mapError((error: unknown) => interrupted(total.accepted)(error))
  )
  return total
})
