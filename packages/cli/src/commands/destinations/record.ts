import type { Destination } from "@edp/domain/destinations/Destination"
import type { Column } from "../../table.ts"

const placeOf = ({ email, kafkaConfig, phoneNumber, url }: Destination) =>
  url ??
  email ??
  phoneNumber ??
  (kafkaConfig === null ? "" : `${kafkaConfig.topic} at ${kafkaConfig.brokers.join(", ")}`)

const statusOf = ({ deactivated }: Destination) => (deactivated === true ? "deactivated" : "active")

export const destinationColumns: ReadonlyArray<Column<Destination>> = [
  { title: "ID", value: (destination) => destination.id, whole: true },
  { title: "TYPE", value: (destination) => destination.destinationType, whole: true },
  { title: "STATUS", value: statusOf, whole: true },
  { title: "WHERE", value: placeOf },
  { title: "LABEL", value: (destination) => destination.label },
  { title: "EVENTS", value: ({ eventTypes }) => eventTypes.join(", "), wide: true },
  { title: "CREATED", value: ({ createdAt }) => createdAt, time: true, whole: true, wide: true }
]

/** Of a secret what tells it from another one. */
const hidden = (secret: string | null) => secret && `${secret.slice(0, 10)}… (--secret shows it)`

/** Header values may be secrets, too. */
const headersOf = (headers: Destination["headers"], isRevealed: boolean) =>
  headers && (isRevealed ? headers : Object.keys(headers).join(", "))

export const destinationFields = (isRevealed: boolean) => (destination: Destination) =>
  [
    ["id", destination.id],
    ["type", destination.destinationType],
    ["where", placeOf(destination)],
    ["label", destination.label],
    ["status", statusOf(destination)],
    ["since", destination.deactivatedAt],
    ["reason", destination.deactivatedReason],
    ["events", destination.eventTypes.join(", ")],
    ["devices", destination.deviceType ?? "ALL"],
    ["weather", destination.includeWeather === true],
    ["headers", headersOf(destination.headers, isRevealed)],
    ["secret", isRevealed ? destination.secret : hidden(destination.secret)],
    ["workspace", destination.workspaceId],
    ["created", destination.createdAt],
    ["updated", destination.updatedAt]
  ] as const
