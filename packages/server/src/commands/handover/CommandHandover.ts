import type { CommandReason } from "@edp/domain/commands/CommandReason"
import { decodeCommandOutput } from "@edp/domain/commands/commandOutputs"
import { isForcedMode } from "@edp/domain/commands/commandInputs"
import { commandSources } from "@edp/domain/commands/Command"
import { Clock, Effect, Random, Result } from "effect"
import { Accounts } from "../../accounts/Accounts.ts"
import { AdapterError, isAdapterError, isTransient } from "@edp/adapter-kit/AdapterError"
import { isAlreadySo } from "@edp/domain/commands/confirmByState"
import type { CommandRequest, CommandResult } from "@edp/adapter-kit/ManufacturerAdapter"
import { ManufacturerCommands } from "../../destinations/delivery/ManufacturerCommands.ts"
import { batchedLookup } from "../../platform/batching/batched.ts"
import { issuedAt } from "../../platform/Ids.ts"
import { hideUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import { commandLimits } from "../commandLimits.ts"
import { type CommandDevice, toCommand } from "../commandRow.ts"
import { type CommandOutcome, CommandsRepository, type DueCommand, type TakenCommand } from "../CommandsRepository.ts"
import { type DeviceChange, type HeldDevice, HeldDevices } from "./HeldDevices.ts"
import { type ForcedModeRow, ForcedModesRepository } from "../ForcedModesRepository.ts"
import {
  failureReason,
  handoverPause,
  localManufacturers,
  unmetPrecondition,
  storedOutput,
  storedUpstream
} from "./handoverRules.ts"

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
  /** The claim of the device has ended with the record of its last command. */
  readonly isReleased: boolean
}

/** The forced mode of a device; undefined if it has none. */
interface KnownMode {
  readonly mode: ForcedModeRow | undefined
}

/** The outcome of an attempt to send a command. */
interface Attempt extends Partial<Omit<HandoverEffect, "isReleased">> {
  readonly change: Pick<DeviceChange, "outcome" | "postponed">
  /** The account is read soon after it. */
  readonly isRead?: boolean
}

const unchanged: HandoverEffect = { elsewhere: null, pausedUntil: null, isReleased: false }

const settled = (
  { id }: DueCommand,
  status: CommandOutcome["status"],
  more: Partial<Omit<CommandOutcome, "id" | "status">> = {}
): Attempt => ({
  change: { outcome: { id, status, reason: null, output: null, upstream: null, sentInput: null, ...more } }
})

const postponed = (
  { id }: DueCommand,
  dueAt: number | Date,
  isAttempt = false,
  upstream: CommandResult["upstream"] = null
): Attempt => ({ change: { postponed: { id, dueAt: new Date(dueAt), isAttempt, upstream } } })

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

/**
 * Sends commands to manufacturers and devices, and records what becomes of it. Commands of different devices that are sent at the same
 * time share their statements.
 */
export const CommandHandover = Effect.gen(function* () {
  const repository = yield* CommandsRepository
  const heldDevices = yield* HeldDevices
  const modes = yield* ForcedModesRepository
  const accounts = yield* Accounts
  const manufacturers = yield* ManufacturerCommands
  const { commandWritesPerHour } = yield* ServerConfig
  const local = localManufacturers(yield* accounts.manufacturers)
  const now = Clock.currentTimeMillis

  const findMode = yield* batchedLookup(
    (ids: ReadonlyArray<string>) =>
      Effect.map(modes.byDevices(ids), (rows) => new Map(rows.map((mode) => [mode.deviceId, mode]))),
    (id) => id
  )
  const automaticWrites = yield* batchedLookup(
    (ids: ReadonlyArray<string>) => Effect.flatMap(now, (at) => repository.countAutomatic(ids, new Date(at - HOUR))),
    (id) => id
  )
  const takenSince = yield* batchedLookup(repository.takenSince, ({ deviceId }) => deviceId)
  const take = yield* batchedLookup(
    (wanted: ReadonlyArray<TakenCommand>) =>
      Effect.map(
        repository.take(wanted, new Date(Math.max(...wanted.map(({ at }) => at)))),
        (taken) => new Map(taken.map(({ id, interruptions }) => [id, interruptions]))
      ),
    ({ id }) => id
  )

  /** An attempt after the expiry would be in vain; the time-out comes first. */
  const again = Effect.fnUntraced(function* (
    command: DueCommand,
    manufacturer: string,
    askedMs: number | undefined,
    upstream: CommandResult["upstream"]
  ) {
    const pause = handoverPause(command.attempts + 1, yield* Random.next, local.has(manufacturer), askedMs)
    return postponed(command, (yield* now) + pause, true, upstream)
  })

  const accepted = Effect.fnUntraced(function* (command: DueCommand, device: CommandDevice, result: CommandResult) {
    const { reason, status } = result
    const upstream = storedUpstream(result.upstream)
    const decoded = decodeCommandOutput(command.type, status, storedOutput(result.output))
    if (Result.isFailure(decoded)) {
      const problems = Object.entries(decoded.failure).map(([field, problem]) => `${field}: ${problem}`)
      yield* Effect.logWarning(`The adapter of ${device.manufacturer} gave a wrong output: ${problems.join("; ")}`)
      return settled(command, "failed", { reason: "refused", upstream })
    }
    const output = decoded.success
    const sentInput = storedOutput(result.sentInput ?? null)
    return {
      ...settled(command, status === "accepted" ? "delivered" : "completed", {
        reason,
        output,
        upstream,
        sentInput
      }),
      // Polled devices would show it only at their next turn, which is far off for one that could not be reached.
      isRead: status === "accepted" || command.attempts > 0
    }
  })

  const failed = Effect.fnUntraced(function* (
    command: DueCommand,
    { manufacturer }: CommandDevice,
    error: AdapterError
  ) {
    const at = yield* now
    const { failure, retryAt } = error
    const upstream = storedUpstream(error.upstream)
    if (failure === "elsewhere") return { ...postponed(command, at), elsewhere: { holder: error.holder } }
    // The obstacle shows at the device with the next reading.
    const isRead = error.intervention !== null
    const isLimit = failure === "throttled" || failure === "quota_exhausted"
    const isLate = retryAt !== null && retryAt >= command.expiresAt.getTime()
    if (!isTransient(error) || (isLimit && isLate)) {
      return { ...settled(command, "failed", { reason: failureReason(error), upstream }), isRead }
    }
    // The manufacturer has not been called when the platform's own count is full.
    if (isLimit && upstream === null && retryAt !== null) {
      // The counts are kept by the database's clock, which may be behind.
      const later = Math.max(retryAt, at + commandLimits.noCallPauseMs)
      return { ...postponed(command, later), pausedUntil: later, isRead }
    }
    return {
      ...(yield* again(command, manufacturer, retryAt === null ? undefined : retryAt - at, upstream)),
      isRead
    }
  })

  const callAdapter = Effect.fnUntraced(function* (
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
    const calledAt = new Date(yield* now)
    const taken =
      isReset && snapshot !== null ? yield* takenSince({ deviceId: device.id, since: mode!.beganAt }) : undefined
    const request: CommandRequest = {
      id,
      device: { id: device.id, manufacturerDeviceId: device.manufacturerDeviceId, type: device.type },
      type,
      input,
      revertAfter,
      state: device.state,
      snapshot,
      takenSince: taken ?? [],
      // A command that is confirmed while the settings are read counts as taken since.
      saveSnapshot: (settings) =>
        hideUnavailable(heldDevices.record(held, { snapshot: { begun, snapshot: settings, at: calledAt } }))
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
          onSuccess: (result) => accepted(command, device, result),
          onFailure: (error) => (isAdapterError(error) ? failed(command, device, error) : Effect.fail(error))
        })
      )
  })

  const post = Effect.fnUntraced(function* (command: DueCommand, { manufacturer }: CommandDevice) {
    const response = yield* manufacturers.post(command.workspaceId, manufacturer, toCommand(command))
    if (response === "absent") {
      return postponed(command, (yield* now) + commandLimits.noDestinationPauseSeconds * 1000)
    }
    const { accepted: isAccepted, retryAfter, transient, upstream } = response
    if (isAccepted) return settled(command, "delivered", { upstream })
    if (transient) return yield* again(command, manufacturer, retryAfter, upstream)
    return settled(command, "failed", { reason: "refused", upstream })
  })

  /** Why a command ends without a call. */
  const judge = Effect.fnUntraced(function* (
    command: DueCommand,
    device: CommandDevice,
    mode: ForcedModeRow | undefined,
    at: number
  ) {
    const { id, input, source, type } = command
    const end = (reason: CommandReason) => settled(command, "failed", { reason })
    if (device.workspaceId !== command.workspaceId || device.disconnectedAt !== null) return end("unreachable")
    if (isModeCommand(command) && isOutranked(command, mode)) return end("overridden")
    if (source !== "user" && ((yield* automaticWrites(device.id)) ?? 0) >= commandWritesPerHour) {
      return end("quota_exhausted")
    }
    const unmet = unmetPrecondition(device, type, input, at)
    if (unmet !== undefined) return end(unmet)
    // Adapters compare the target with a state that they have just read. A direct device's state is only known here.
    const isForced = isForcedMode(type, input, command.revertAfter)
    if (!device.direct || isForced || !isAlreadySo(type, input, device.state)) return undefined
    const seenAt = presentSince(device, at)
    if (seenAt === undefined) return undefined
    // An earlier command may have yet to take effect.
    const isSettling = yield* repository.mayHaveChanged(device.id, id, new Date(seenAt), device.readingId!)
    return isSettling ? undefined : settled(command, "completed", { reason: "already_so" })
  })

  /** Undefined if there is nothing to record: the claim is lost, the process stops, or the command has ended meanwhile. */
  const sendNow = Effect.fnUntraced(function* (
    command: DueCommand,
    device: CommandDevice,
    held: HeldDevice,
    mode: ForcedModeRow | undefined
  ) {
    if (!(yield* held.mayBegin)) return undefined
    const { deviceId, expiresAt, id } = command
    const interruptions = yield* take({ id, deviceId, claim: held.claim, at: yield* now })
    if (interruptions === undefined) return undefined
    // Twice begun and never recorded: only the state or the time-out can tell.
    if (interruptions > 1) return postponed(command, expiresAt)
    return yield* device.direct ? post(command, device) : callAdapter(held, command, device, mode, device.accountId!)
  })

  const attempt = Effect.fnUntraced(function* (
    command: DueCommand,
    device: CommandDevice,
    held: HeldDevice,
    known: KnownMode | undefined
  ) {
    const at = yield* now
    const { deviceId, expiresAt, isLeased } = command
    // Also one that a dead worker has left leased, which the sweep for time-outs leaves to whoever has the device.
    if (expiresAt.getTime() <= at) return settled(command, "failed", { reason: "timeout" })
    const mode = known === undefined ? yield* findMode(deviceId) : known.mode
    // A dead worker's call may have had its effect, so it is repeated once and judged no more.
    const judged = isLeased ? undefined : yield* judge(command, device, mode, at)
    if (judged !== undefined) return judged
    if (!device.direct && device.accountId === null) return settled(command, "failed", { reason: "unreachable" })
    return yield* heldDevices.call(device.manufacturer, sendNow(command, device, held, mode))
  })

  return {
    /** The record of the last command of a device ends the claim. A mode that has just been read is not read again. */
    send: Effect.fnUntraced(function* (
      command: DueCommand,
      device: CommandDevice,
      held: HeldDevice,
      { isLast, known }: { readonly isLast: boolean; readonly known: KnownMode | undefined }
    ) {
      const made: Attempt | undefined = yield* attempt(command, device, held, known)
      if (made === undefined) return unchanged
      const { change, elsewhere = null, isRead, pausedUntil = null } = made
      const isReleased = isLast && elsewhere === null
      yield* heldDevices.record(held, {
        ...change,
        ...(isReleased && { released: { avoided: false, leftTo: null } })
      })
      if (isRead === true && device.accountId !== null) {
        yield* accounts.scheduleRead(device.accountId, commandLimits.firstReadingSeconds)
      }
      return { elsewhere, pausedUntil, isReleased } satisfies HandoverEffect
    })
  }
})
