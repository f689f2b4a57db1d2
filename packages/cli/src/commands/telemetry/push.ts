import type { ReadingState } from "@edp/domain/devices/DeviceState"
import { Effect, type FileSystem, Stream } from "effect"
import { CliFailure, describeFailure } from "../../kernel/CliFailure.ts"
import { Connection } from "../../kernel/Connection.ts"
import { splitBySize } from "../../kernel/splitBySize.ts"
import type { CheckedFile, DeviceSpan } from "./checkFile.ts"
import type { FileReading } from "./csvForms.ts"
import type { Target } from "./provision.ts"

export interface Refused {
  readonly line: number
  readonly code: string
  readonly message: string
}

export interface Pushed {
  readonly accepted: number
  readonly duplicates: number
  readonly refused: number
  /** The first errors. */
  readonly errors: ReadonlyArray<Refused>
}

export const nothingPushed: Pushed = { accepted: 0, duplicates: 0, refused: 0, errors: [] }

/** The limit of the bulk endpoint. */
const MAX_READINGS = 1000
const IN_FLIGHT = 4
const KEPT_ERRORS = 1000
/** Enough retries with growing pauses to outlast a restart of the service. */
const RETRIES = 12

interface Item {
  readonly line: number
  readonly payload: { readonly deviceId: string; readonly timestamp: string; readonly state: ReadingState }
}

const interrupted = (stored: number) => (error: unknown) => {
  const { code, details, message } = describeFailure(error)
  return new CliFailure({
    code,
    message,
    details: [
      ...details,
      `${stored} readings were stored. Run the same command again to continue: stored readings are recognised.`
    ]
  })
}

/** Sends readings to the bulk endpoint, a few requests at a time. */
export const pushReadings = Effect.fn("telemetry.push")(function* (
  readings: Stream.Stream<FileReading, CliFailure, FileSystem.FileSystem>,
  targets: ReadonlyMap<string, Target>,
  onPushed: (total: Pushed) => Effect.Effect<void>
) {
  const call = yield* (yield* Connection).endpoint("directIntegration", "pushBulk", { retries: RETRIES })
  let total = nothingPushed
  const push = Effect.fnUntraced(function* (batch: ReadonlyArray<Item>) {
    const response = yield* call({ payload: { readings: batch.map(({ payload }) => payload) } })
    const errors = response.errors.map(({ code, index, message }) => ({ line: batch[index]?.line ?? 0, code, message }))
    total = {
      accepted: total.accepted + response.accepted,
      duplicates: total.duplicates + response.duplicates,
      refused: total.refused + errors.length,
      errors: [...total.errors, ...errors].slice(0, KEPT_ERRORS)
    }
    yield* onPushed(total)
  })
  yield* readings.pipe(
    Stream.map(({ device, line, state, timestamp }): Item => {
      // All devices of the file were resolved before.
      return { line, payload: { deviceId: targets.get(device)!.id, timestamp, state: state as ReadingState } }
    }),
    Stream.grouped(MAX_READINGS),
    Stream.flatMap((items) => Stream.fromIterable(splitBySize(items, ({ payload }) => payload))),
    Stream.mapEffect(push, { concurrency: IN_FLIGHT, unordered: true }),
    Stream.runDrain,
    Effect.mapError((error: unknown) => interrupted(total.accepted)(error))
  )
  return total
})

const holds = (stored: Readonly<Record<string, unknown>> | undefined, { state, timestamp }: FileReading) =>
  stored !== undefined &&
  stored["createdAt"] === timestamp &&
  Object.entries(state).every(([name, value]) => stored[name] === value)

const isStored = Effect.fnUntraced(function* ({ count, first, last }: DeviceSpan, target: Target | undefined) {
  if (target === undefined || target.isNew) return false
  const history = yield* (yield* Connection).endpoint("devices", "history")
  const range = { from: first.timestamp, to: new Date(Date.parse(last.timestamp) + 1).toISOString(), perPage: 1 }
  const ends = yield* Effect.all([
    history({ params: { id: target.id }, query: { ...range, order: "asc" } }),
    history({ params: { id: target.id }, query: { ...range, order: "desc" } })
  ])
  const [oldest, newest] = ends
  return oldest.totalItems === count && holds(oldest.data[0], first) && holds(newest.data[0], last)
})

/**
 * Whether the file of a home or a usage point was imported completely: the service has as many readings in its time range, and
 * the first and the last are equal. Avoids sending a year of duplicates.
 */
export const isFullyStored = Effect.fn("telemetry.isFullyStored")(function* (
  file: CheckedFile,
  targets: ReadonlyMap<string, Target>
) {
  if (file.form === "general") return false
  for (const [device, span] of file.devices) {
    if (!(yield* isStored(span, targets.get(device)))) return false
  }
  return true
})
