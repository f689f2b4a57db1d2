import { Effect, Option, Schema } from "effect"
import { AdapterError } from "../AdapterError.ts"
import type { CommandRequest } from "../ManufacturerAdapter.ts"
import type { ModbusUnit, RegisterRange } from "./ModbusClient.ts"
import { rewordError } from "./ModbusDriver.ts"
import { hasTakenEffect, mergeSaved, type PlannedWrite, restoring } from "./registerWrites.ts"

const Saved = Schema.Struct({
  address: Schema.Int,
  words: Schema.Array(Schema.Int),
  countsDown: Schema.optionalKey(Schema.Boolean)
})

/** The settings from before a forced mode, as the platform stores them. */
const Snapshot = Schema.Struct({
  unitId: Schema.Int,
  /** Registers that tell that the settings belong to this device as it is: ids of models. */
  landmarks: Schema.Array(Saved),
  registers: Schema.Array(Saved)
})
type Snapshot = typeof Snapshot.Type

const readSnapshot = Schema.decodeUnknownEffect(Snapshot)

const VERIFICATIONS = 4
const VERIFY_PAUSE = "300 millis"

interface WrittenPlace extends RegisterRange {
  readonly countsDown?: boolean
}

/** The registers of writes, in the order of their first writes. */
const writtenPlaces = (writes: ReadonlyArray<PlannedWrite>): ReadonlyArray<WrittenPlace> =>
  Array.from(new Map(writes.map((write) => [write.address, write])).values(), ({ address, countsDown, words }) => ({
    address,
    count: words.length,
    ...(countsDown === undefined ? {} : { countsDown })
  }))

/** Those of the registers that the unit has. */
const readPlaces = (unit: ModbusUnit, places: ReadonlyArray<WrittenPlace>) =>
  Effect.map(
    Effect.forEach(places, ({ address, count, ...rest }) =>
      Effect.map(unit.read({ address, count }), (answer) =>
        "registers" in answer ? [{ address, words: answer.registers, ...rest }] : []
      )
    ),
    (read) => read.flat()
  )

/** Whether the registers already hold what would be written. */
export const holdsAlready = (unit: ModbusUnit, writes: ReadonlyArray<PlannedWrite>) =>
  Effect.map(readPlaces(unit, writtenPlaces(writes)), (read) => hasTakenEffect(writes, read) === true)

/**
 * Writes in order, then reads all registers back. A device may take a moment to apply a value; one that holds another value in
 * the end has not accepted it.
 */
export const writeVerified = Effect.fnUntraced(function* (unit: ModbusUnit, writes: ReadonlyArray<PlannedWrite>) {
  yield* Effect.forEach(writes, unit.write, { discard: true })
  for (let n = 1; n <= VERIFICATIONS; n++) {
    if (yield* holdsAlready(unit, writes)) return
    if (n < VERIFICATIONS) yield* Effect.sleep(VERIFY_PAUSE)
  }
  return yield* AdapterError.of("refused", "The device answered the writes and does not hold the values", {
    commandReason: "refused"
  })
})

/**
 * Writes settings back after a failure. A register that the device refuses does not keep the others from being restored; an
 * error of the connection does.
 */
const undo = (unit: ModbusUnit, saved: ReadonlyArray<PlannedWrite>) =>
  Effect.forEach(
    restoring(saved),
    (write) =>
      Effect.catchIf(
        unit.write(write),
        ({ failure }) => failure === "refused",
        () => Effect.void
      ),
    { discard: true }
  )

interface ForcedMode {
  readonly unitId: number
  readonly landmarks: ReadonlyArray<PlannedWrite>
  readonly writes: ReadonlyArray<PlannedWrite>
}

/**
 * Begins a forced mode: saves the settings that it changes, then writes and verifies it. If that fails, the settings are
 * written back at once; the snapshot is kept for the case that this fails, too.
 */
export const beginForcedMode = Effect.fnUntraced(function* (
  unit: ModbusUnit,
  { landmarks, unitId, writes }: ForcedMode,
  { saveSnapshot, snapshot }: Pick<CommandRequest, "snapshot" | "saveSnapshot">
) {
  const places = writtenPlaces(writes)
  const before = yield* readPlaces(unit, places)
  if (before.length < places.length) {
    return yield* AdapterError.of("refused", "The settings from before the mode cannot be read")
  }
  const stored = Option.getOrUndefined(yield* Effect.option(readSnapshot(snapshot)))
  const earlier = stored?.unitId === unitId ? stored.registers : []
  const registers = mergeSaved(earlier, before)
  if (registers.length > earlier.length) {
    yield* saveSnapshot({ unitId, landmarks, registers } satisfies Snapshot)
  }
  yield* Effect.catch(writeVerified(unit, writes), (error) =>
    Effect.matchEffect(undo(unit, before), {
      onFailure: (second) =>
        Effect.fail(
          rewordError(error, error.failure, `${error.message}; the settings were not restored: ${second.message}`)
        ),
      onSuccess: () => Effect.fail(error)
    })
  )
})

/** Writes the settings of a snapshot back, the last changed one first. */
export const endForcedMode = Effect.fnUntraced(function* (open: (unitId: number) => ModbusUnit, snapshot: unknown) {
  const { landmarks, registers, unitId } = yield* Effect.mapError(readSnapshot(snapshot), () =>
    AdapterError.of("contract", "The saved settings are not those of this adapter")
  )
  const unit = open(unitId)
  if (!(yield* holdsAlready(unit, landmarks))) {
    return yield* AdapterError.of("refused", "The device has other registers than when its settings were saved")
  }
  yield* writeVerified(unit, restoring(registers))
})
