import { Schema } from "effect"
import { Name, Targets } from "../openadr/values.ts"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { paging, Several } from "../shared/Page.ts"
import { flag, oneOf, quantity } from "../shared/quantities.ts"
import { StoredText, Text } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"

const orNull = Schema.NullOr
const optional = Schema.optionalKey

export const gridConnectionStatuses = ["connecting", "connected", "failing", "paused"] as const

export const GridConnectionStatus = oneOf(
  gridConnectionStatuses,
  "`connecting`: the VTN has not been asked yet; `connected`: the last poll succeeded; `failing`: it did not, see `lastError`; `paused`: `enabled` is false"
).annotate({ identifier: "GridConnectionStatus" })
export type GridConnectionStatus = typeof GridConnectionStatus.Type

export const gridNotificationSettings = ["automatic", "webhook", "mqtt", "none"] as const
export const GridNotificationSetting = oneOf(
  gridNotificationSettings,
  "How the VTN is to notify of changes, each of which makes it polled at once. `automatic`: by webhook, else by MQTT, as far as the VTN and the service can; `none`: not at all"
).annotate({ identifier: "GridNotificationSetting" })
export type GridNotificationSetting = typeof GridNotificationSetting.Type

export const GridNotifiedBy = oneOf(
  ["none", "webhook", "mqtt"] as const,
  "How the VTN notifies now. `none`: its changes are found by polls alone"
).annotate({ identifier: "GridNotifiedBy" })
export type GridNotifiedBy = typeof GridNotifiedBy.Type

const vtnUrl = "Base address of the VTN's OpenADR 3.1 endpoints, such as https://vtn.example.com/openadr3/3.1.0"
const tokenUrl = "Address of the token endpoint; null: the VTN is asked for it at `/auth/server`"
const venName = "Name under which the workspace is a VEN of the VTN"
const targets =
  "Targets that requests for programs and events name: the VTN returns objects with one of them and objects without targets"
const pollSeconds = "Seconds between two polls of the VTN"
const enabled = "Whether the VTN is polled. While it is not, planned dispatches stay as they are"

export const GridConnection = Schema.Struct({
  id: Cuid.annotate({ description: "Identifier of the connection", examples: [exampleIds.connection] }),
  name: StoredText(255).annotate({ description: "Display name" }),
  vtnUrl: StoredText(2000).annotate({ description: vtnUrl }),
  tokenUrl: orNull(StoredText(2000)).annotate({ description: tokenUrl }),
  clientId: orNull(StoredText(4096)).annotate({
    description: "Client ID at the VTN; null for a VTN that asks for no token"
  }),
  venName: StoredText(128).annotate({ description: venName }),
  targets: Schema.Array(StoredText(128))
    .check(documents({ maxItems: 500 }))
    .annotate({ description: targets }),
  pollSeconds: Schema.Int.check(documents({ minimum: 10, maximum: 3600 })).annotate({ description: pollSeconds }),
  enabled: Schema.Boolean.annotate({ description: enabled }),
  notifications: GridNotificationSetting,
  notifiedBy: GridNotifiedBy,
  lastNotifiedAt: orNull(Timestamp).annotate({
    description: "Time of the last notification of the VTN; null before the first"
  }),
  notificationError: orNull(StoredText(1000)).annotate({
    description: "Why the VTN does not notify as it could or should; null if nothing failed"
  }),
  status: GridConnectionStatus,
  venId: orNull(StoredText(128)).annotate({
    description: "Id of the workspace's ven object at the VTN; null until it is known"
  }),
  lastPolledAt: orNull(Timestamp).annotate({
    description: "Time of the last poll that succeeded; null before the first"
  }),
  lastError: orNull(StoredText(1000)).annotate({
    description: "Why the last poll failed, or what it left out; null if all went well"
  }),
  failingSince: orNull(Timestamp).annotate({ description: "Time since which every poll has failed; null if none has" }),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({
  identifier: "GridConnection",
  description: "A VTN that the workspace follows as a VEN of OpenADR 3.1",
  examples: [
    {
      id: exampleIds.connection,
      name: "Example Utility",
      vtnUrl: "https://vtn.example.com/openadr3/3.1.0",
      tokenUrl: null,
      clientId: "ven-42",
      venName: "example-aggregator",
      targets: ["zone-7"],
      pollSeconds: 60,
      enabled: true,
      notifications: "automatic",
      notifiedBy: "webhook",
      lastNotifiedAt: "2026-07-14T22:58:31.000Z",
      notificationError: null,
      status: "connected",
      venId: "ven-object-9",
      lastPolledAt: "2026-07-14T23:00:00.000Z",
      lastError: null,
      failingSince: null,
      createdAt: "2026-03-01T12:00:00.000Z",
      updatedAt: "2026-03-01T12:00:00.000Z"
    }
  ]
})
export type GridConnection = typeof GridConnection.Type

const credential = (description: string) => optional(orNull(Text(1, 4096)).annotate({ description }))

const fields = {
  name: Text(1, 255).annotate({ description: "Display name" }),
  vtnUrl: Text(1, 2000).annotate({ description: vtnUrl }),
  tokenUrl: optional(orNull(Text(1, 2000)).annotate({ description: tokenUrl })),
  clientId: credential("Client ID; null or absent for a VTN that asks for no token"),
  clientSecret: credential("Client secret; it is stored encrypted and never shown"),
  venName: Name.annotate({ description: venName }),
  targets: optional(Targets.annotate({ description: targets, default: [] })),
  pollSeconds: optional(quantity(pollSeconds, { minimum: 10, maximum: 3600, integer: true }).annotate({ default: 60 })),
  enabled: optional(flag(enabled).annotate({ default: true })),
  notifications: optional(GridNotificationSetting.annotate({ default: "automatic" }))
}

export const CreateGridConnection = Schema.Struct(fields).annotate({
  identifier: "CreateGridConnection",
  examples: [
    {
      name: "Example Utility",
      vtnUrl: "https://vtn.example.com/openadr3/3.1.0",
      clientId: "ven-42",
      clientSecret: "a secret of the utility",
      venName: "example-aggregator",
      targets: ["zone-7"]
    }
  ]
})
export type CreateGridConnection = typeof CreateGridConnection.Type

export const UpdateGridConnection = Schema.Struct({
  ...fields,
  name: optional(fields.name),
  vtnUrl: optional(fields.vtnUrl),
  venName: optional(fields.venName)
}).annotate({ identifier: "UpdateGridConnection", examples: [{ enabled: false }] })
export type UpdateGridConnection = typeof UpdateGridConnection.Type

export const GridConnectionFilters = {
  ...paging(),
  status: optional(Several(GridConnectionStatus).annotate({ description: "Connections with any of these statuses" }))
}
