import type { CommandReason } from "@edp/domain/commands/CommandReason"
import { decodeCommandOutput } from "@edp/domain/commands/commandOutputs"
import { isForcedMode } from "@edp/domain/commands/commandInputs"
import { commandSources } from "@edp/domain/commands/Command"
import { Clock, Context, Effect, Exit, Layer, Random, Result } from "effect"
import { SqlClient } from "effect/sql"
import { Accounts } from "../../accounts/Accounts.ts"
import { AdapterError, isAdapterError, isTransient } from "@edp/adapter-kit/AdapterError"
import { isAlreadySo } from "@edp/domain/commands/confirmByState"
import type { CommandRequest, CommandResult } from "@edp/adapter-kit/ManufacturerAdapter"
import { ManufacturerCommands } from "../../destinations/delivery/ManufacturerCommands.ts"
import { batched } from "../../platform/batching/batched.ts"
import { issuedAt } from "../../platform/Ids.ts"
import { inHalves } from "../../platform/batching/inHalves.ts"
import { leaseName } from "../../platform/jobs/JobRunner.ts"
import { type DatabaseUnavailable, hideUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import { commandLimits } from "../commandLimits.ts"
import type { CommandDevice } from "../issuing/commandDevice.ts"
import { CommandOutcomes } from "../outcomes/CommandOutcomes.ts"
import { type CommandInput, toCommand } from "../commandRow.ts"
import { type CommandOutcome, CommandsRepository, type DueCommand, type TakenCommand } from "../CommandsRepository.ts"
import { type HeldDevice, makeWhileHeld } from "./DeviceLeases.ts"
import { DeviceWorkRepository } from "../DeviceWorkRepository.ts"
import { type ForcedModeRow, ForcedModesRepository } from "../ForcedModesRepository.ts"
import { failureReason, handoverPause, localManufacturers } from "./handoverErrors.ts"
import { unmetPrecondition } from "./preconditions.ts"
import { storedOutput, storedUpstream } from "./storedResponse.ts"

const HOUR = 3_600_000

/** Another instance holds a device's connection. */
export interface Elsewhere {
  /** Null if it is not known which one. */
  readonly holder: string | null
}

/** The consequences of an attempt for the other commands. */
export interface HandoverEffect {
  readonly elsewhere: Elsewhere | null
  /** Nothing can be sent to the manufacturer until then, in milliseconds since 1970. */
  readonly pausedUntil: number | null
}

/** An outcome, and the lease under which it came about. */
interface HeldOutcome {
  readonly held: HeldDevice
  readonly outcome: CommandOutcome
}

const done: HandoverEffect = { elsewhere: null, pausedUntil: null }

/** The time of the newest reading if it was taken and has arrived just now: a clock that is ahead makes no old reading new. */
const presentSince = ({ at, readingId }: CommandDevice, now: number): number | undefined => {
  if (at === null || readingId === null) return undefined
  const since = Math.min(at.getTime(), issuedAt(readingId))
  return since > now - commandLimits.presentStateSeconds * 1000 ? since : undefined
}

const isModeCommand = ({ type }: DueCommand) => type.endsWith(":set-operating-mode")

/** The sources, the highest rank first, as the contract lists them. */
const isOutranked = (command: DueCommand, mode: ForcedModeRow | undefined) =>
  mode !== undefined &&
  (mode.phase === "holding" || mode.phase === "starting") &&
  mode.commandId !== command.id &&
  commandSources.indexOf(mode.source) < commandSources.indexOf(command.source)

/** Sends commands to manufacturers and devices, and records what becomes of it. */
export class CommandHandover extends Context.Service<
  CommandHandover,
  {
    readonly send: (
      command: DueCommand,
      device: CommandDevice,
      mode: ForcedModeRow | undefined,
      held: HeldDevice
    ) => Effect.Effect<HandoverEffect, DatabaseUnavailable>
  }
>()("@edp/server/CommandHandover") {
  static readonly layer = Layer.effect(
    CommandHandover,
    Effect.gen(function* () {
      const repository = yield* CommandsRepository
      const work = yield* DeviceWorkRepository
      const whileHeld = yield* makeWhileHeld
      const transaction = transactionsOn(yield* SqlClient.SqlClient)
      const modes = yield* ForcedModesRepository
      const outcomes = yield* CommandOutcomes
      const accounts = yield* Accounts
      const manufacturers = yield* ManufacturerCommands
      const { commandWritesPerHour } = yield* ServerConfig
      const local = localManufacturers(yield* accounts.manufacturers)

      /** Records what happened to commands of devices whose claims are still held. Returns whether one is. */
      const recordHeld = (all: ReadonlyArray<HeldOutcome>) =>
        Effect.gen(function* () {
          const held = yield* work.holdClaimed(all.map(({ held: { claim, deviceId } }) => ({ claim, deviceId })))
          const isHeld = ({ held: { claim, deviceId } }: HeldOutcome) => held.has(leaseName(claim, deviceId))
          yield* outcomes.record(all.filter(isHeld).map(({ outcome }) => outcome))
          return (one: HeldOutcome) => Exit.succeed(isHeld(one))
        }).pipe(transaction)

      // Events are published one transaction after another: with one for each command, they would wait for each other's disk writes.
      const recorded = yield* batched(inHalves(recordHeld), { maxBatch: 500 })
      const record = (held: HeldDevice, outcome: CommandOutcome) =>
        Effect.flatMap(recorded({ held, outcome }), (isRecorded) => (isRecorded ? Effect.void : Effect.interrupt))

      const postponeHeld = (
        held: HeldDevice,
        { id }: DueCommand,
        dueAt: number | Date,
        isAttempt = false,
        upstream: CommandResult["upstream"] = null
      ) => whileHeld(held, repository.postpone(id, new Date(dueAt), isAttempt, upstream))

      const take = yield* batched(
        Effect.fnUntraced(function* (wanted: ReadonlyArray<TakenCommand>) {
          const taken = yield* repository.take(wanted, new Date(yield* Clock.currentTimeMillis))
          const interruptions = new Map(taken.map((row) => [row.id, row.interruptions]))
          return ({ id }: TakenCommand) => Exit.succeed(interruptions.get(id))
        }),
        { maxBatch: 500 }
      )

      const settle = (
        held: HeldDevice,
        { id }: DueCommand,
        status: "delivered" | "completed" | "failed",
        more: {
          readonly reason?: CommandReason | null
          readonly output?: CommandInput | null
          readonly upstream?: CommandResult["upstream"]
          readonly sentInput?: CommandInput | null
        } = {}
      ) =>
        Effect.as(
          record(held, {
            id,
            status,
            reason: more.reason ?? null,
            output: more.output ?? null,
            upstream: more.upstream ?? null,
            sentInput: more.sentInput ?? null
          }),
          done
        )

      const postpone = Effect.fnUntraced(function* (
        held: HeldDevice,
        command: DueCommand,
        manufacturer: string,
        askedMs: number | undefined,
        upstream: CommandResult["upstream"],
        now: number
      ) {
        const pause = handoverPause(command.attempts + 1, yield* Random.next, local.has(manufacturer), askedMs)
        // An attempt after the expiry would be in vain; the time-out comes first.
        yield* postponeHeld(held, command, now + pause, true, upstream)
        return done
      })

      const accepted = (held: HeldDevice, command: DueCommand, device: CommandDevice, result: CommandResult) =>
        Effect.gen(function* () {
          const { reason, status } = result
          const decoded = decodeCommandOutput(command.type, status, storedOutput(result.output))
          if (Result.isFailure(decoded)) {
            const problems = Object.entries(decoded.failure).map(([field, problem]) => `${field}: ${problem}`)
            yield* Effect.logWarning(
              `The adapter of ${device.manufacturer} gave a wrong output: ${problems.join("; ")}`
            )
            const upstream = storedUpstream(result.upstream)
            return yield* settle(held, command, "failed", { reason: "refused", upstream })
          }
          yield* settle(held, command, status === "accepted" ? "delivered" : "completed", {
            reason,
            output: decoded.success,
            upstream: storedUpstream(result.upstream),
            sentInput: storedOutput(result.sentInput ?? null)
          })
          // Polled devices would show it only at their next turn, which is far off for one that could not be reached.
          if ((status === "accepted" || command.attempts > 0) && device.accountId !== null) {
            yield* accounts.scheduleRead(device.accountId, commandLimits.firstReadingSeconds)
          }
          return done
        })

      const failed = Effect.fnUntraced(function* (
        held: HeldDevice,
        command: DueCommand,
        { accountId, manufacturer }: CommandDevice,
        error: AdapterError
      ) {
        const now = yield* Clock.currentTimeMillis
        const { failure, retryAt } = error
        const upstream = storedUpstream(error.upstream)
        if (failure === "elsewhere") {
          yield* postponeHeld(held, command, now)
          return { ...done, elsewhere: { holder: error.holder } }
        }
        // The obstacle shows at the device with the next reading.
        if (error.intervention !== null && accountId !== null)
          yield* accounts.scheduleRead(accountId, commandLimits.firstReadingSeconds)
        const isLimit = failure === "throttled" || failure === "quota_exhausted"
        const isLate = retryAt !== null && retryAt >= command.expiresAt.getTime()
        if (!isTransient(error) || (isLimit && isLate)) {
          return yield* settle(held, command, "failed", { reason: failureReason(error), upstream })
        }
        // The manufacturer has not been called when the platform's own count is full.
        if (isLimit && upstream === null && retryAt !== null) {
          // The counts are kept by the database's clock, which may be behind.
          const later = Math.max(retryAt, now + commandLimits.noCallPauseMs)
          yield* postponeHeld(held, command, later)
          return { ...done, pausedUntil: later }
        }
        const askedMs = retryAt === null ? undefined : retryAt - now
        return yield* postpone(held, command, manufacturer, askedMs, upstream, now)
      })

      const send = Effect.fnUntraced(function* (
        held: HeldDevice,
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
        const snapshot = holds || isReset ? (mode?.snapshot ?? null) : null
        const calledAt = new Date(yield* Clock.currentTimeMillis)
        const request: CommandRequest = {
          id,
          device: { id: device.id, manufacturerDeviceId: device.manufacturerDeviceId, type: device.type },
          type,
          input,
          revertAfter,
          state: device.state,
          snapshot,
          takenSince: isReset && snapshot !== null ? yield* repository.takenSince(device.id, mode!.beganAt) : [],
          // A command that is confirmed while the settings are read counts as taken since.
          saveSnapshot: (settings) =>
            Effect.asVoid(hideUnavailable(whileHeld(held, modes.saveSnapshot(begun, settings, calledAt))))
        }
        return yield* accounts
          .withAccount(
            accountId,
            (account, { sendCommand }) =>
              sendCommand === undefined
                ? Effect.fail(AdapterError.of("refused", "The manufacturer's adapter sends no commands"))
                : sendCommand(account, request),
            held
          )
          .pipe(
            Effect.timeoutOrElse({
              duration: `${commandLimits.callSeconds} seconds`,
              orElse: () => Effect.fail(AdapterError.of("unreachable", "The adapter took too long"))
            }),
            Effect.matchEffect({
              onSuccess: (result) => accepted(held, command, device, result),
              onFailure: (error) => (isAdapterError(error) ? failed(held, command, device, error) : Effect.fail(error))
            })
          )
      })

      const post = Effect.fnUntraced(function* (held: HeldDevice, command: DueCommand, device: CommandDevice) {
        const now = yield* Clock.currentTimeMillis
        const response = yield* manufacturers.post(command.workspaceId, device.manufacturer, toCommand(command))
        if (response === "absent") {
          yield* postponeHeld(held, command, now + commandLimits.noDestinationPauseSeconds * 1000)
          return done
        }
        const { accepted: isAccepted, retryAfter, transient, upstream } = response
        if (isAccepted) return yield* settle(held, command, "delivered", { upstream })
        if (transient) return yield* postpone(held, command, device.manufacturer, retryAfter, upstream, now)
        return yield* settle(held, command, "failed", { reason: "refused", upstream })
      })

      /** Why a command ends without a call. */
      const judge = Effect.fnUntraced(function* (
        held: HeldDevice,
        command: DueCommand,
        device: CommandDevice,
        mode: ForcedModeRow | undefined,
        now: number
      ) {
        const { input, source, type } = command
        const end = (reason: CommandReason) => settle(held, command, "failed", { reason })
        if (device.workspaceId !== command.workspaceId || device.disconnectedAt !== null) return end("unreachable")
        if (isModeCommand(command) && isOutranked(command, mode)) return end("overridden")
        if (source !== "user") {
          const writes = yield* repository.countAutomatic(device.id, new Date(now - HOUR))
          if (writes >= commandWritesPerHour) return end("quota_exhausted")
        }
        const unmet = unmetPrecondition(device, type, input, now)
        if (unmet !== undefined) return end(unmet)
        // Adapters compare the target with a state that they have just read. A direct device's state is only known here.
        const isForced = isForcedMode(type, input, command.revertAfter)
        if (!device.direct || isForced || !isAlreadySo(type, input, device.state)) return undefined
        const seenAt = presentSince(device, now)
        if (seenAt === undefined) return undefined
        // An earlier command may have yet to take effect.
        const { id } = command
        const isSettling = yield* repository.mayHaveChanged(device.id, id, new Date(seenAt), device.readingId!)
        return isSettling ? undefined : settle(held, command, "completed", { reason: "already_so" })
      })

      return {
        send: Effect.fn("CommandHandover.send")(function* (command, device, mode, held) {
          const now = yield* Clock.currentTimeMillis
          // Also one that a dead worker has left leased, which the sweep for time-outs leaves to whoever has the device.
          if (command.expiresAt.getTime() <= now) return yield* settle(held, command, "failed", { reason: "timeout" })
          // A dead worker's call may have had its effect, so it is repeated once and judged no more.
          const settled = command.isLeased ? undefined : yield* judge(held, command, device, mode, now)
          if (settled !== undefined) return yield* settled
          const accountId = device.direct ? null : device.accountId
          if (!device.direct && accountId === null)
            return yield* settle(held, command, "failed", { reason: "unreachable" })
          if (!(yield* held.isHeld)) return done
          const { id, deviceId } = command
          const interruptions = yield* take({ id, deviceId, claim: held.claim })
          if (interruptions === undefined) return done
          // Twice begun and never recorded: only the state or the time-out can tell.
          if (interruptions > 1) {
            yield* postponeHeld(held, command, command.expiresAt)
            return done
          }
          return yield* accountId === null ? post(held, command, device) : send(held, command, device, mode, accountId)
        })
      }
    })
  )
}
