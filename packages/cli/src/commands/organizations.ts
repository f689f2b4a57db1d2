import type { Organization } from "@edp/domain/organizations/Organization"
import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { CliFailure } from "../CliFailure.ts"
import { Connection } from "../Connection.ts"
import { showRecord } from "../Output.ts"
import { byPage, pagingFlags, showList } from "../paging.ts"
import type { Column } from "../table.ts"
import { create } from "./organizations/create.ts"

const columns: ReadonlyArray<Column<Organization>> = [
  { title: "ID", value: ({ id }) => id, whole: true },
  { title: "NAME", value: ({ name }) => name },
  { title: "CREATED", value: ({ createdAt }) => createdAt, time: true, whole: true }
]

const fields = ({ createdAt, id, name, updatedAt }: Organization) =>
  [
    ["id", id],
    ["name", name],
    ["created", createdAt],
    ["updated", updatedAt]
  ] as const

/** A MANAGEMENT key sees its own organization alone, so its id need not be written. */
const ownId = Effect.fnUntraced(function* (id: Option.Option<string>) {
  if (Option.isSome(id)) return id.value
  const call = yield* (yield* Connection).endpoint("organizations", "list")
  const [own] = (yield* call({ query: {} })).data
  if (own !== undefined) return own.id
  return yield* new CliFailure({ code: "NOT_FOUND", message: "The key belongs to no organization" })
})

const id = Argument.String("id").pipe(
  Argument.withDescription("Id of the organization; default: the key's own"),
  Argument.optional
)

const list = Command.make(
  "list",
  pagingFlags,
  Effect.fn("organizations.list")(function* (flags) {
    const call = yield* (yield* Connection).endpoint("organizations", "list")
    yield* showList(flags, "organizations", columns, (position) => call({ query: byPage(position) }))
  })
).pipe(Command.withDescription("List organizations: the key's own"))

const show = Command.make(
  "show",
  { id },
  Effect.fn("organizations.show")(function* ({ id }) {
    const call = yield* (yield* Connection).endpoint("organizations", "get")
    yield* showRecord(yield* call({ params: { id: yield* ownId(id) } }), fields)
  })
).pipe(Command.withDescription("Show an organization"))

const rename = Command.make(
  "rename",
  { name: Argument.String("name").pipe(Argument.withDescription("New name, 1 to 100 characters")), id },
  Effect.fn("organizations.rename")(function* ({ id, name }) {
    const call = yield* (yield* Connection).endpoint("organizations", "update")
    yield* showRecord(yield* call({ params: { id: yield* ownId(id) }, payload: { name } }), fields)
  })
).pipe(
  Command.withDescription("Rename an organization"),
  Command.withExamples([{ command: 'edp organizations rename "Sunny Valley Energy"' }])
)

export const organizations = Command.make("organizations").pipe(
  Command.withDescription("The organization that owns the workspaces"),
  Command.withSubcommands([list, show, create, rename])
)
