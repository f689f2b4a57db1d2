import { MASK } from "@edp/domain/destinations/Destination"
import type { HomeAssistantPublication } from "@edp/domain/home-assistant/HomeAssistantPublication"
import { Schema } from "effect"
import { iso, isoOrNull } from "../platform/sql/records.ts"
import { selectList } from "../platform/sql/selectList.ts"

/** A publication as it is stored, with its password sealed. */
export const PublicationRow = Schema.Struct({
  id: Schema.String,
  workspaceId: Schema.String,
  host: Schema.String,
  port: Schema.Finite,
  tls: Schema.Boolean,
  fingerprint: Schema.NullOr(Schema.String),
  username: Schema.NullOr(Schema.String),
  sealedPassword: Schema.NullOr(Schema.Uint8Array),
  discoveryPrefix: Schema.String,
  tag: Schema.NullOr(Schema.String),
  takesCommands: Schema.Boolean,
  /** Changes with the settings. */
  version: Schema.Finite,
  connectedAt: Schema.NullOr(Schema.Date),
  failure: Schema.NullOr(Schema.String),
  failingSince: Schema.NullOr(Schema.Date),
  devices: Schema.NullOr(Schema.Finite),
  devicesLeftOut: Schema.Finite,
  devicesFromHomeAssistant: Schema.Finite,
  /** Whether an instance holds the connection, or is about to open it. */
  isHeld: Schema.Boolean,
  createdAt: Schema.Date,
  updatedAt: Schema.Date
})
export type PublicationRow = typeof PublicationRow.Type

export const publicationColumns = selectList(PublicationRow, {
  isHeld: "claim IS NOT NULL AND due_at > clock_timestamp()"
})

/** A password is sealed for its row, so that it cannot be opened in another one. */
export const passwordPurpose = (id: string) => `home assistant password ${id}`

/** Whether two publications are at the same topics of the same broker. */
export const isSamePlace = (one: PublicationRow, other: PublicationRow): boolean =>
  one.host.toLowerCase() === other.host.toLowerCase() &&
  one.port === other.port &&
  one.discoveryPrefix === other.discoveryPrefix

const toStatus = ({ connectedAt, failure, isHeld }: PublicationRow) => {
  if (failure !== null) return "failing"
  return connectedAt !== null && isHeld ? "connected" : "connecting"
}

export const toPublication = (row: PublicationRow): HomeAssistantPublication => ({
  id: row.id,
  workspaceId: row.workspaceId,
  host: row.host,
  port: row.port,
  tls: row.tls,
  fingerprint: row.fingerprint,
  username: row.username,
  password: row.sealedPassword === null ? null : MASK,
  discoveryPrefix: row.discoveryPrefix,
  tag: row.tag,
  takesCommands: row.takesCommands,
  status: toStatus(row),
  failure: row.failure,
  failingSince: isoOrNull(row.failingSince),
  connectedAt: isoOrNull(row.connectedAt),
  devices: row.devices,
  devicesLeftOut: row.devicesLeftOut,
  devicesFromHomeAssistant: row.devicesFromHomeAssistant,
  createdAt: iso(row.createdAt),
  updatedAt: iso(row.updatedAt)
})

/** The audit log's form: the API's response with a mark that changes with the password and reveals nothing of it. */
export const auditedPublication = (row: PublicationRow) => ({
  ...toPublication(row),
  password:
    row.sealedPassword === null ? null : `sealed ${Buffer.from(row.sealedPassword.subarray(-8)).toString("hex")}`
})
