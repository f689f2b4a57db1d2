import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { joinedOn } from "../../platform/sql/transaction.ts"
import { CommandOutcomes } from "../CommandOutcomes.ts"
import { CommandsRepository } from "../CommandsRepository.ts"
import { DeviceWorkRepository } from "../DeviceWorkRepository.ts"
import { ForcedModesRepository } from "../ForcedModesRepository.ts"

/** Takes back the commands that a schedule or a dispatch has issued. */
export class CommandReverts extends Context.Service<
  CommandReverts,
  {
    /**
     * Cancels the undelivered commands of a source on these devices, and lets the forced modes that its commands began end now; the runner
     * restores the settings. Commands and modes of others stay. Returns the devices on which something of the source is still open: a command
     * that a worker has leased, which may yet begin a mode, or settings that are not restored. Repeat it until there are none. Joins the
     * caller's transaction.
     */
    readonly revert: (
      deviceIds: ReadonlyArray<string>,
      sourceId: string
    ) => Effect.Effect<ReadonlyArray<string>, DatabaseUnavailable>
  }
>()("@edp/server/CommandReverts") {
  static readonly layer = Layer.effect(
    CommandReverts,
    Effect.gen(function* () {
      const commands = yield* CommandsRepository
      const modes = yield* ForcedModesRepository
      const outcomes = yield* CommandOutcomes
      const work = yield* DeviceWorkRepository
      const transaction = joinedOn(yield* SqlClient.SqlClient)

      return {
        revert: Effect.fn("CommandReverts.revert")(function* (deviceIds, sourceId) {
          if (deviceIds.length === 0) return []
          const now = new Date(yield* Clock.currentTimeMillis)
          yield* work.hold(deviceIds)
          // A worker that records an outcome locks the mode before the work: waiting for it would be a deadlock.
          const busy = yield* modes.holdFree(deviceIds)
          const free = deviceIds.filter((id) => !busy.has(id))
          const cancelled = yield* commands.holdCancellableFrom(free, sourceId)
          yield* outcomes.record(
            cancelled.map((id) => ({ id, status: "failed", reason: "cancelled", output: null, upstream: null }))
          )
          const ending = yield* modes.endSoon(free, sourceId, now)
          if (ending.length > 0) yield* work.advance(ending.map(({ deviceId }) => ({ deviceId, dueAt: now })))
          return yield* commands.openDevices(deviceIds, sourceId)
        }, transaction)
      }
    })
  )
}
