import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { Command, CommandResult, Upstream } from "@edp/domain/commands/Command"
import { decodeCommandOutput } from "@edp/domain/commands/commandOutputs"
import type { CommandReason } from "@edp/domain/commands/CommandReason"
import type { DirectCommandFilters } from "@edp/domain/direct-integration/DirectCommandsApi"
import { InvalidState, NotFound, type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import { makePage } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ManufacturerCommands } from "../../destinations/delivery/ManufacturerCommands.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { decodeIdCursor, encodeCursor, refusePageWithCursor, anyOf, limited } from "../../platform/sql/lists.ts"
import { transactionsOn, query } from "../../platform/sql/transaction.ts"
import { DirectDevices, pushable, type Refusal } from "../../readings/ingest/DirectDevices.ts"
import { CommandOutcomes } from "../CommandOutcomes.ts"
import { CommandRow, toCommand, commandColumns } from "../commandRow.ts"
import type { CommandList } from "../Commands.ts"
import { CommandsRepository } from "../CommandsRepository.ts"
import { IdRow, queryCount, queryRows } from "../../platform/sql/rows.ts"

/** The commands of a direct device that its manufacturer may take. */
export interface WaitingCommands {
  readonly deviceId: string
  /** Whether commands that a worker has leased count, too: a worker sends none where there is no destination. */
  readonly includesLeased: boolean
  readonly now: Date
}

const HoldRow = Schema.Struct({ ...CommandRow.fields, dueAt: Schema.Date, handedAt: Schema.NullOr(Schema.Date) })

const statements = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(commandColumns)

  /**
   * Delivered ones, and undelivered ones that a worker has judged. It is not waited for with a caller's own commands: nothing
   * outranks them.
   */
  const waiting = ({ deviceId, includesLeased, now }: WaitingCommands) => sql`c.device_id = ${deviceId}
    AND c.status IN ('pending', 'scheduled', 'delivered') AND c.deadline > ${now}
    AND (c.status = 'delivered' OR ((c.handed_at IS NOT NULL OR (c.source = 'user' AND c.due_at <= ${now}))
      AND (NOT c.in_hand OR ${includesLeased})))`

  return {
    list: (commands: WaitingCommands, after: string | undefined, limit: number, offset: number) =>
      queryRows(CommandRow)(sql`SELECT ${columns} FROM commands c WHERE ${waiting(commands)}
          ${after === undefined ? sql`` : sql`AND c.id > ${after}`}
        ORDER BY c.id ${limited(sql, limit, offset)}`),
    count: (commands: WaitingCommands) =>
      queryCount(sql`SELECT count(*)::int AS n FROM commands c WHERE ${waiting(commands)}`),
    /** For a transaction: locks a device's work, as whoever changes its commands does first. */
    holdWork: (deviceId: string) => query(sql`SELECT FROM device_work WHERE device_id = ${deviceId} FOR UPDATE`),
    /** For a transaction: those of the commands that still wait and are not delivered yet. */
    holdUndelivered: (commands: WaitingCommands, ids: ReadonlyArray<string>) =>
      queryRows(IdRow)(sql`SELECT c.id FROM commands c
        WHERE ${waiting(commands)} AND c.status <> 'delivered' AND c.id = ${anyOf(sql, ids)} ORDER BY c.id FOR UPDATE`),
    /** For a transaction: locks a command of a device. */
    hold: (deviceId: string, id: string) =>
      queryRows(HoldRow)(sql`SELECT ${columns},
            c.due_at AS "dueAt", c.handed_at AS "handedAt" FROM commands c
          WHERE c.id = ${id} AND c.device_id = ${deviceId} FOR UPDATE OF c`).pipe(Effect.map(([row]) => row))
  }
})

type Caller = CurrentKey["Service"]

const completeUpstream = (upstream: CommandResult["upstream"]): Upstream | null =>
  upstream === undefined
    ? null
    : {
        statusCode: upstream.statusCode ?? null,
        errorCode: upstream.errorCode ?? null,
        errorMessage: upstream.errorMessage ?? null,
        requestId: upstream.requestId ?? null
      }

interface Reported {
  readonly status: "completed" | "failed"
  readonly reason: CommandReason | null
}

/** The result that a command has, be it late or not. */
const knownResult = ({ lateResult, reason, status }: CommandRow): Reported | null =>
  lateResult ?? (status === "completed" || status === "failed" ? { status, reason } : null)

/** Commands of direct devices, as their manufacturers take them and report their results. */
export class DirectCommands extends Context.Service<
  DirectCommands,
  {
    readonly take: (
      caller: Caller,
      deviceId: string,
      query: Schema.Struct.Type<typeof DirectCommandFilters>
    ) => Effect.Effect<CommandList, ValidationError | Refusal | DatabaseUnavailable>
    readonly report: (
      caller: Caller,
      deviceId: string,
      commandId: string,
      result: CommandResult
    ) => Effect.Effect<Command, ValidationError | Refusal | NotFound | InvalidState | DatabaseUnavailable>
  }
>()("@edp/server/DirectCommands") {
  static readonly layer = Layer.effect(
    DirectCommands,
    Effect.gen(function* () {
      const devices = yield* DirectDevices
      const repository = yield* statements
      const commands = yield* CommandsRepository
      const outcomes = yield* CommandOutcomes
      const manufacturers = yield* ManufacturerCommands
      const transaction = transactionsOn(yield* SqlClient.SqlClient)

      const find = (caller: Caller, id: string) =>
        Effect.flatMap(devices.find({ ids: [id], references: [] }), ({ byId }) => pushable(caller, byId(id)))

      const deliver = (waiting: WaitingCommands, ids: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          yield* repository.holdWork(waiting.deviceId)
          const held = yield* repository.holdUndelivered(waiting, ids)
          yield* commands.recordHandover(
            held.map(({ id }) => id),
            new Date(yield* Clock.currentTimeMillis)
          )
          yield* outcomes.record(
            held.map(({ id }) => ({ id, status: "delivered", reason: null, output: null, upstream: null }))
          )
        }).pipe(transaction)

      /** The commands that wait, delivered from now on; not those that have ended in this moment. */
      const delivered = Effect.fnUntraced(function* (waiting: WaitingCommands, found: ReadonlyArray<CommandRow>) {
        const undelivered = found.filter(({ status }) => status !== "delivered").map(({ id }) => id)
        if (undelivered.length === 0) return found
        yield* deliver(waiting, undelivered)
        const rows = yield* commands.byIds(found.map(({ id }) => id))
        return rows.filter(({ status }) => status === "delivered")
      })

      return {
        take: Effect.fn("DirectCommands.take")(function* (caller, deviceId, query) {
          yield* refusePageWithCursor(query)
          const { cursor, page = 1, perPage = 10 } = query
          const after = yield* decodeIdCursor(cursor)
          const { manufacturer } = yield* find(caller, deviceId)
          const now = new Date(yield* Clock.currentTimeMillis)
          const includesLeased = !(yield* manufacturers.exists(caller.workspaceId, manufacturer))
          const waiting = { deviceId, includesLeased, now }
          const offset = after === undefined ? (page - 1) * perPage : 0
          const found = yield* repository.list(waiting, after, perPage + 1, offset)
          const shown = found.slice(0, perPage)
          const next = found.length > perPage ? encodeCursor([shown.at(-1)!.id]) : undefined
          const data = (yield* delivered(waiting, shown)).map(toCommand)
          if (after !== undefined) return { body: { data, perPage }, next }
          const total = yield* repository.count(waiting)
          return { body: makePage(data, page, perPage, total), next }
        }),
        report: Effect.fn("DirectCommands.report")(function* (caller, deviceId, commandId, result) {
          const { output = null, reason, status } = result
          if (reason !== undefined && status !== "failed") {
            return yield* invalid({ reason: "Must be absent unless status is failed" })
          }
          yield* find(caller, deviceId)
          const reported: Reported = { status, reason: status === "failed" ? (reason ?? "refused") : null }
          return yield* Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            yield* repository.holdWork(deviceId)
            const row = yield* repository.hold(deviceId, commandId)
            if (row === undefined || row.workspaceId !== caller.workspaceId) return yield* new NotFound({})
            const decoded = decodeCommandOutput(row.type, status, output)
            if (Result.isFailure(decoded)) return yield* invalid(decoded.failure)
            const known = knownResult(row)
            if (known?.status === reported.status && known.reason === reported.reason) return toCommand(row)
            if (row.reason === "timeout" && row.lateResult === null) {
              yield* outcomes.recordLate(commandId, reported)
              return toCommand((yield* commands.byIds([commandId]))[0]!)
            }
            if (known !== null) return yield* new InvalidState({ message: "The command has ended with another result" })
            if (row.status !== "delivered" && row.handedAt === null && row.dueAt.getTime() > now) {
              return yield* new InvalidState({ message: "The command is not due yet" })
            }
            const upstream = completeUpstream(result.upstream)
            const [settled] = yield* outcomes.record([
              { id: commandId, ...reported, output: decoded.success, upstream }
            ])
            return settled!
          }).pipe(transaction)
        })
      }
    })
  )
}
