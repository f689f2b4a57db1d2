import type { Command, CommandSource, CommandTransition, Upstream } from "@edp/domain/commands/Command"
import type { CommandStatus } from "@edp/domain/commands/CommandStatus"
import type { CommandReason } from "@edp/domain/commands/CommandReason"
import type { ForcedMode } from "@edp/domain/devices/ForcedMode"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"

export type CommandInput = Readonly<Record<string, unknown>>

/** The settled result of a command in its JSON column; the time is in JSON's form. */
interface StoredLateResult {
  readonly status: "completed" | "failed"
  readonly reason: CommandReason | null
  readonly at: string
}

/** A command as it is stored, with the forced mode that it began. */
export interface CommandRow {
  readonly id: string
  readonly workspaceId: string
  readonly deviceId: string
  readonly type: CommandSlug
  readonly input: CommandInput
  readonly source: CommandSource
  readonly sourceId: string | null
  readonly batchId: string | null
  readonly status: CommandStatus
  readonly reason: CommandReason | null
  readonly issuedAt: Date
  readonly scheduledFor: Date | null
  readonly expiresAt: Date
  readonly revertAfter: number | null
  readonly deliveredAt: Date | null
  readonly executedAt: Date | null
  readonly output: CommandInput | null
  readonly upstream: Upstream | null
  readonly lateResult: StoredLateResult | null
  /** The device's forced mode if this command began it and it holds. */
  readonly forcedMode: ForcedMode | null
}

/** Columns of a `CommandRow`, for a statement that reads `commands c` with `forcedModeJoin`. */
export const commandColumns = `c.id, c.workspace_id AS "workspaceId", c.device_id AS "deviceId", c.type, c.input,
  c.source, c.source_id AS "sourceId", c.batch_id AS "batchId", c.status, c.reason, c.issued_at AS "issuedAt",
  c.scheduled_for AS "scheduledFor", c.expires_at AS "expiresAt", c.revert_after AS "revertAfter",
  c.delivered_at AS "deliveredAt", c.executed_at AS "executedAt", c.output, c.upstream, c.late_result AS "lateResult",
  (SELECT d.forced_mode FROM forced_modes f JOIN devices d ON d.id = f.device_id
    WHERE f.command_id = c.id) AS "forcedMode"`

const transitions = (row: CommandRow): ReadonlyArray<CommandTransition> => [
  { status: row.scheduledFor === null ? "pending" : "scheduled", at: row.issuedAt.toISOString() },
  ...(row.deliveredAt === null ? [] : [{ status: "delivered" as const, at: row.deliveredAt.toISOString() }]),
  ...(row.executedAt === null ? [] : [{ status: row.status, at: row.executedAt.toISOString() }])
]

const toLateResult = ({ at, reason, status }: StoredLateResult) => ({
  status,
  ...(reason !== null && { reason }),
  at: new Date(at).toISOString()
})

export const toCommand = (row: CommandRow): Command => ({
  id: row.id,
  status: row.status,
  ...(row.reason !== null && { reason: row.reason }),
  type: row.type,
  source: row.source,
  ...(row.sourceId !== null && { sourceId: row.sourceId }),
  issuedAt: row.issuedAt.toISOString(),
  ...(row.executedAt !== null && { executedAt: row.executedAt.toISOString() }),
  input: row.input,
  output: row.output,
  upstream: row.upstream,
  deviceId: row.deviceId,
  ...(row.scheduledFor !== null && { scheduledFor: row.scheduledFor.toISOString() }),
  expiresAt: row.expiresAt.toISOString(),
  ...(row.revertAfter !== null && { revertAfter: row.revertAfter }),
  ...(row.batchId !== null && { batchId: row.batchId }),
  transitions: transitions(row),
  ...(row.lateResult !== null && { lateResult: toLateResult(row.lateResult) }),
  ...(row.forcedMode !== null && { forcedMode: row.forcedMode })
})
