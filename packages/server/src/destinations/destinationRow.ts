import { type Destination, type DestinationType, type DeviceGroup, MASK } from "@edp/domain/destinations/Destination"
import type { KafkaConfig } from "@edp/domain/destinations/KafkaConfig"
import type { EventType } from "@edp/domain/events/EventType"

/** What lists and the audit log show of a URL: its scheme and host. The rest is a secret, such as a token in its path. */
export const shownUrl = (url: string): string => `${new URL(url).origin}/${MASK}`

/** Whether it is what is shown of a URL, and not one itself. */
export const isShownUrl = (url: string): boolean => url.endsWith(`/${MASK}`)

/** A destination as it is stored, with its secrets sealed. */
export interface DestinationRow {
  readonly id: string
  readonly workspaceId: string
  readonly label: string | null
  readonly destinationType: DestinationType
  readonly deviceType: DeviceGroup | null
  readonly eventTypes: ReadonlyArray<EventType>
  /** As lists show it; whole in a row of before URLs were sealed, until the service has sealed it. */
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

/** What of a destination is sealed, opened. */
export interface OpenedSecrets {
  /** The whole URL, or as lists show it. */
  readonly url: string | null
  readonly secret: string | null
  readonly headers: Readonly<Record<string, string>> | null
}

/** A secret is sealed for its place, so that no row's opens in another's. */
export const purposeOf = (kind: "url" | "secret" | "headers" | "password", id: string) => `destination ${kind} ${id}`

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

/** Of something sealed a mark that changes with it and tells nothing of it. */
const markOf = (sealed: Uint8Array | null) =>
  sealed === null ? null : `sealed ${Buffer.from(sealed.subarray(-8)).toString("hex")}`

/** What of its URL is no secret. */
export const shownUrlOf = ({ url }: DestinationRow) => (url === null ? null : shownUrl(url))

/** With a mark, so that another path of the same host is a change. */
const auditedUrl = (row: DestinationRow) =>
  row.sealedUrl === null ? shownUrlOf(row) : `${shownUrlOf(row)} ${markOf(row.sealedUrl)}`

/** As the audit log has it: like the API's answer, with marks in place of what is secret. */
export const auditedDestination = (row: DestinationRow) => ({
  ...toDestination(row, { url: auditedUrl(row), secret: null, headers: null }),
  secret: markOf(row.sealedSecret),
  headers: markOf(row.sealedHeaders),
  kafkaPassword: markOf(row.sealedPassword)
})
