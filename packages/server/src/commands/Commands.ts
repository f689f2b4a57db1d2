import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { decodeCommandInput, mayRevert, restrictions } from "@edp/domain/commands/commandInputs"
import type { CommandPreview } from "@edp/domain/commands/CommandPreview"
import type { Command, CommandFilters, DeviceCommandFilters, SendCommand } from "@edp/domain/commands/Command"
import {
  type DeviceNotFound,
  Forbidden,
  InvalidState,
  NotFound,
  type ValidationError,
  invalid
} from "@edp/domain/errors/ApiErrors"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import { Clock, Context, Effect, Layer, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { readable } from "../devices/Devices.ts"
import { isInScope } from "../devices/deviceSelection.ts"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { type CursorList, paginateById } from "../platform/sql/lists.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { readCommandDevices, inability } from "./issuing/CommandTargets.ts"
import { CommandIssuer } from "./issuing/CommandIssuer.ts"
import { CommandOutcomes } from "./CommandOutcomes.ts"
import { toCommand } from "./commandRow.ts"
import { forecast } from "./preview/forecast.ts"
import { readHomes } from "./preview/HomeReadingsTable.ts"
import { type CommandSelection, CommandsRepository } from "./CommandsRepository.ts"

type Caller = CurrentKey["Service"]
type CommandQuery = Schema.Struct.Type<typeof CommandFilters>

const instant = (text: string | undefined) => (text === undefined ? undefined : parseTimestamp(text))

export type CommandList = CursorList<Command>

/** A command may be scheduled this far ahead, in milliseconds. */
const HORIZON = 366 * 86_400_000

export interface CommandTimes {
  readonly scheduledFor: Date | null
  readonly expiresAt: Date
}

/** The times of a request, by its rules: in the future, the expiry after the beginning. */
export const commandTimes = (
  { expiresAt, scheduledFor }: Pick<SendCommand, "scheduledFor" | "expiresAt">,
  now: number,
  timeoutSeconds: number
): Effect.Effect<CommandTimes, ValidationError> => {
  const begin = scheduledFor === undefined ? now : parseTimestamp(scheduledFor)!
  const end = expiresAt === undefined ? begin + timeoutSeconds * 1000 : parseTimestamp(expiresAt)!
  const problems = {
    ...(scheduledFor !== undefined && begin <= now && { scheduledFor: "Must be in the future" }),
    ...(begin > now + HORIZON && { scheduledFor: "Must be at most 366 days ahead" }),
    ...(end <= begin && {
      expiresAt: scheduledFor === undefined ? "Must be in the future" : "Must be after scheduledFor"
    }),
    ...(end > begin + HORIZON && { expiresAt: "Must be at most 366 days after the beginning" })
  }
  if (Object.keys(problems).length > 0) return Effect.fail(invalid(problems))
  return Effect.succeed({
    scheduledFor: scheduledFor === undefined ? null : new Date(begin),
    expiresAt: new Date(end)
  })
}

/** Checks the input of a request by its type, and whether it may revert. */
export const checkedInput = Effect.fnUntraced(function* ({
  input,
  revertAfter,
  type
}: Pick<SendCommand, "type" | "input" | "revertAfter">) {
  const decoded = yield* Effect.mapError(decodeCommandInput(type, input), invalid)
  if (revertAfter !== undefined && !mayRevert(type, decoded)) {
    return yield* invalid({ revertAfter: "Must be absent: the command does not force a mode that could end" })
  }
  return decoded as Readonly<Record<string, unknown>>
})

/** Commands of callers and their status. */
export class Commands extends Context.Service<
  Commands,
  {
    readonly send: (
      caller: Caller,
      deviceId: string,
      request: SendCommand
    ) => Effect.Effect<Command, ValidationError | DeviceNotFound | Forbidden | InvalidState | DatabaseUnavailable>
    /** The effect that a command would have; it fails as the command would. */
    readonly preview: (
      caller: Caller,
      deviceId: string,
      request: SendCommand
    ) => Effect.Effect<
      CommandPreview,
      ValidationError | DeviceNotFound | Forbidden | InvalidState | DatabaseUnavailable
    >
    readonly list: (
      caller: Caller,
      query: CommandQuery
    ) => Effect.Effect<CommandList, ValidationError | DatabaseUnavailable>
    readonly listForDevice: (
      caller: Caller,
      deviceId: string,
      query: Schema.Struct.Type<typeof DeviceCommandFilters>
    ) => Effect.Effect<CommandList, ValidationError | DeviceNotFound | Forbidden | DatabaseUnavailable>
    readonly get: (caller: Caller, id: string) => Effect.Effect<Command, NotFound | Forbidden | DatabaseUnavailable>
    readonly cancel: (
      caller: Caller,
      id: string
    ) => Effect.Effect<Command, NotFound | InvalidState | DatabaseUnavailable>
  }
>()("@edp/server/Commands") {
  static readonly layer = Layer.effect(
    Commands,
    Effect.gen(function* () {
      const repository = yield* CommandsRepository
      const readDevices = yield* readCommandDevices
      const homes = yield* readHomes
      const issuer = yield* CommandIssuer
      const outcomes = yield* CommandOutcomes
      const { commandTimeoutSeconds } = yield* ServerConfig
      const transaction = transactionsOn(yield* SqlClient.SqlClient)

      const findDevice = (caller: Caller, id: string) =>
        Effect.flatMap(readDevices([id]), ([device]) => readable(caller, id, device))

      const find = Effect.fnUntraced(function* (caller: Caller, id: string) {
        const row = yield* repository.get(caller.workspaceId, id)
        return row ?? (yield* new NotFound({}))
      })

      const read = (
        { from, to, ...query }: CommandQuery,
        place: Pick<CommandSelection, "workspaceId" | "deviceId">
      ) => {
        const selection = { ...query, ...place, from: instant(from), to: instant(to) }
        return paginateById(
          query,
          (window) => Effect.map(repository.list(selection, window), (rows) => rows.map(toCommand)),
          repository.count(selection)
        )
      }

      const check = Effect.fnUntraced(function* (caller: Caller, deviceId: string, request: SendCommand) {
        const device = yield* findDevice(caller, deviceId)
        const input = yield* checkedInput(request)
        const now = yield* Clock.currentTimeMillis
        const times = yield* commandTimes(request, now, commandTimeoutSeconds)
        const unable = inability(device, request.type, input, now)
        if (unable !== undefined) return yield* new InvalidState({ message: unable })
        const limits = restrictions(request.type, input, device)
        if (Object.keys(limits).length > 0) return yield* invalid(limits)
        return { device, input, now, times }
      })

      return {
        preview: Effect.fn("Commands.preview")(function* (caller, deviceId, request) {
          const { device, input, now } = yield* check(caller, deviceId, request)
          const readings = device.type === "battery" ? yield* homes([deviceId]) : []
          return forecast(request.type, input, device, readings, now)
        }),
        send: Effect.fn("Commands.send")(function* (caller, deviceId, request) {
          const { revertAfter = null, type } = request
          const { input, now, times } = yield* check(caller, deviceId, request)
          const issued = { ...times, deviceId, type, input, revertAfter, workspaceId: caller.workspaceId }
          const [command] = yield* issuer.issue(
            [{ ...issued, source: "user", sourceId: null, batchId: null, notBefore: null }],
            now
          )
          yield* issuer.wake
          return command ?? (yield* new InvalidState({ message: "The device was deleted" }))
        }),
        list: Effect.fn("Commands.list")((caller, query) => read(query, { workspaceId: caller.workspaceId })),
        listForDevice: Effect.fn("Commands.listForDevice")(function* (caller, deviceId, query) {
          yield* findDevice(caller, deviceId)
          return yield* read(query, { workspaceId: caller.workspaceId, deviceId: [deviceId] })
        }),
        get: Effect.fn("Commands.get")(function* (caller, id) {
          const row = yield* find(caller, id)
          if (caller.type === "SCOPED") {
            const [device] = yield* readDevices([row.deviceId])
            if (device === undefined || !isInScope(caller, device.id, device)) return yield* new Forbidden({})
          }
          return toCommand(row)
        }),
        cancel: Effect.fn("Commands.cancel")(function* (caller, id) {
          yield* find(caller, id)
          if (yield* repository.holdCancellable(caller.workspaceId, id)) {
            const [command] = yield* outcomes.record([
              { id, status: "failed", reason: "cancelled", output: null, upstream: null }
            ])
            if (command !== undefined) return command
          }
          return yield* new InvalidState({ message: "Only a pending or scheduled command can be cancelled" })
        }, transaction)
      }
    })
  )
}
