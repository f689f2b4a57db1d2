import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Organization } from "@edp/domain/organizations/Organization"
import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { CliFailure } from "../kernel/CliFailure.ts"
import { Connection } from "../kernel/Connection.ts"
import { showRecord } from "../kernel/Output.ts"
import { byPage, pagingFlags, showList } from "../kernel/paging.ts"
import type { Column } from "../kernel/table.ts"

const PROGRAM = join("packages", "server", "src", "main.ts")

/** The server's program in a folder or in one above it. */
const programFrom = (folder: string): string | undefined => {
  const program = join(folder, PROGRAM)
  if (existsSync(program)) return program
  const above = dirname(folder)
  return above === folder ? undefined : programFrom(above)
}

interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const run = (program: string, args: ReadonlyArray<string>) =>
  Effect.callback<Finished>((resume) => {
    const child = execFile(
      process.execPath,
      ["--conditions=@edp/source", program, ...args],
      { encoding: "utf8" },
      (_, stdout, stderr) => resume(Effect.succeed({ code: child.exitCode, stdout, stderr }))
    )
    return Effect.sync(() => child.kill())
  }).pipe(
    Effect.timeoutOrElse({
      duration: "2 minutes",
      orElse: () => Effect.fail(new CliFailure({ code: "NO_ANSWER", message: "The server's program took too long" }))
    })
  )

/** Why the program has ended: its last line, which is JSON where the settings ask for that. */
const reasonIn = (stderr: string): string => {
  const line = stderr.trim().split("\n").at(-1) ?? ""
  try {
    return JSON.parse(line).message
  } catch {
    return line.replace(/^edp: /, "")
  }
}

const command = (name: string) => `npx -y pnpm@12 start create-organization '${name}'`

const valueIn = (text: string, name: string) => new RegExp(`^${name} +(\\S+)$`, "m").exec(text)?.[1] ?? ""

const createdFields = (made: Record<"organizationId" | "workspaceId" | "managementKey", string>) =>
  [
    ["organization", made.organizationId],
    ["workspace", made.workspaceId],
    ["management key", made.managementKey]
  ] as const

const create = Command.make(
  "create",
  { name: Argument.String("name").pipe(Argument.withDescription("Name of the company, 1 to 100 characters")) },
  Effect.fn("organizations.create")(function* ({ name }) {
    const program = programFrom(dirname(fileURLToPath(import.meta.url))) ?? programFrom(process.cwd())
    if (program === undefined || process.features.typescript === false) {
      return yield* new CliFailure({
        code: "NO_SERVER",
        message: "Organizations are made where the server is installed, with its settings",
        details: [`There, run: ${command(name)}`]
      })
    }
    const { code, stderr, stdout } = yield* run(program, ["create-organization", name])
    if (code !== 0) {
      return yield* new CliFailure({
        code: "SERVER_REFUSED",
        message: reasonIn(stderr) || "The server's program failed"
      })
    }
    const made = {
      organizationId: valueIn(stdout, "organization"),
      workspaceId: valueIn(stdout, "workspace"),
      managementKey: valueIn(stdout, "management key")
    }
    yield* showRecord(made, createdFields)
  })
).pipe(
  Command.withDescription(
    "Make an organization with a workspace and a management key, as an operator with the server's settings"
  ),
  Command.withExamples([{ command: 'edp organizations create "Acme Energy"' }])
)

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
