import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { type DeviceLease, DeviceWorkRepository } from "../DeviceWorkRepository.ts"

/** A device on which this process works, and whether its lease has run out. */
export interface HeldDevice extends DeviceLease {
  readonly isHeld: Effect.Effect<boolean>
}

/**
 * Runs statements in a transaction in which the claim of a device is held. If the claim is lost, nothing is recorded, and the work on the
 * device ends: another process has it.
 */
export const makeWhileHeld = Effect.gen(function* () {
  const work = yield* DeviceWorkRepository
  const transaction = transactionsOn(yield* SqlClient.SqlClient)
  return <A, E>({ claim, deviceId }: DeviceLease, record: Effect.Effect<A, E>) =>
    Effect.flatMap(work.holdClaimed([{ claim, deviceId }]), (held) =>
      held.size === 0 ? Effect.interrupt : record
    ).pipe(transaction)
})
