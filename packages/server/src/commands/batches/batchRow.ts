import {
  type AbortWhen,
  type BatchCommand,
  type BatchStatus,
  type SkippedDevice
} from "@edp/domain/commands/BatchCommand"
import { CommandStatus, commandStatuses } from "@edp/domain/commands/CommandStatus"
import { CommandReason } from "@edp/domain/commands/CommandReason"
import { CommandSlug } from "@edp/domain/devices/DeviceType"
import type { CommandInput } from "../commandRow.ts"
import { JsonColumn } from "../../platform/sql/rows.ts"
import { Schema } from "effect"

export const BatchRow = Schema.Struct({
  id: Schema.String,
  workspaceId: Schema.String,
  type: CommandSlug,
  input: JsonColumn<CommandInput>(),
  scheduledFor: Schema.NullOr(Schema.Date),
  /** Null if it was not given: each command expires after its own turn. */
  expiresAt: Schema.NullOr(Schema.Date),
  revertAfter: Schema.NullOr(Schema.Finite),
  maxPerMinute: Schema.NullOr(Schema.Finite),
  abortWhen: Schema.NullOr(JsonColumn<typeof AbortWhen.Type>()),
  retryOf: Schema.NullOr(Schema.String),
  /** The first skipped devices. */
  skipped: Schema.Array(JsonColumn<SkippedDevice>()),
  skippedTotal: Schema.Finite,
  createdAt: Schema.Date,
  cancelledAt: Schema.NullOr(Schema.Date),
  aborted: Schema.Boolean
})
export type BatchRow = typeof BatchRow.Type

/** A number of commands of a batch. */
export const CommandCount = Schema.Struct({
  status: CommandStatus,
  reason: Schema.NullOr(CommandReason),
  n: Schema.Finite
})
export type CommandCount = typeof CommandCount.Type

type Progress = Pick<BatchCommand, "total" | "counts" | "reasons">

export const toProgress = (counted: ReadonlyArray<CommandCount>): Progress => {
  const sum = (some: ReadonlyArray<CommandCount>) => some.reduce((total, { n }) => total + n, 0)
  const reasons = [...new Set(counted.flatMap(({ reason }) => reason ?? []))]
  return {
    total: sum(counted),
    counts: Object.fromEntries(
      commandStatuses.map((status) => [status, sum(counted.filter((one) => one.status === status))])
    ) as BatchCommand["counts"],
    reasons: Object.fromEntries(
      reasons.toSorted().map((reason) => [reason, sum(counted.filter((one) => one.reason === reason))])
    )
  }
}

/** Commands that have neither completed nor failed. */
export const openCommands = ({ counts }: Progress) => counts.pending + counts.scheduled + counts.delivered

const toStatus = ({ cancelledAt }: BatchRow, progress: Progress): BatchStatus => {
  if (cancelledAt !== null) return "cancelled"
  if (openCommands(progress) === 0) return "completed"
  return progress.counts.pending + progress.counts.scheduled === progress.total ? "pending" : "running"
}

export const toBatch = (row: BatchRow, counted: ReadonlyArray<CommandCount>): BatchCommand => {
  const progress = toProgress(counted)
  return {
    id: row.id,
    status: toStatus(row, progress),
    type: row.type,
    input: row.input,
    ...progress,
    skipped: row.skipped,
    skippedTotal: row.skippedTotal,
    ...(row.scheduledFor !== null && { scheduledFor: row.scheduledFor.toISOString() }),
    ...(row.expiresAt !== null && { expiresAt: row.expiresAt.toISOString() }),
    ...(row.revertAfter !== null && { revertAfter: row.revertAfter }),
    ...(row.maxPerMinute !== null && { maxPerMinute: row.maxPerMinute }),
    ...(row.abortWhen !== null && { abortWhen: row.abortWhen }),
    aborted: row.aborted,
    ...(row.retryOf !== null && { retryOf: row.retryOf }),
    createdAt: row.createdAt.toISOString()
  }
}

/** Whether so many of the finished commands have failed that the rest is to be cancelled. */
export const isToAbort = (
  { afterAtLeast, failedPercent }: typeof AbortWhen.Type,
  { completed, failed }: { readonly completed: number; readonly failed: number }
): boolean => completed + failed >= afterAtLeast && failed * 100 >= failedPercent * (completed + failed)

/** The time at which each command of a batch is sent, evenly spread from the beginning. */
export const turn = (begin: number, maxPerMinute: number | null, index: number): Date =>
  new Date(maxPerMinute === null ? begin : begin + Math.floor((index * 60_000) / maxPerMinute))
