import type { Workspace } from "@edp/domain/workspaces/Workspace"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { usage } from "../kernel/CliFailure.ts"
import { Connection } from "../kernel/Connection.ts"
import { Output, showRecord } from "../kernel/Output.ts"
import { confirm } from "../kernel/ask.ts"
import { byPage, given, pagingFlags, showList } from "../kernel/paging.ts"
import type { Column } from "../kernel/table.ts"

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
    ["organization", workspace.organizationId],
    ["created", workspace.createdAt],
    ["updated", workspace.updatedAt]
  ] as const

const timezone = Flag.String("timezone").pipe(
  Flag.withDescription("Time zone such as America/Los_Angeles"),
  Flag.optional
)

const deletionProtection = Flag.Boolean("deletion-protection").pipe(
  Flag.withDescription("While on, the workspace and its sites, customers and devices can't be deleted"),
  Flag.optional
)

const list = Command.make(
  "list",
  pagingFlags,
  Effect.fn("workspaces.list")(function* (flags) {
    const call = yield* (yield* Connection).endpoint("workspaces", "list")
    yield* showList(flags, "workspaces", workspaceColumns, (position) => call({ query: byPage(position) }))
  })
).pipe(Command.withDescription("List the workspaces of the organization, newest first"))

const show = Command.make(
  "show",
  { id: Argument.String("id").pipe(Argument.withDescription("Id of the workspace")) },
  Effect.fn("workspaces.show")(function* ({ id }) {
    const call = yield* (yield* Connection).endpoint("workspaces", "get")
    yield* showRecord(yield* call({ params: { id } }), workspaceFields)
  })
).pipe(Command.withDescription("Show a workspace"))

const create = Command.make(
  "create",
  {
    name: Flag.String("name").pipe(Flag.withDescription("1 to 100 characters, unique in the organization")),
    timezone,
    deletionProtection
  },
  Effect.fn("workspaces.create")(function* ({ name, ...settings }) {
    const call = yield* (yield* Connection).endpoint("workspaces", "create")
    yield* showRecord(yield* call({ payload: { name, ...given(settings) } }), workspaceFields)
  })
).pipe(
  Command.withDescription("Create a workspace"),
  Command.withExamples([{ command: "edp workspaces create --name Pilot --timezone America/Los_Angeles" }])
)

const update = Command.make(
  "update",
  {
    id: Argument.String("id").pipe(Argument.withDescription("Id of the workspace")),
    name: Flag.String("name").pipe(Flag.withDescription("New name"), Flag.optional),
    timezone,
    deletionProtection
  },
  Effect.fn("workspaces.update")(function* ({ id, ...settings }) {
    const payload = given(settings)
    if (Object.keys(payload).length === 0) {
      return yield* usage("Nothing to change: pass --name, --timezone or --deletion-protection")
    }
    const call = yield* (yield* Connection).endpoint("workspaces", "update")
    yield* showRecord(yield* call({ params: { id }, payload }), workspaceFields)
  })
).pipe(
  Command.withDescription("Change a workspace's name, time zone or deletion protection"),
  Command.withExamples([{ command: "edp workspaces update WORKSPACE_ID --no-deletion-protection" }])
)

const remove = Command.make(
  "delete",
  {
    id: Argument.String("id").pipe(Argument.withDescription("Id of the workspace")),
    yes: Flag.Boolean("yes").pipe(Flag.withDescription("Don't ask"), Flag.withDefault(false))
  },
  Effect.fn("workspaces.delete")(function* ({ id, yes }) {
    const connection = yield* Connection
    const { show } = yield* Output
    const { name } = yield* (yield* connection.endpoint("workspaces", "get"))({ params: { id } })
    yield* confirm({
      yes,
      message: `Delete the workspace "${name}" with every site, device, reading and key in it?`,
      unasked: "refuse"
    })
    yield* (yield* connection.endpoint("workspaces", "remove"))({ params: { id } })
    yield* show({ id, deleted: true }, () => `The workspace "${name}" is deleted.`)
  })
).pipe(Command.withDescription("Delete a workspace with everything in it"))

export const workspaces = Command.make("workspaces").pipe(
  Command.withDescription("Workspaces, which hold sites, devices and alerts apart"),
  Command.withSubcommands([list, show, create, update, remove])
)
