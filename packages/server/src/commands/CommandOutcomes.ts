import type { Command } from "@edp/domain/commands/Command"
import { isForcedMode } from "@edp/domain/commands/commandInputs"
import type { CommandReason } from "@edp/domain/commands/CommandReason"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { joinedOn, transactionsOn } from "../platform/sql/transaction.ts"
import { makeIsolation } from "../platform/jobs/isolation.ts"
import { commandLimits } from "./commandLimits.ts"
import { TIME_OUTS } from "./commandWork.ts"
import { type CommandRow, toCommand } from "./commandRow.ts"
import { type CommandOutcome, CommandsRepository } from "./CommandsRepository.ts"
import { DeviceWorkRepository } from "./DeviceWorkRepository.ts"
import { type BegunMode, ForcedModesRepository } from "./ForcedModesRepository.ts"

type CommandEventType = "COMMAND_SUCCEEDED" | "COMMAND_FAILED" | "COMMAND_OVERRIDDEN" | "COMMAND_SCHEDULED"

const eventType = ({ reason, status }: CommandRow): CommandEventType | undefined => {
  if (status === "scheduled") return "COMMAND_SCHEDULED"
  if (status === "completed") return "COMMAND_SUCCEEDED"
  if (status !== "failed") return undefined
  return reason === "overridden" ? "COMMAND_OVERRIDDEN" : "COMMAND_FAILED"
}

/** The events of commands with new statuses; none for one that is stored or delivered. */
export const commandEvents = (rows: ReadonlyArray<CommandRow>, commands = rows.map(toCommand)) =>
  rows.flatMap((row, index) => {
    const type = eventType(row)
    const data = { command: commands[index]!, deviceId: row.deviceId }
    return type === undefined ? [] : [{ type, workspaceId: row.workspaceId, data }]
  })

const isModeCommand = ({ type }: CommandRow) => type.endsWith(":set-operating-mode")

/** A command that has reached the device, be it confirmed yet or not. */
const isAccepted = ({ deliveredAt, reason, status }: CommandRow) =>
  status === "delivered" || (status === "completed" && deliveredAt === null && reason !== "already_so")

const toBegunMode = ({ deviceId, id, input, revertAfter, source }: CommandRow, now: number): BegunMode => ({
  deviceId,
  commandId: id,
  mode: String(input["operatingMode"]),
  source,
  until: new Date(now + (revertAfter ?? commandLimits.longestModeSeconds) * 1000)
})

/** A result of a command, whoever reports it. */
export interface ReportedResult {
  readonly status: "completed" | "failed"
  readonly reason: CommandReason | null
}

/** Moves commands forward, each change in one transaction with its event. */
export class CommandOutcomes extends Context.Service<
  CommandOutcomes,
  {
    /**
     * Records what happened to open commands. A command that has ended keeps its status: a result that comes before the acceptance
     * settles it. Returns the commands that changed. Joins the caller's transaction.
     */
    readonly record: (
      outcomes: ReadonlyArray<CommandOutcome>
    ) => Effect.Effect<ReadonlyArray<Command>, DatabaseUnavailable>
    /** Keeps a result that arrived after the time-out; any other ended command stays as it is. */
    readonly recordLate: (id: string, result: ReportedResult) => Effect.Effect<boolean, DatabaseUnavailable>
    /** Fails commands whose time-out has passed. Returns how many. */
    readonly timeOut: Effect.Effect<number, DatabaseUnavailable>
    /** Milliseconds until the next time-out. */
    readonly nextTimeOut: Effect.Effect<number, DatabaseUnavailable>
  }
>()("@edp/server/CommandOutcomes") {
  static readonly layer = Layer.effect(
    CommandOutcomes,
    Effect.gen(function* () {
      const repository = yield* CommandsRepository
      const modes = yield* ForcedModesRepository
      const work = yield* DeviceWorkRepository
      const outbox = yield* EventOutbox
      const { commandTimeoutSeconds } = yield* ServerConfig
      const sql = yield* SqlClient.SqlClient
      const joined = joinedOn(sql)
      const transaction = transactionsOn(sql)
      const isolation = yield* makeIsolation(TIME_OUTS)

      /** Commands begin, extend, replace or abandon forced modes. */
      const changeModes = Effect.fnUntraced(function* (rows: ReadonlyArray<CommandRow>, now: number) {
        const at = new Date(now)
        const isForced = (row: CommandRow) => isForcedMode(row.type, row.input, row.revertAfter)
        const modeRows = rows.filter(isModeCommand)
        const asked = modeRows.filter((row) => row.reason === "already_so" && isForced(row))
        // The device was so without the platform, unless an earlier attempt or mode has changed it: only then there is something to restore.
        const changed = asked.length === 0 ? new Set() : yield* modes.unended(asked.map(({ deviceId }) => deviceId))
        const begun = modeRows
          .filter((row) => isForced(row) && (isAccepted(row) || (asked.includes(row) && changed.has(row.deviceId))))
          .map((row) => toBegunMode(row, now))
        const replaced = modeRows
          .filter((row) => !isForced(row) && (isAccepted(row) || row.reason === "already_so"))
          .map(({ deviceId }) => deviceId)
        const failed = rows.filter(({ status }) => status === "failed").map(({ id }) => id)
        if (begun.length > 0) yield* modes.hold(begun, at)
        if (replaced.length > 0) yield* modes.end(replaced, at)
        const abandoned = failed.length === 0 ? [] : yield* modes.abandon(failed, at)
        const due = [
          ...begun.map(({ deviceId, until }) => ({ deviceId, dueAt: until })),
          ...abandoned.map(({ deviceId }) => ({ deviceId, dueAt: at }))
        ]
        if (due.length > 0) yield* work.advance(due)
      })

      const record = Effect.fnUntraced(function* (outcomes: ReadonlyArray<CommandOutcome>) {
        if (outcomes.length === 0) return []
        const now = yield* Clock.currentTimeMillis
        const rows = yield* repository.settle(outcomes, new Date(now), commandTimeoutSeconds)
        if (rows.length < outcomes.length) yield* repository.release(outcomes)
        yield* changeModes(rows, now)
        const commands = rows.map(toCommand)
        yield* outbox.publish(commandEvents(rows, commands))
        return commands
      })

      const failOverdue = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, now: Date) {
        const overdue = yield* repository.holdOverdue(ids, now)
        yield* record(
          overdue.map(({ id, upstream }) => ({ id, status: "failed", reason: "timeout", output: null, upstream }))
        )
        return overdue.length
      }, transaction)

      return {
        record: Effect.fn("CommandOutcomes.record")((outcomes) => joined(record(outcomes))),
        recordLate: Effect.fn("CommandOutcomes.recordLate")(function* (id, result) {
          const at = new Date(yield* Clock.currentTimeMillis)
          return yield* repository.addLateResult(id, { ...result, at })
        }),
        nextTimeOut: repository.nextDeadline,
        timeOut: Effect.gen(function* () {
          const now = new Date(yield* Clock.currentTimeMillis)
          const overdue = yield* repository.overdue(now, commandLimits.timedOutTogether)
          return yield* isolation.runIds(overdue, (ids) => failOverdue(ids, now))
        }).pipe(Effect.withSpan("CommandOutcomes.timeOut"))
      }
    })
  )
}
