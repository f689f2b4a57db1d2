import { type Destination, DestinationType, DeviceGroup, MASK } from "@edp/domain/destinations/Destination"
import type { KafkaConfig } from "@edp/domain/destinations/KafkaConfig"
import { EventType } from "@edp/domain/events/EventType"
import { JsonColumn } from "../platform/sql/rows.ts"
import { Schema } from "effect"

/** The scheme and host of a URL, as lists and the audit log show it. The rest may hold a secret, such as a token in the path. */
export const shownUrl = (url: string): string => `${new URL(url).origin}/${MASK}`

/** Whether the text is the shown form of a URL instead of a URL. */
export const isShownUrl = (url: string): boolean => url.endsWith(`/${MASK}`)

/** A row of destinations, with its secrets sealed. */
export const DestinationRow = Schema.Struct({
  id: Schema.String,
  workspaceId: Schema.String,
  label: Schema.NullOr(Schema.String),
  destinationType: DestinationType,
  deviceType: Schema.NullOr(DeviceGroup),
  eventTypes: Schema.Array(EventType),
  /** As lists show it. Rows written before URLs were sealed hold the whole URL until the service seals it. */
  url: Schema.NullOr(Schema.String),
  sealedUrl: Schema.NullOr(Schema.Uint8Array),
  email: Schema.NullOr(Schema.String),
  phoneNumber: Schema.NullOr(Schema.String),
  manufacturer: Schema.NullOr(Schema.String),
  kafkaConfig: Schema.NullOr(JsonColumn<KafkaConfig>()),
  includeWeather: Schema.NullOr(Schema.Boolean),
  sealedSecret: Schema.NullOr(Schema.Uint8Array),
  sealedPreviousSecret: Schema.NullOr(Schema.Uint8Array),
  previousSecretUntil: Schema.NullOr(Schema.Date),
  sealedHeaders: Schema.NullOr(Schema.Uint8Array),
  sealedPassword: Schema.NullOr(Schema.Uint8Array),
  failingSince: Schema.NullOr(Schema.Date),
  deactivatedAt: Schema.NullOr(Schema.Date),
  deactivatedReason: Schema.NullOr(Schema.String),
  createdAt: Schema.Date,
  updatedAt: Schema.Date
})
export type DestinationRow = typeof DestinationRow.Type

/** The opened secrets of a destination. */
export interface OpenedSecrets {
  /** The whole URL, or the form that lists show. */
  readonly url: string | null
  readonly secret: string | null
  readonly headers: Readonly<Record<string, string>> | null
}

/** A secret is sealed for its row and column, so that it cannot be opened in another one. */
export const secretPurpose = (kind: "url" | "secret" | "headers" | "password", id: string) =>
  `destination ${kind} ${id}`

export const toDestination = (row: DestinationRow, { headers, secret, url }: OpenedSecrets): Destination => ({
  id: row.id,
  workspaceId: row.workspaceId,
  label: row.label,
  destinationType: row.destinationType,
  deviceType: row.deviceType,
  eventTypes: row.eventTypes,
  url,
  email: row.email,
  phoneNumber: row.phoneNumber,
  secret,
  headers,
  includeWeather: row.includeWeather,
  kafkaConfig: row.kafkaConfig,
  manufacturer: row.manufacturer,
  deactivated: row.deactivatedAt !== null,
  failingSince: row.failingSince?.toISOString() ?? null,
  deactivatedAt: row.deactivatedAt?.toISOString() ?? null,
  deactivatedReason: row.deactivatedReason,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString()
})

/** A mark that changes with a sealed value and reveals nothing of it. */
const makeMark = (sealed: Uint8Array | null) =>
  sealed === null ? null : `sealed ${Buffer.from(sealed.subarray(-8)).toString("hex")}`

/** The part of the URL that is not secret. */
export const publicUrl = ({ url }: DestinationRow) => (url === null ? null : shownUrl(url))

/** With a mark, so that another path on the same host shows as a change. */
const auditedUrl = (row: DestinationRow) =>
  row.sealedUrl === null ? publicUrl(row) : `${publicUrl(row)} ${makeMark(row.sealedUrl)}`

/** The audit log's form: the API's response with marks instead of secrets. */
export const auditedDestination = (row: DestinationRow) => ({
  ...toDestination(row, { url: auditedUrl(row), secret: null, headers: null }),
  secret: makeMark(row.sealedSecret),
  headers: makeMark(row.sealedHeaders),
  kafkaPassword: makeMark(row.sealedPassword)
})
