import type { CommandReason } from "@edp/domain/commands/CommandReason"
import { isForcedMode } from "@edp/domain/commands/commandInputs"
import { commandSources } from "@edp/domain/commands/Command"
import { ServiceUnavailable } from "@edp/domain/errors/ApiErrors"
import { Cause, Clock, Context, Effect, Exit, Layer, Random } from "effect"
import { Accounts } from "../accounts/Accounts.ts"
import { AdapterError, isTransient } from "../adapters/AdapterError.ts"
import { confirmByState } from "@edp/domain/commands/confirmByState"
import type { CommandRequest, CommandResult } from "../adapters/ManufacturerAdapter.ts"
import { ManufacturerCommands } from "../destinations/delivery/ManufacturerCommands.ts"
import { batched } from "../platform/batching/batched.ts"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import type { CommandDevice } from "./commandDevice.ts"
import { CommandOutcomes } from "./CommandOutcomes.ts"
import { type CommandInput, toCommand } from "./commandRow.ts"
import { type CommandOutcome, CommandsRepository, type DueCommand } from "./CommandsRepository.ts"
import { type ForcedModeRow, ForcedModesRepository } from "./ForcedModesRepository.ts"
import { failureReason, handoverPause } from "./handoverErrors.ts"
import { unmetPrecondition } from "./preconditions.ts"
import { storedOutput, storedUpstream } from "./storedAnswer.ts"

/** A call that takes longer has failed; its effect may still show in the device's state. */
const LONGEST_CALL = "2 minutes"
/** A device's newest state counts as its present one for this time, in milliseconds. */
const PRESENT = 15 * 60_000
/** How often a direct device's command is looked at while its manufacturer has no destination, in milliseconds. */
const POLLED = 30_000
const HOUR = 3_600_000
/** The shortest pause of a command for which there was no call left, in milliseconds. */
const SOONEST = 250
/** The first reading after a command that was accepted, in seconds. */
const FIRST_LOOK = 2

/** The consequences of an attempt for the other commands. */
export interface HandoverEffect {
  /** Another instance holds the device's connection. */
  readonly elsewhere: boolean
  /** Nothing can be sent to the manufacturer until then, in milliseconds since 1970. */
  readonly pausedUntil: number | null
}

const done: HandoverEffect = { elsewhere: false, pausedUntil: null }

const isModeCommand = ({ type }: DueCommand) => type.endsWith(":set-operating-mode")

/** The sources, the highest rank first, as the contract lists them. */
const isOutranked = (command: DueCommand, mode: ForcedModeRow | undefined) =>
  mode !== undefined &&
  (mode.phase === "holding" || mode.phase === "starting") &&
  mode.commandId !== command.id &&
  commandSources.indexOf(mode.source) < commandSources.indexOf(command.source)

/** Hands commands over to manufacturers and devices, and records what becomes of it. */
export class CommandHandover extends Context.Service<
  CommandHandover,
  {
    readonly hand: (
      command: DueCommand,
      device: CommandDevice,
      mode: ForcedModeRow | undefined,
      isHeld: Effect.Effect<boolean>
    ) => Effect.Effect<HandoverEffect>
  }
>()("@edp/server/CommandHandover") {
  static readonly layer = Layer.effect(
    CommandHandover,
    Effect.gen(function* () {
      const repository = yield* CommandsRepository
      const modes = yield* ForcedModesRepository
      const outcomes = yield* CommandOutcomes
      const accounts = yield* Accounts
      const manufacturers = yield* ManufacturerCommands
      const { commandWritesPerHour } = yield* ServerConfig

      const recordEach = Effect.fnUntraced(function* (all: ReadonlyArray<CommandOutcome>) {
        const exits = new Map<CommandOutcome, Exit.Exit<void>>()
        for (const one of all) exits.set(one, yield* Effect.exit(Effect.asVoid(outcomes.record([one]))))
        return (one: CommandOutcome) => exits.get(one)!
      })

      // Events are published one transaction after another: with one for each command, they would wait for each other's disk writes.
      const record = yield* batched(
        (all: ReadonlyArray<CommandOutcome>) =>
          Effect.catchCause(
            Effect.as(outcomes.record(all), () => Exit.void),
            (cause) =>
              // An answer that cannot be stored concerns one command alone.
              all.length === 1 || Cause.squash(cause) instanceof ServiceUnavailable
                ? Effect.failCause(cause)
                : recordEach(all)
          ),
        { maxBatch: 500 }
      )

      const take = yield* batched(
        Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
          const taken = yield* repository.take(ids, new Date(yield* Clock.currentTimeMillis))
          const interruptions = new Map(taken.map((row) => [row.id, row.interruptions]))
          return (id: string) => Exit.succeed(interruptions.get(id))
        }),
        { maxBatch: 500 }
      )

      const settle = (
        { id }: DueCommand,
        status: "delivered" | "completed" | "failed",
        more: {
          readonly reason?: CommandReason | null
          readonly output?: CommandInput | null
          readonly upstream?: CommandResult["upstream"]
        } = {}
      ) =>
        Effect.as(
          record({
            id,
            status,
            reason: more.reason ?? null,
            output: more.output ?? null,
            upstream: more.upstream ?? null
          }),
          done
        )

      const postpone = Effect.fnUntraced(function* (
        command: DueCommand,
        askedMs: number | undefined,
        upstream: CommandResult["upstream"],
        now: number
      ) {
        const pause = handoverPause(command.attempts + 1, yield* Random.next, askedMs)
        // An attempt after the expiry would be in vain; the time-out comes first.
        yield* repository.postpone(command.id, new Date(now + pause), true, upstream)
        return done
      })

      const accepted = (command: DueCommand, device: CommandDevice, result: CommandResult) =>
        Effect.gen(function* () {
          const { reason, status } = result
          yield* settle(command, status === "accepted" ? "delivered" : "completed", {
            reason,
            output: storedOutput(result.output),
            upstream: storedUpstream(result.upstream)
          })
          // Polled devices would show it only at their next turn.
          if (status === "accepted" && device.accountId !== null) {
            yield* accounts.readSoon(device.accountId, FIRST_LOOK)
          }
          return done
        })

      const failed = Effect.fnUntraced(function* (command: DueCommand, error: AdapterError) {
        const now = yield* Clock.currentTimeMillis
        const { failure, retryAt } = error
        const upstream = storedUpstream(error.upstream)
        if (failure === "elsewhere") {
          yield* repository.postpone(command.id, new Date(now), false, null)
          return { ...done, elsewhere: true }
        }
        const isLimit = failure === "throttled" || failure === "quota_exhausted"
        const isLate = retryAt !== null && retryAt >= command.expiresAt.getTime()
        if (!isTransient(error) || (isLimit && isLate)) {
          return yield* settle(command, "failed", { reason: failureReason(error), upstream })
        }
        // The manufacturer has not been called when the platform's own count is full.
        if (isLimit && upstream === null && retryAt !== null) {
          // The counts are kept by the database's clock, which may be behind.
          const later = Math.max(retryAt, now + SOONEST)
          yield* repository.postpone(command.id, new Date(later), false, null)
          return { ...done, pausedUntil: later }
        }
        return yield* postpone(command, retryAt === null ? undefined : retryAt - now, upstream, now)
      })

      const send = Effect.fnUntraced(function* (
        command: DueCommand,
        device: CommandDevice,
        mode: ForcedModeRow | undefined,
        accountId: string
      ) {
        const { id, input, revertAfter, source, type } = command
        const begun = {
          deviceId: device.id,
          commandId: id,
          mode: String(input["operatingMode"]),
          source,
          // Its end is known once it is accepted.
          until: command.expiresAt
        }
        const isReset = input["operatingMode"] === "reset"
        const holds = mode !== undefined && mode.phase !== "ended"
        const request: CommandRequest = {
          id,
          device: { id: device.id, manufacturerDeviceId: device.manufacturerDeviceId, type: device.type },
          type,
          input,
          revertAfter,
          state: device.state,
          snapshot: holds || isReset ? (mode?.snapshot ?? null) : null,
          saveSnapshot: (snapshot) =>
            Effect.flatMap(Clock.currentTimeMillis, (now) => modes.saveSnapshot(begun, snapshot, new Date(now)))
        }
        return yield* accounts
          .withAccount(accountId, (account, { sendCommand }) =>
            sendCommand === undefined
              ? Effect.fail(AdapterError.of("refused", "The manufacturer's adapter sends no commands"))
              : sendCommand(account, request)
          )
          .pipe(
            Effect.timeoutOrElse({
              duration: LONGEST_CALL,
              orElse: () => Effect.fail(AdapterError.of("unreachable", "The adapter took too long"))
            }),
            Effect.matchEffect({
              onSuccess: (result) => accepted(command, device, result),
              onFailure: (error) => failed(command, error)
            })
          )
      })

      const post = Effect.fnUntraced(function* (command: DueCommand, device: CommandDevice) {
        const now = yield* Clock.currentTimeMillis
        const answer = yield* manufacturers.post(command.workspaceId, device.manufacturer, toCommand(command))
        if (answer === "absent") {
          yield* repository.postpone(command.id, new Date(now + POLLED), false, null)
          return done
        }
        const { accepted: isAccepted, retryAfter, transient, upstream } = answer
        if (isAccepted) return yield* settle(command, "delivered", { upstream })
        if (transient) return yield* postpone(command, retryAfter, upstream, now)
        return yield* settle(command, "failed", { reason: "refused", upstream })
      })

      /** Why a command ends without a call. */
      const judge = Effect.fnUntraced(function* (
        command: DueCommand,
        device: CommandDevice,
        mode: ForcedModeRow | undefined,
        now: number
      ) {
        const { input, source, type } = command
        const end = (reason: CommandReason) => settle(command, "failed", { reason })
        if (device.workspaceId !== command.workspaceId || device.disconnectedAt !== null) return end("unreachable")
        if (isModeCommand(command) && isOutranked(command, mode)) return end("overridden")
        if (source !== "user") {
          const writes = yield* repository.countAutomatic(device.id, new Date(now - HOUR))
          if (writes >= commandWritesPerHour) return end("quota_exhausted")
        }
        const unmet = unmetPrecondition(device, type, input, now)
        if (unmet !== undefined) return end(unmet)
        // Adapters compare the target with a state that they have just read. A direct device's state is only known here.
        const isPresent = device.at !== null && device.at.getTime() > now - PRESENT
        const isForced = isForcedMode(type, input, command.revertAfter)
        if (device.direct && isPresent && !isForced && confirmByState(type, input, device.state, "exact") === "met") {
          return settle(command, "completed", { reason: "already_so" })
        }
        return undefined
      })

      return {
        hand: Effect.fn("CommandHandover.hand")(function* (command, device, mode, isHeld) {
          const now = yield* Clock.currentTimeMillis
          // Also one that a dead worker has left in hand, which the sweep for time-outs leaves to whoever has the device.
          if (command.expiresAt.getTime() <= now) return yield* settle(command, "failed", { reason: "timeout" })
          // A dead worker's call may have had its effect, so it is repeated once and judged no more.
          const settled = command.inHand ? undefined : yield* judge(command, device, mode, now)
          if (settled !== undefined) return yield* settled
          const accountId = device.direct ? null : device.accountId
          if (!device.direct && accountId === null) return yield* settle(command, "failed", { reason: "unreachable" })
          if (!(yield* isHeld)) return done
          const interruptions = yield* take(command.id)
          if (interruptions === undefined) return done
          // Twice begun and never recorded: only the state or the time-out can tell.
          if (interruptions > 1) {
            yield* repository.postpone(command.id, command.expiresAt, false, null)
            return done
          }
          return yield* accountId === null ? post(command, device) : send(command, device, mode, accountId)
        })
      }
    })
  )
}
