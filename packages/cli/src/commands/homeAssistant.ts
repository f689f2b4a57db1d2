import type { HomeAssistantPublication } from "@edp/domain/home-assistant/HomeAssistantPublication"
import { Effect, Option, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { request } from "../kernel/Connection.ts"
import { clearFlag, text, withCleared, workspaceId, yes } from "../kernel/flags.ts"
import { showRecord } from "../kernel/Output.ts"
import { given, pagingFlags, showList } from "../kernel/paging.ts"
import type { Column } from "../kernel/table.ts"
import { confirmDeletion, verb } from "../kernel/verb.ts"

const formatBroker = ({ host, port, tls }: HomeAssistantPublication) => `${host}:${port}${tls ? " (TLS)" : ""}`

const publicationColumns: ReadonlyArray<Column<HomeAssistantPublication>> = [
  { title: "ID", value: ({ id }) => id, whole: true },
  { title: "STATUS", value: ({ status }) => status, whole: true },
  { title: "BROKER", value: formatBroker },
  { title: "TAG", value: ({ tag }) => tag },
  { title: "DEVICES", value: ({ devices }) => devices, whole: true },
  { title: "FAILURE", value: ({ failure }) => failure },
  { title: "PREFIX", value: ({ discoveryPrefix }) => discoveryPrefix, wide: true },
  { title: "CREATED", value: ({ createdAt }) => createdAt, time: true, whole: true, wide: true }
]

const publicationFields = (publication: HomeAssistantPublication) =>
  [
    ["id", publication.id],
    ["broker", formatBroker(publication)],
    ["user", publication.username],
    ["fingerprint", publication.fingerprint],
    ["prefix", publication.discoveryPrefix],
    ["tag", publication.tag ?? "all devices"],
    ["commands", publication.takesCommands],
    ["status", publication.status],
    ["failure", publication.failure],
    ["since", publication.failingSince ?? publication.connectedAt],
    ["devices", publication.devices],
    ["left out", publication.devicesLeftOut],
    ["from Home Assistant", publication.devicesFromHomeAssistant],
    ["workspace", publication.workspaceId],
    ["created", publication.createdAt],
    ["updated", publication.updatedAt]
  ] as const

const id = Argument.String("id").pipe(Argument.withDescription("Id of the publication"))

const host = Flag.String("host").pipe(Flag.withDescription("Name or IP address of the MQTT broker"))

/** Flags of `create` and `update`. */
const settingFlags = {
  port: Flag.Int("port").pipe(
    Flag.withDescription("Port of the broker; default: 1883, or 8883 with --tls"),
    Flag.optional
  ),
  tls: Flag.Boolean("tls").pipe(Flag.withDescription("Encrypt the connection"), Flag.optional),
  fingerprint: text("fingerprint", "SHA-256 fingerprint of a certificate that comes from no known authority"),
  username: text("user", "User name at the broker"),
  password: Flag.Redacted("password").pipe(Flag.withDescription("Password at the broker"), Flag.optional),
  discoveryPrefix: text("prefix", "Discovery prefix of Home Assistant; default: homeassistant"),
  tag: text("tag", "Publish only devices with this tag"),
  takesCommands: Flag.Boolean("takes-commands").pipe(
    Flag.withDescription("Let Home Assistant control the devices; default: it only shows them"),
    Flag.optional
  )
}

interface Settings {
  readonly password: Option.Option<Redacted.Redacted>
}

const withPassword = <Flags extends Settings>({ password, ...flags }: Flags) => ({
  ...flags,
  password: Option.map(password, Redacted.value)
})

const list = verb(
  "home-assistant list",
  "List publications to Home Assistant, newest first",
  { ...pagingFlags, workspaceId },
  (flags) =>
    showList(flags, "publications to Home Assistant", publicationColumns, (query) =>
      request("homeAssistantPublications", "list", { query })
    )
)

const show = verb(
  "home-assistant show",
  "Show a publication with its status",
  { id, workspaceId },
  ({ id, workspaceId }) =>
    showRecord(
      request("homeAssistantPublications", "get", { params: { id }, query: given({ workspaceId }) }),
      publicationFields
    )
)

const create = verb(
  "home-assistant create",
  "Publish devices to the MQTT broker of a Home Assistant",
  { host, ...settingFlags, workspaceId },
  ({ host, workspaceId, ...flags }) =>
    showRecord(
      request("homeAssistantPublications", "create", {
        query: given({ workspaceId }),
        payload: { host, ...given(withPassword(flags)) }
      }),
      publicationFields
    ),
  [
    "edp home-assistant create --host 192.168.1.20 --user edp --password $PASSWORD --takes-commands",
    "edp home-assistant create --host broker.example.com --tls --tag pilot"
  ]
)

const clearing = {
  fingerprint: { fingerprint: null },
  user: { username: null, password: null },
  password: { password: null },
  tag: { tag: null }
} as const

const update = verb(
  "home-assistant update",
  "Change a publication",
  { id, host: host.pipe(Flag.optional), ...settingFlags, clear: clearFlag(clearing), workspaceId },
  Effect.fnUntraced(function* ({ clear, id, workspaceId, ...flags }) {
    const payload = yield* withCleared(given(withPassword(flags)), clearing, clear)
    const call = request("homeAssistantPublications", "update", {
      params: { id },
      query: given({ workspaceId }),
      payload
    })
    yield* showRecord(call, publicationFields)
  }),
  ["edp home-assistant update PUBLICATION_ID --tag pilot", "edp home-assistant update PUBLICATION_ID --clear tag"]
)

const remove = verb(
  "home-assistant delete",
  "Delete a publication; its devices disappear from Home Assistant",
  { id, workspaceId, yes },
  Effect.fnUntraced(function* ({ id, workspaceId, yes }) {
    const query = given({ workspaceId })
    const found = yield* request("homeAssistantPublications", "get", { params: { id }, query })
    yield* confirmDeletion({
      id,
      yes,
      question: `Delete the publication to ${formatBroker(found)}? Its devices disappear from Home Assistant.`,
      call: request("homeAssistantPublications", "remove", { params: { id }, query }),
      done: `The publication to ${formatBroker(found)} is deleted.`
    })
  })
)

export const homeAssistant = Command.make("home-assistant").pipe(
  Command.withDescription("Devices as entities of Home Assistant, by MQTT"),
  Command.withSubcommands([list, show, create, update, remove])
)
