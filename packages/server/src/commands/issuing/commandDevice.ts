import { CommandSlug, DeviceType } from "@edp/domain/devices/DeviceType"
import type { Intervention } from "@edp/domain/devices/Intervention"
import { JsonColumn } from "../../platform/sql/rows.ts"
import { Schema } from "effect"

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
