import type { CurrentKey } from "@edp/domain/auth/Authentication"
import {
  type BatchCommand,
  type BatchFilters,
  type CreateBatchCommand,
  SKIPPED_SHOWN
} from "@edp/domain/commands/BatchCommand"
import {
  type CollectionNotFound,
  InvalidState,
  NotFound,
  type SiteNotFound,
  type ValidationError
} from "@edp/domain/errors/ApiErrors"
import type { PageOf } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import { Ids } from "../../platform/Ids.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { paginate } from "../../platform/sql/lists.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { BatchCommandsRepository } from "./BatchCommandsRepository.ts"
import { BatchDevices, requireOneSelector } from "./BatchDevices.ts"
import { type BatchRow, openCommands, toBatch, toProgress, turn } from "./batchRow.ts"
import { BatchWatch } from "./BatchWatch.ts"
import { CommandIssuer } from "../issuing/CommandIssuer.ts"
import { checkedInput, commandTimes } from "../Commands.ts"
import { CommandTargets } from "../issuing/CommandTargets.ts"

type Caller = CurrentKey["Service"]

type NewBatch = Omit<BatchRow, "id" | "createdAt" | "skipped" | "skippedTotal" | "cancelledAt" | "aborted">

/** The same command for many devices. */
export class BatchCommands extends Context.Service<
  BatchCommands,
  {
    readonly create: (
      caller: Caller,
      request: CreateBatchCommand
    ) => Effect.Effect<BatchCommand, ValidationError | CollectionNotFound | SiteNotFound | DatabaseUnavailable>
    readonly list: (
      caller: Caller,
      query: Schema.Struct.Type<typeof BatchFilters>
    ) => Effect.Effect<PageOf<BatchCommand>, DatabaseUnavailable>
    readonly get: (caller: Caller, id: string) => Effect.Effect<BatchCommand, NotFound | DatabaseUnavailable>
    readonly cancel: (
      caller: Caller,
      id: string
    ) => Effect.Effect<BatchCommand, NotFound | InvalidState | DatabaseUnavailable>
    readonly retryFailed: (
      caller: Caller,
      id: string
    ) => Effect.Effect<BatchCommand, NotFound | InvalidState | DatabaseUnavailable>
  }
>()("@edp/server/BatchCommands") {
  static readonly layer = Layer.effect(
    BatchCommands,
    Effect.gen(function* () {
      const repository = yield* BatchCommandsRepository
      const devices = yield* BatchDevices
      const watch = yield* BatchWatch
      const targets = yield* CommandTargets
      const issuer = yield* CommandIssuer
      const ids = yield* Ids
      const { commandTimeoutSeconds } = yield* ServerConfig
      const transaction = transactionsOn(yield* SqlClient.SqlClient)

      const find = Effect.fnUntraced(function* (caller: Caller, id: string) {
        const row = yield* repository.get(caller.workspaceId, id)
        return row ?? (yield* new NotFound({}))
      })

      const read = Effect.fnUntraced(function* (caller: Caller, id: string) {
        const row = yield* find(caller, id)
        return toBatch(row, yield* repository.progress([id]))
      })

      /** Stores a batch with a command for each device that can execute it. */
      const store = Effect.fnUntraced(function* (batch: NewBatch, deviceIds: ReadonlyArray<string>, now: number) {
        const { expiresAt, input, maxPerMinute, revertAfter, scheduledFor, type, workspaceId } = batch
        const { able, skipped } = yield* targets.check(workspaceId, deviceIds, type, input)
        const row: BatchRow = {
          ...batch,
          id: ids.nextAt(now),
          skipped: skipped.slice(0, SKIPPED_SHOWN),
          skippedTotal: skipped.length,
          createdAt: new Date(now),
          cancelledAt: null,
          aborted: false
        }
        const begin = scheduledFor?.getTime() ?? now
        const commands = able.map((deviceId, index) => {
          const at = turn(begin, maxPerMinute, index)
          return {
            workspaceId,
            deviceId,
            type,
            input,
            source: "user" as const,
            sourceId: null,
            batchId: row.id,
            scheduledFor: scheduledFor === null ? null : at,
            notBefore: scheduledFor === null && maxPerMinute !== null ? at : null,
            expiresAt: expiresAt ?? new Date(at.getTime() + commandTimeoutSeconds * 1000),
            revertAfter
          }
        })
        const issued = yield* issuer.issue(commands, now).pipe(
          Effect.tap((stored) => repository.insert(row, stored.length)),
          transaction
        )
        yield* issuer.wake
        return toBatch(
          row,
          issued.map(({ reason = null, status }) => ({ status, reason, n: 1 }))
        )
      })

      return {
        create: Effect.fn("BatchCommands.create")(function* (caller, request) {
          const { abortWhen = null, maxPerMinute = null, revertAfter = null, type } = request
          yield* requireOneSelector(request)
          const input = yield* checkedInput(request)
          const now = yield* Clock.currentTimeMillis
          const { expiresAt, scheduledFor } = yield* commandTimes(request, now, commandTimeoutSeconds)
          const deviceIds = yield* devices.select(caller, request)
          const { workspaceId } = caller
          const times = { scheduledFor, expiresAt: request.expiresAt === undefined ? null : expiresAt }
          const batch = { ...times, workspaceId, type, input, revertAfter, maxPerMinute, abortWhen, retryOf: null }
          return yield* store(batch, deviceIds, now)
        }),
        list: Effect.fn("BatchCommands.list")(function* ({ workspaceId }, query) {
          const list = Effect.fnUntraced(function* (limit: number, offset: number) {
            const rows = yield* repository.list(workspaceId, limit, offset)
            const counted = Map.groupBy(yield* repository.progress(rows.map(({ id }) => id)), ({ batchId }) => batchId)
            return rows.map((row) => toBatch(row, counted.get(row.id) ?? []))
          })
          return yield* paginate(query, 10, list, repository.count(workspaceId))
        }),
        get: Effect.fn("BatchCommands.get")(read),
        cancel: Effect.fn("BatchCommands.cancel")(function* (caller, id) {
          const { status } = yield* read(caller, id)
          const now = new Date(yield* Clock.currentTimeMillis)
          const isOpen = status === "pending" || status === "running"
          if (!isOpen || !(yield* transaction(repository.markCancelled(id, now, false)))) {
            return yield* new InvalidState({ message: "The batch has ended" })
          }
          yield* watch.cancelRest(id)
          return yield* read(caller, id)
        }),
        retryFailed: Effect.fn("BatchCommands.retryFailed")(function* (caller, id) {
          const row = yield* find(caller, id)
          const open = openCommands(toProgress(yield* repository.progress([id])))
          if (open > 0) {
            return yield* new InvalidState({ message: `The batch has not ended: ${open} of its commands are open` })
          }
          const deviceIds = yield* repository.failedDevices(id)
          if (deviceIds.length === 0) return yield* new InvalidState({ message: "No command of the batch has failed" })
          const { abortWhen, input, maxPerMinute, revertAfter, type, workspaceId } = row
          const batch = { workspaceId, type, input, revertAfter, maxPerMinute, abortWhen, retryOf: id }
          const now = yield* Clock.currentTimeMillis
          return yield* store({ ...batch, scheduledFor: null, expiresAt: null }, deviceIds, now)
        })
      }
    })
  )
}
