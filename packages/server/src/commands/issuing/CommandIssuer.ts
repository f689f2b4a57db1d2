import type { Command, CommandSource } from "@edp/domain/commands/Command"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import { Clock, Context, Effect, Layer, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { Ids } from "../../platform/Ids.ts"
import { EventOutbox } from "../../platform/outbox/EventOutbox.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { joinedOn } from "../../platform/sql/transaction.ts"
import { commandLimits } from "../commandLimits.ts"
import { commandEvents } from "../CommandOutcomes.ts"
import { type CommandInput, type CommandRow, toCommand } from "../commandRow.ts"
import { CommandsRepository } from "../CommandsRepository.ts"
import { DeviceWorkRepository } from "../DeviceWorkRepository.ts"
import { ForcedModesRepository } from "../ForcedModesRepository.ts"

export interface NewCommand {
  readonly workspaceId: string
  readonly deviceId: string
  readonly type: CommandSlug
  /** Valid for the type and the device. */
  readonly input: CommandInput
  readonly source: CommandSource
  /** The schedule or the dispatch. */
  readonly sourceId: string | null
  readonly batchId: string | null
  /** The caller's time: the command is `scheduled` until then. */
  readonly scheduledFor: Date | null
  /** Paces a batch: the command is `pending`, but is not sent earlier. */
  readonly notBefore: Date | null
  readonly expiresAt: Date
  readonly revertAfter: number | null
}

const { storedTogether } = commandLimits

const chunks = <A>(items: ReadonlyArray<A>) =>
  Array.from({ length: Math.ceil(items.length / storedTogether) }, (_, at) =>
    items.slice(at * storedTogether, (at + 1) * storedTogether)
  )

/** Announces new commands to the runner of this instance; others find them when they look for work. */
export class CommandArrivals extends Context.Service<CommandArrivals, Queue.Queue<void>>()(
  "@edp/server/CommandArrivals"
) {
  static readonly layer = Layer.effect(CommandArrivals, Queue.sliding<void>(1))
}

/** Stores commands from any source. */
export class CommandIssuer extends Context.Service<
  CommandIssuer,
  {
    /**
     * Stores commands, at most one per device and type, and overrides those that they replace. A command that meets an undelivered one
     * of a higher rank fails with `overridden`. Commands for devices that no longer exist are left out. Joins the caller's transaction.
     * Their time of issue is now, in milliseconds, unless given.
     */
    readonly issue: (
      commands: ReadonlyArray<NewCommand>,
      issuedAt?: number
    ) => Effect.Effect<ReadonlyArray<Command>, DatabaseUnavailable>
    /** Starts the sending at once. Call it after the commit. */
    readonly wake: Effect.Effect<void>
  }
>()("@edp/server/CommandIssuer") {
  static readonly layer = Layer.effect(
    CommandIssuer,
    Effect.gen(function* () {
      const repository = yield* CommandsRepository
      const modes = yield* ForcedModesRepository
      const work = yield* DeviceWorkRepository
      const outbox = yield* EventOutbox
      const arrivals = yield* CommandArrivals
      const ids = yield* Ids
      const transaction = joinedOn(yield* SqlClient.SqlClient)

      /** An overridden command may have changed settings in an attempt that failed: they are restored before the next one. */
      const abandon = Effect.fnUntraced(function* (overridden: ReadonlyArray<CommandRow>, at: Date) {
        if (overridden.length === 0) return
        const abandoned = yield* modes.abandon(
          overridden.map(({ id }) => id),
          at
        )
        if (abandoned.length > 0) yield* work.advance(abandoned.map(({ deviceId }) => ({ deviceId, dueAt: at })))
      })

      const issueSome = Effect.fnUntraced(function* (commands: ReadonlyArray<NewCommand>, now: number) {
        const at = new Date(now)
        const timed = commands.map((command) => ({
          ...command,
          dueAt: command.scheduledFor ?? command.notBefore ?? at
        }))
        const held = new Set((yield* repository.holdDevices(timed)).map(({ deviceId }) => deviceId))
        const issued = timed
          .filter(({ deviceId }) => held.has(deviceId))
          .map((command) => ({ ...command, id: ids.nextAt(now) }))
        const overridden = yield* repository.override(issued, at)
        yield* abandon(overridden, at)
        const stored = yield* repository.insert(issued, at)
        const made = stored.map(toCommand)
        yield* outbox.publish([...commandEvents(overridden), ...commandEvents(stored, made)])
        return made
      })

      return {
        issue: Effect.fn("CommandIssuer.issue")(function* (commands, issuedAt) {
          const now = issuedAt ?? (yield* Clock.currentTimeMillis)
          // One order of locks for all callers.
          const ordered = commands.toSorted((one, other) => (one.deviceId < other.deviceId ? -1 : 1))
          const stored = yield* Effect.forEach(chunks(ordered), (some) => issueSome(some, now))
          return stored.flat()
        }, transaction),
        wake: Effect.asVoid(Queue.offer(arrivals, undefined))
      }
    })
  )
}
