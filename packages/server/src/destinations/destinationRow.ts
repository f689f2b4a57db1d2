import { type Destination, type DestinationType, type DeviceGroup, MASK } from "@edp/domain/destinations/Destination"
import type { KafkaConfig } from "@edp/domain/destinations/KafkaConfig"
import type { EventType } from "@edp/domain/events/EventType"

/** The scheme and host of a URL, as lists and the audit log show it. The rest may hold a secret, such as a token in the path. */
export const shownUrl = (url: string): string => `${new URL(url).origin}/${MASK}`

/** Whether the text is the shown form of a URL instead of a URL. */
export const isShownUrl = (url: string): boolean => url.endsWith(`/${MASK}`)

/** A row of destinations, with its secrets sealed. */
export interface DestinationRow {
  readonly id: string
  readonly workspaceId: string
  readonly label: string | null
  readonly destinationType: DestinationType
  readonly deviceType: DeviceGroup | null
  readonly eventTypes: ReadonlyArray<EventType>
  /** As lists show it. Rows written before URLs were sealed hold the whole URL until the service seals it. */
  readonly url: string | null
  readonly sealedUrl: Uint8Array | null
  readonly email: string | null
  readonly phoneNumber: string | null
  readonly manufacturer: string | null
  readonly kafkaConfig: KafkaConfig | null
  readonly includeWeather: boolean | null
  readonly sealedSecret: Uint8Array | null
  readonly sealedPreviousSecret: Uint8Array | null
  readonly previousSecretUntil: Date | null
  readonly sealedHeaders: Uint8Array | null
  readonly sealedPassword: Uint8Array | null
  readonly deactivatedAt: Date | null
  readonly deactivatedReason: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

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
