import { type Command, CommandSource, type CommandTransition, type Upstream } from "@edp/domain/commands/Command"
import { CommandStatus } from "@edp/domain/commands/CommandStatus"
import type { CommandNote } from "@edp/domain/commands/CommandNote"
import { CommandReason } from "@edp/domain/commands/CommandReason"
import { confirmingFields } from "@edp/domain/commands/confirmByState"
import type { ForcedMode } from "@edp/domain/devices/ForcedMode"
import { CommandSlug, DeviceType } from "@edp/domain/devices/DeviceType"
import { JsonColumn } from "../platform/sql/rows.ts"
import { Schema } from "effect"
import { selectList } from "../platform/sql/selectList.ts"
import type { Intervention } from "@edp/domain/devices/Intervention"

export type CommandInput = Readonly<Record<string, unknown>>

/** The settled result of a command in its JSON column; the time is in JSON's form. */
export interface StoredLateResult {
  readonly status: "completed" | "failed"
  readonly reason: CommandReason | null
  readonly at: string
}

/** The modes with which a device does something that its state shows, by the type of the command. */
export const effectiveModes: Readonly<Partial<Record<CommandSlug, ReadonlyArray<string>>>> = {
  "battery:set-operating-mode": ["charge", "discharge"],
  "charger:set-operating-mode": ["start-charging"],
  "vehicle:set-operating-mode": ["start-charging"],
  "thermostat:set-operating-mode": ["heat", "cool", "auto"]
}

/** A command as it is stored, with the forced mode that it began. */
export const CommandRow = Schema.Struct({
  id: Schema.String,
  workspaceId: Schema.String,
  deviceId: Schema.String,
  type: CommandSlug,
  input: JsonColumn<CommandInput>(),
  source: CommandSource,
  sourceId: Schema.NullOr(Schema.String),
  batchId: Schema.NullOr(Schema.String),
  status: CommandStatus,
  reason: Schema.NullOr(CommandReason),
  note: Schema.NullOr(JsonColumn<CommandNote>()),
  issuedAt: Schema.Date,
  scheduledFor: Schema.NullOr(Schema.Date),
  expiresAt: Schema.Date,
  revertAfter: Schema.NullOr(Schema.Finite),
  deliveredAt: Schema.NullOr(Schema.Date),
  executedAt: Schema.NullOr(Schema.Date),
  output: Schema.NullOr(JsonColumn<CommandInput>()),
  upstream: Schema.NullOr(JsonColumn<Upstream>()),
  lateResult: Schema.NullOr(JsonColumn<StoredLateResult>()),
  /** The device's forced mode if this command began it and it holds. */
  forcedMode: Schema.NullOr(JsonColumn<ForcedMode>())
})
export type CommandRow = typeof CommandRow.Type

/** Columns of a `CommandRow`, for a statement that reads `commands c` with `forcedModeJoin`. */
export const commandColumns = selectList(
  CommandRow,
  {
    forcedMode:
      "(SELECT d.forced_mode FROM forced_modes f JOIN devices d ON d.id = f.device_id WHERE f.command_id = c.id)"
  },
  "c"
)

const confirmingFieldNames = confirmingFields.map((field) => `'${field}'`).join(", ")

/** SQL of those fields of a state that confirm commands; null where it has none. */
export const confirmingState = (state: string) =>
  `(SELECT jsonb_object_agg(key, value) FROM jsonb_each(${state}) WHERE key IN (${confirmingFieldNames}))`

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
  ...(row.note !== null && { note: row.note }),
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

/** A device as far as commands need it. */
export const CommandDevice = Schema.Struct({
  id: Schema.String,
  /** Null once the device was removed from its workspace. */
  workspaceId: Schema.NullOr(Schema.String),
  type: DeviceType,
  manufacturer: Schema.String,
  manufacturerDeviceId: Schema.String,
  referenceId: Schema.String,
  /** Provisioned by direct integration. */
  direct: Schema.Boolean,
  accountId: Schema.NullOr(Schema.String),
  commands: Schema.Array(CommandSlug),
  staticState: Schema.NullOr(JsonColumn<object>()),
  interventions: Schema.NullOr(Schema.Array(JsonColumn<Intervention>())),
  /** When they were last seen. */
  interventionsAt: Schema.NullOr(Schema.Date),
  disconnectedAt: Schema.NullOr(Schema.Date),
  readingId: Schema.NullOr(Schema.String),
  /** Time of the newest reading. */
  at: Schema.NullOr(Schema.Date),
  state: Schema.NullOr(JsonColumn<object>()),
  /** The beginning of the device's last forced mode with stored settings. */
  forcedAt: Schema.NullOr(Schema.Date)
})
export type CommandDevice = typeof CommandDevice.Type
