import { Schema } from "effect"
import { MASK, OfWorkspace } from "../destinations/Destination.ts"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { paging } from "../shared/Page.ts"
import { flag, oneOf } from "../shared/quantities.ts"
import { StoredText, Tag, Text } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"

const orNull = Schema.NullOr
const optional = Schema.optionalKey

export const publicationStatuses = ["connecting", "connected", "failing"] as const

export const DEFAULT_DISCOVERY_PREFIX = "homeassistant"

const HOST_LIMIT = 120
const LOGIN_LIMIT = 200
const PREFIX_LIMIT = 100

const descriptions = {
  host: "Name or IP address of the MQTT broker, without a scheme and a port",
  port: "TCP port of the broker; 1883 by default, or 8883 with `tls`",
  tls: "Whether the connection is encrypted; false by default",
  fingerprint:
    "SHA-256 fingerprint of the broker's certificate, 32 bytes in hexadecimal, if it comes from no known authority. Only with `tls`",
  username: "User name at the broker",
  discoveryPrefix: `Discovery prefix of Home Assistant; \`${DEFAULT_DISCOVERY_PREFIX}\` by default`,
  tag: "Only devices with this tag are published; null: all devices of the workspace",
  takesCommands:
    "Whether messages of Home Assistant become commands; false by default. If true, everyone who may write to the command topics of the broker can control the devices"
}

export const HomeAssistantPublication = Schema.Struct({
  id: Cuid.annotate({ examples: [exampleIds.homeAssistantPublication] }),
  workspaceId: Cuid.annotate({ description: "Workspace of the devices", examples: [exampleIds.workspace] }),
  host: StoredText(HOST_LIMIT).annotate({ description: descriptions.host }),
  port: Schema.Int.check(documents({ minimum: 1, maximum: 65_535 })).annotate({ description: descriptions.port }),
  tls: Schema.Boolean.annotate({ description: descriptions.tls }),
  fingerprint: orNull(StoredText(95)).annotate({ description: descriptions.fingerprint }),
  username: orNull(StoredText(LOGIN_LIMIT)).annotate({ description: descriptions.username }),
  password: orNull(StoredText(LOGIN_LIMIT)).annotate({
    description: `\`${MASK}\` if a password is stored; null without one. It is never returned`
  }),
  discoveryPrefix: StoredText(PREFIX_LIMIT).annotate({ description: descriptions.discoveryPrefix }),
  tag: orNull(StoredText(100)).annotate({ description: descriptions.tag }),
  takesCommands: Schema.Boolean.annotate({ description: descriptions.takesCommands }),
  status: oneOf(
    publicationStatuses,
    "`connected`: the devices are published and updated; `failing`: the last attempt failed, see `failure`; `connecting`: no attempt has ended yet"
  ),
  failure: orNull(StoredText(1000)).annotate({ description: "Why the last attempt failed; null unless it did" }),
  failingSince: orNull(Timestamp).annotate({
    description: "Time of the first failed attempt since the last connection"
  }),
  connectedAt: orNull(Timestamp).annotate({ description: "Beginning of the last connection; null before the first" }),
  devices: orNull(Schema.Int.check(documents({ minimum: 0 }))).annotate({
    description: "Number of devices that were published last; null before the first connection"
  }),
  devicesLeftOut: Schema.Int.check(documents({ minimum: 0 })).annotate({
    description: "Number of devices that are left out because a publication has at most 5,000"
  }),
  devicesFromHomeAssistant: Schema.Int.check(documents({ minimum: 0 })).annotate({
    description: "Number of devices that are left out because they come from a Home Assistant, which has them already"
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp.annotate({ description: "Time of the last change of the settings" })
}).annotate({
  identifier: "HomeAssistantPublication",
  description: "Devices of a workspace as entities of a Home Assistant",
  examples: [
    {
      id: exampleIds.homeAssistantPublication,
      workspaceId: exampleIds.workspace,
      host: "192.168.1.20",
      port: 1883,
      tls: false,
      fingerprint: null,
      username: "edp",
      password: MASK,
      discoveryPrefix: DEFAULT_DISCOVERY_PREFIX,
      tag: "pilot",
      takesCommands: true,
      status: "connected",
      failure: null,
      failingSince: null,
      connectedAt: "2026-03-01T12:00:00.000Z",
      devices: 3,
      devicesLeftOut: 0,
      devicesFromHomeAssistant: 2,
      createdAt: "2026-03-01T12:00:00.000Z",
      updatedAt: "2026-03-01T12:00:00.000Z"
    }
  ]
})
export type HomeAssistantPublication = typeof HomeAssistantPublication.Type

const HOST = "Must be a name or an IP address, such as 192.168.1.20"
const hostPattern = /^[A-Za-z0-9_.:-]{1,120}$/u

const Host = Schema.String.annotate({ message: HOST })
  .check(Schema.isPattern(hostPattern, { message: HOST }), documents({ maxLength: HOST_LIMIT }))
  .annotate({ description: descriptions.host })

const PORT = "Must be a whole number from 1 to 65535"

const Port = Schema.Int.annotate({ message: PORT })
  .check(Schema.isBetween({ minimum: 1, maximum: 65_535 }, { message: PORT }))
  .annotate({ description: descriptions.port })

const FINGERPRINT = "Must be a SHA-256 fingerprint: 32 bytes in hexadecimal"

const Fingerprint = Schema.String.annotate({ message: FINGERPRINT }).check(
  Schema.isPattern(/^[0-9A-Fa-f]{2}(:?[0-9A-Fa-f]{2}){31}$/u, { message: FINGERPRINT }),
  documents({ maxLength: 95 })
)

const PREFIX = "Must be 1 to 100 letters, digits, hyphens and underscores, in levels that slashes separate"

/** A topic without wildcards. */
const Prefix = Schema.String.annotate({ message: PREFIX })
  .check(
    Schema.isPattern(/^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-]+)*$/u, { message: PREFIX }),
    Schema.isMaxLength(PREFIX_LIMIT, { message: PREFIX })
  )
  .annotate({ description: descriptions.discoveryPrefix })

const settings = {
  port: optional(Port),
  tls: optional(flag(descriptions.tls)),
  fingerprint: optional(orNull(Fingerprint).annotate({ description: descriptions.fingerprint })),
  username: optional(orNull(Text(1, LOGIN_LIMIT)).annotate({ description: descriptions.username })),
  password: optional(
    orNull(Text(1, LOGIN_LIMIT)).annotate({
      description: `Password at the broker, with \`username\`. \`${MASK}\` keeps the stored one`
    })
  ),
  discoveryPrefix: optional(Prefix),
  tag: optional(orNull(Tag).annotate({ description: descriptions.tag })),
  takesCommands: optional(flag(descriptions.takesCommands))
}

export const CreateHomeAssistantPublication = Schema.Struct({ host: Host, ...settings, ...OfWorkspace }).annotate({
  identifier: "CreateHomeAssistantPublication",
  examples: [{ host: "192.168.1.20", username: "edp", password: "correct horse battery", takesCommands: true }]
})
export type CreateHomeAssistantPublication = typeof CreateHomeAssistantPublication.Type

export const UpdateHomeAssistantPublication = Schema.Struct({ host: optional(Host), ...settings }).annotate({
  identifier: "UpdateHomeAssistantPublication",
  examples: [{ tag: "pilot" }]
})
export type UpdateHomeAssistantPublication = typeof UpdateHomeAssistantPublication.Type

export const HomeAssistantPublicationFilters = { ...paging(), ...OfWorkspace }
