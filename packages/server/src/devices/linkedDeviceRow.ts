import { DeviceType } from "@edp/domain/devices/DeviceType"
import type { Intervention } from "@edp/domain/devices/Intervention"
import { Schema } from "effect"
import { JsonColumn } from "../platform/sql/rows.ts"

/** A device of an account, with its newest state. */
export const AccountDevice = Schema.Struct({
  id: Schema.String,
  accountId: Schema.String,
  manufacturerDeviceId: Schema.String,
  name: Schema.String,
  type: DeviceType,
  staticState: Schema.NullOr(JsonColumn<object>()),
  commands: Schema.Array(Schema.String),
  interventions: Schema.NullOr(JsonColumn<ReadonlyArray<Intervention>>()),
  /** When they were last seen. */
  interventionsAt: Schema.NullOr(Schema.Date),
  isConnected: Schema.Boolean,
  /** Time and status of the newest reading; null if there is none. */
  lastAt: Schema.NullOr(Schema.Date),
  reportedStatus: Schema.NullOr(Schema.String)
})
export type AccountDevice = typeof AccountDevice.Type

/** A stored device of the manufacturer in the workspace. */
export const KnownDevice = Schema.Struct({
  id: Schema.String,
  manufacturerDeviceId: Schema.String,
  accountId: Schema.NullOr(Schema.String),
  name: Schema.String,
  type: DeviceType,
  model: Schema.String,
  serialNumber: Schema.NullOr(Schema.String),
  rawType: Schema.NullOr(Schema.String),
  rawModel: Schema.NullOr(Schema.String),
  modelYear: Schema.NullOr(Schema.Finite),
  staticState: Schema.NullOr(JsonColumn<object>()),
  commands: Schema.Array(Schema.String),
  isConnected: Schema.Boolean,
  /** Whether its manufacturer itself reports it, or another account that is connected. */
  isTaken: Schema.Boolean
})
export type KnownDevice = typeof KnownDevice.Type
