import { Clock, Context, Effect, Exit, Layer, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { batched } from "../../platform/batching/batched.ts"
import { inHalves } from "../../platform/batching/inHalves.ts"
import { leaseName } from "../../platform/jobs/JobRunner.ts"
import { Instances } from "../../platform/observability/Instances.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { commandLimits } from "../commandLimits.ts"
import { type CommandOutcome, CommandsRepository, type PostponedCommand } from "../CommandsRepository.ts"
import { type DeviceLease, DeviceWorkRepository, type ReleasedDevice } from "../DeviceWorkRepository.ts"
import { ForcedModesRepository, type RestoringMode, type SavedSnapshot } from "../ForcedModesRepository.ts"
import { CommandIssuer, type NewCommand } from "../issuing/CommandIssuer.ts"
import { CommandOutcomes } from "../CommandOutcomes.ts"

/** A device on which this process works. */
export interface HeldDevice extends DeviceLease {
  /** Whether the lease still holds. */
  readonly isHeld: Effect.Effect<boolean>
  /** Whether a call may begin: the lease holds, and the process does not stop. */
  readonly mayBegin: Effect.Effect<boolean>
}

/** The changes of a device that are recorded at once. */
export interface DeviceChange {
  readonly outcome?: CommandOutcome
  readonly postponed?: PostponedCommand
  readonly snapshot?: SavedSnapshot
  readonly restoring?: RestoringMode
  /** The settings from before its forced mode are restored. */
  readonly isRestored?: boolean
  /** The command that restores them. */
  readonly reset?: NewCommand
  /** The claim ends. */
  readonly released?: Omit<ReleasedDevice, keyof DeviceLease>
}

interface HeldChange extends DeviceChange {
  readonly held: DeviceLease
}

/** The work on leased devices: calls, as many at once as the limits allow, and what is recorded of them, many in one transaction. */
export class HeldDevices extends Context.Service<
  HeldDevices,
  {
    /**
     * Records a change while the claim of the device is held. If the claim is lost, nothing is recorded, and the work on the device is
     * interrupted: another process has it.
     */
    readonly record: (held: DeviceLease, change: DeviceChange) => Effect.Effect<void, DatabaseUnavailable>
    /** Waits until the manufacturer may get another call. */
    readonly call: <A, E, R>(manufacturer: string, call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("@edp/server/HeldDevices") {
  static readonly layer = Layer.effect(
    HeldDevices,
    Effect.gen(function* () {
      const work = yield* DeviceWorkRepository
      const commands = yield* CommandsRepository
      const modes = yield* ForcedModesRepository
      const outcomes = yield* CommandOutcomes
      const issuer = yield* CommandIssuer
      const transaction = transactionsOn(yield* SqlClient.SqlClient)
      const instance = (yield* Instances).own.id
      const calls = yield* Semaphore.make(commandLimits.calls)
      const ofManufacturers = new Map<string, Semaphore.Semaphore>()

      const recordAll = (all: ReadonlyArray<HeldChange>) =>
        Effect.gen(function* () {
          const held = yield* work.holdClaimed(all.map(({ held: { claim, deviceId } }) => ({ claim, deviceId })))
          const isHeld = ({ held: { claim, deviceId } }: HeldChange) => held.has(leaseName(claim, deviceId))
          const changes = all.filter(isHeld)
          const each = <A>(pick: (change: HeldChange) => A | undefined) =>
            changes.flatMap((change) => {
              const found = pick(change)
              return found === undefined ? [] : [found]
            })
          const storeAny = <A, B, E>(
            items: ReadonlyArray<A>,
            store: (items: ReadonlyArray<A>) => Effect.Effect<B, E>
          ): Effect.Effect<unknown, E> => (items.length === 0 ? Effect.void : store(items))
          yield* storeAny(
            each(({ postponed }) => postponed),
            commands.postpone
          )
          yield* storeAny(
            each(({ snapshot }) => snapshot),
            modes.saveSnapshots
          )
          yield* storeAny(
            each(({ restoring }) => restoring),
            modes.retry
          )
          const now = new Date(yield* Clock.currentTimeMillis)
          yield* storeAny(
            each(({ held, isRestored }) => (isRestored === true ? held.deviceId : undefined)),
            (ids) => modes.end(ids, now)
          )
          yield* storeAny(
            each(({ reset }) => reset),
            (resets) => issuer.issue(resets)
          )
          yield* outcomes.record(each(({ outcome }) => outcome))
          yield* storeAny(
            each(({ held: { claim, deviceId }, released }) => released && { claim, deviceId, ...released }),
            (released) => work.release(released, instance)
          )
          return (change: HeldChange) => Exit.succeed(isHeld(change))
        }).pipe(transaction)

      const together = batched(inHalves(recordAll), { maxBatch: commandLimits.recordedTogether })
      /** A call waits for its record before it. That is short, and does not wait for the longer records after other calls. */
      const recordedBefore = yield* together
      const recordedAfter = yield* together

      return {
        record: (held, change) => {
          const isBefore = change.snapshot !== undefined || change.restoring !== undefined
          const recorded = isBefore ? recordedBefore : recordedAfter
          return Effect.flatMap(recorded({ held, ...change }), (isRecorded) =>
            isRecorded ? Effect.void : Effect.interrupt
          )
        },
        call: (manufacturer, call) => {
          const own = ofManufacturers.get(manufacturer) ?? Semaphore.makeUnsafe(commandLimits.callsPerManufacturer)
          ofManufacturers.set(manufacturer, own)
          return own.withPermit(calls.withPermit(call))
        }
      }
    })
  )
}
