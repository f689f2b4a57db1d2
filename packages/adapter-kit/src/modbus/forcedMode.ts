import { Effect, Schema } from "effect"
import { AdapterError } from "../AdapterError.ts"
import type { CommandRequest } from "../ManufacturerAdapter.ts"
import type { ModbusUnit, RegisterRange } from "./ModbusClient.ts"
import { rewordError } from "./ModbusDriver.ts"
import { differing, hasTakenEffect, isWithin, type PlannedWrite, replacing, restoring } from "./registerWrites.ts"

const Saved = Schema.Struct({
  address: Schema.Int,
  words: Schema.Array(Schema.Int),
  countsDown: Schema.optionalKey(Schema.Boolean),
  single: Schema.optionalKey(Schema.Boolean)
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

/** Registers of one setting. */
export interface SettingRegisters extends RegisterRange {
  /** They hold a timer, which counts down after a write. */
  readonly countsDown?: boolean
  /** Function 6 writes it. */
  readonly single?: boolean
}

/** The registers of writes, in the order of their first writes. */
export const writtenRegisters = (writes: ReadonlyArray<PlannedWrite>): ReadonlyArray<SettingRegisters> =>
  Array.from(new Map(writes.map((write) => [write.address, write])).values(), ({ address, words, ...rest }) => ({
    address,
    count: words.length,
    ...rest
  }))

/** Those of the registers that the unit has. */
const readSettings = (unit: ModbusUnit, settings: ReadonlyArray<SettingRegisters>) =>
  Effect.map(
    Effect.forEach(settings, ({ address, count, ...rest }) =>
      Effect.map(unit.read({ address, count }), (response) =>
        "registers" in response ? [{ address, words: response.registers, ...rest }] : []
      )
    ),
    (read) => read.flat()
  )

/** Whether the registers already hold what would be written. */
export const holdsAlready = (unit: ModbusUnit, writes: ReadonlyArray<PlannedWrite>) =>
  Effect.map(readSettings(unit, writtenRegisters(writes)), (read) => hasTakenEffect(writes, read) === true)

/** Reads registers back. A device may take a moment to apply a value; one that holds another in the end has not accepted it. */
const requireHeld = Effect.fnUntraced(function* (unit: ModbusUnit, writes: ReadonlyArray<PlannedWrite>) {
  for (let n = 1; n <= VERIFICATIONS; n++) {
    if (yield* holdsAlready(unit, writes)) return
    if (n < VERIFICATIONS) yield* Effect.sleep(VERIFY_PAUSE)
  }
  return yield* AdapterError.of("refused", "The device accepted the writes but does not hold the values", {
    commandReason: "refused"
  })
})

/** Writes in order, then verifies. */
export const writeVerified = (unit: ModbusUnit, writes: ReadonlyArray<PlannedWrite>) =>
  Effect.andThen(Effect.forEach(writes, unit.write, { discard: true }), requireHeld(unit, writes))

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

const notReadable = AdapterError.of("refused", "The settings from before the mode cannot be read", {
  commandReason: "precondition_unmet"
})

const decodeSnapshot = (snapshot: unknown) =>
  Effect.mapError(readSnapshot(snapshot), () =>
    AdapterError.of("contract", "The saved settings are not those of this adapter", { commandReason: "refused" })
  )

interface ForcedMode {
  readonly unitId: number
  /** Registers by which the device is recognized when its settings are restored. */
  readonly landmarks: ReadonlyArray<PlannedWrite>
  /** The settings that any forced mode of the device may change, in the order in which it changes them. */
  readonly settings: ReadonlyArray<SettingRegisters>
  readonly writes: ReadonlyArray<PlannedWrite>
}

/**
 * Begins a forced mode: saves the settings that this one or another over it may change, unless an earlier one has saved them,
 * then writes and verifies it. If that fails, what was written is put back at once; the snapshot is there for the case that
 * this fails, too.
 */
export const beginForcedMode = Effect.fnUntraced(function* (
  unit: ModbusUnit,
  { landmarks, settings, unitId, writes }: ForcedMode,
  { saveSnapshot, snapshot }: Pick<CommandRequest, "snapshot" | "saveSnapshot">
) {
  const before = yield* readSettings(unit, settings)
  const own = snapshot === null ? { unitId, landmarks, registers: before } : yield* decodeSnapshot(snapshot)
  const isSaved = own.unitId === unitId && writes.every((write) => isWithin(own.registers, write))
  if (!isSaved || !writes.every((write) => isWithin(before, write))) return yield* notReadable
  if (snapshot === null) yield* saveSnapshot(own satisfies Snapshot)
  const changed = before.filter(({ address }) => writes.some((write) => write.address === address))
  yield* Effect.catch(writeVerified(unit, writes), (error) =>
    Effect.matchEffect(undo(unit, changed), {
      onFailure: (second) =>
        Effect.fail(
          rewordError(error, error.failure, `${error.message}; the settings were not restored: ${second.message}`)
        ),
      onSuccess: () => Effect.fail(error)
    })
  )
})

/**
 * Writes those settings of a snapshot back that the device does not hold, the last changed one first. A crash between any two
 * writes leaves settings that the next call finds and writes.
 *
 * @param taken The writes of commands that were taken since the snapshot, for a unit: their registers go back to these values.
 */
export const endForcedMode = Effect.fnUntraced(function* (
  open: (unitId: number) => ModbusUnit,
  snapshot: unknown,
  taken: (unitId: number) => Effect.Effect<ReadonlyArray<PlannedWrite>, AdapterError>
) {
  const { landmarks, registers: saved, unitId } = yield* decodeSnapshot(snapshot)
  const unit = open(unitId)
  if (!(yield* holdsAlready(unit, landmarks))) {
    return yield* AdapterError.of("refused", "The device has other registers than when its settings were saved", {
      commandReason: "precondition_unmet"
    })
  }
  const registers = replacing(saved, yield* taken(unitId))
  const present = yield* readSettings(unit, writtenRegisters(registers))
  yield* Effect.forEach(restoring(differing(registers, present)), unit.write, { discard: true })
  yield* requireHeld(unit, registers)
})
