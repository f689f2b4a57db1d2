import { clearFlag, several, text, withCleared, yes } from "../kernel/flags.ts"
import { verb, confirmDeletion } from "../kernel/verb.ts"
import { distanceUnits, temperatureUnits } from "@edp/domain/workspaces/displayUnits"
import type { Workspace } from "@edp/domain/workspaces/Workspace"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { request } from "../kernel/Connection.ts"
import { showRecord } from "../kernel/Output.ts"
import { given, pagingFlags, showList } from "../kernel/paging.ts"
import type { Column } from "../kernel/table.ts"
import { passphraseFile } from "./workspaces/passphrase.ts"
import { pause, resume } from "./workspaces/pause.ts"
import { retention } from "./workspaces/retention.ts"

const workspaceColumns: ReadonlyArray<Column<Workspace>> = [
  { title: "ID", value: (workspace) => workspace.id, whole: true },
  { title: "NAME", value: (workspace) => workspace.name },
  { title: "TIMEZONE", value: (workspace) => workspace.timezone },
  { title: "PROTECTED", value: (workspace) => (workspace.deletionProtection ? "yes" : "no"), whole: true },
  { title: "CREATED", value: (workspace) => workspace.createdAt, time: true, wide: true }
]

const workspaceFields = (workspace: Workspace) =>
  [
    ["id", workspace.id],
    ["name", workspace.name],
    ["timezone", workspace.timezone],
    ["deletion protection", workspace.deletionProtection ? "on" : "off"],
    ["logo", workspace.logoUrl],
    ["accent colour", workspace.accentColor],
    ["contact e-mail", workspace.contactEmail],
    ["contact phone", workspace.contactPhone],
    ["contact page", workspace.contactUrl],
    ["temperature unit", workspace.temperatureUnit],
    ["distance unit", workspace.distanceUnit],
    ["connect redirects", workspace.connectRedirects],
    ["organization", workspace.organizationId],
    ["paused", workspace.pausedAt],
    ["created", workspace.createdAt],
    ["updated", workspace.updatedAt]
  ] as const

const timezone = Flag.String("timezone").pipe(
  Flag.withDescription("Time zone such as America/Los_Angeles"),
  Flag.optional
)

const deletionProtection = Flag.Boolean("deletion-protection").pipe(
  Flag.withDescription("Prevent deletion of the workspace and its sites, customers and devices"),
  Flag.optional
)

const branding = {
  logoUrl: text("logo-url", "An https address of the logo that the connect pages show"),
  accentColor: text("accent-color", "Colour of the connect pages, such as #1a5fb4"),
  contactEmail: text("contact-email", "E-mail address for questions, on the connect pages"),
  contactPhone: text("contact-phone", "Phone number for questions, on the connect pages"),
  contactUrl: text("contact-url", "An https address of a page with help, linked on the connect pages"),
  temperatureUnit: Flag.Literals("temperature-unit", temperatureUnits).pipe(
    Flag.withDescription("Unit in which the dashboard shows temperatures"),
    Flag.optional
  ),
  distanceUnit: Flag.Literals("distance-unit", distanceUnits).pipe(
    Flag.withDescription("Unit in which the dashboard shows distances"),
    Flag.optional
  )
}

const connectRedirects = several(
  "connect-redirect",
  "Origin or app scheme to which connect sessions may send end users, such as https://app.example.com or myapp:; replaces the list"
)

const clearing = {
  "logo-url": { logoUrl: null },
  "accent-color": { accentColor: null },
  "contact-email": { contactEmail: null },
  "contact-phone": { contactPhone: null },
  "contact-url": { contactUrl: null },
  "connect-redirect": { connectRedirects: [] }
} as const

const list = verb("workspaces list", "List the workspaces of the organization, newest first", pagingFlags, (flags) =>
  showList(flags, "workspaces", workspaceColumns, (query) => request("workspaces", "list", { query }))
)

const show = verb(
  "workspaces show",
  "Show a workspace",
  { id: Argument.String("id").pipe(Argument.withDescription("Id of the workspace")) },
  ({ id }) => showRecord(request("workspaces", "get", { params: { id } }), workspaceFields)
)

const create = verb(
  "workspaces create",
  "Create a workspace",
  {
    name: Flag.String("name").pipe(Flag.withDescription("1 to 100 characters, unique in the organization")),
    timezone,
    deletionProtection,
    ...branding,
    connectRedirects
  },
  ({ name, ...settings }) =>
    showRecord(request("workspaces", "create", { payload: { name, ...given(settings) } }), workspaceFields),
  ["edp workspaces create --name Pilot --timezone America/Los_Angeles"]
)

const update = verb(
  "workspaces update",
  "Change a workspace's name, time zone, deletion protection, look of the connect pages or targets of their redirects",
  {
    id: Argument.String("id").pipe(Argument.withDescription("Id of the workspace")),
    name: Flag.String("name").pipe(Flag.withDescription("New name"), Flag.optional),
    timezone,
    deletionProtection,
    ...branding,
    connectRedirects,
    clear: clearFlag(clearing)
  },
  Effect.fnUntraced(function* ({ id, clear, ...settings }) {
    const payload = yield* withCleared(given(settings), clearing, clear)
    yield* showRecord(request("workspaces", "update", { params: { id }, payload }), workspaceFields)
  }),
  [
    "edp workspaces update WORKSPACE_ID --no-deletion-protection",
    "edp workspaces update WORKSPACE_ID --accent-color '#1a5fb4'",
    "edp workspaces update WORKSPACE_ID --contact-email help@example.com --temperature-unit C",
    "edp workspaces update WORKSPACE_ID --connect-redirect https://app.example.com --connect-redirect myapp:"
  ]
)

const remove = verb(
  "workspaces delete",
  "Delete a workspace and everything in it",
  {
    id: Argument.String("id").pipe(Argument.withDescription("Id of the workspace")),
    yes
  },
  Effect.fnUntraced(function* ({ id, yes }) {
    const { name } = yield* request("workspaces", "get", { params: { id } })
    yield* confirmDeletion({
      id,
      yes,
      question: `Delete the workspace "${name}" with every site, device, reading and key in it?`,
      call: request("workspaces", "remove", { params: { id } }),
      done: `The workspace "${name}" is deleted.`
    })
  })
)

const exporting = verb(
  "workspaces export",
  "Write a workspace with its whole history into an archive; an interrupted export continues",
  {
    file: Argument.String("file").pipe(Argument.withDescription("The archive to write")),
    workspace: text("workspace", "Id of the workspace; default: the workspace of the key"),
    after: text(
      "after",
      "A whole archive of the workspace: of readings, rollups and events, only what has changed since"
    ),
    passphraseFile
  },
  (options) =>
    Effect.flatMap(
      Effect.promise(() => import("./workspaces/exportWorkspace.ts")),
      ({ exportWorkspace }) => exportWorkspace(options)
    ),
  ["edp workspaces export home.tar --passphrase-file passphrase.txt"]
)

const importing = verb(
  "workspaces import",
  "Read a workspace from an archive; an interrupted import continues",
  {
    file: Argument.String("file").pipe(Argument.withDescription("The archive of an export")),
    name: text("name", "Another name than the exported one"),
    cancel: Flag.Boolean("cancel").pipe(
      Flag.withDescription("Remove what an unfinished import has stored"),
      Flag.withDefault(false)
    ),
    hold: Flag.Boolean("hold").pipe(
      Flag.withDescription("Store the archive, and wait for one that follows with what has changed since"),
      Flag.withDefault(false)
    ),
    passphraseFile
  },
  (options) =>
    Effect.flatMap(
      Effect.promise(() => import("./workspaces/importWorkspace.ts")),
      ({ importWorkspace }) => importWorkspace(options)
    ),
  ["edp workspaces import home.tar --passphrase-file passphrase.txt --name 'Home 2'"]
)

export const workspaces = Command.make("workspaces").pipe(
  Command.withDescription("Workspaces, which separate sites, devices and alerts"),
  Command.withSubcommands([list, show, create, update, remove, retention, pause, resume, exporting, importing])
)
