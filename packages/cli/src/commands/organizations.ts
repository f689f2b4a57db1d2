import { verb } from "../kernel/verb.ts"
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Organization } from "@edp/domain/organizations/Organization"
import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { CliFailure } from "../kernel/CliFailure.ts"
import { request } from "../kernel/Connection.ts"
import { showRecord } from "../kernel/Output.ts"
import { pagingFlags, showList } from "../kernel/paging.ts"
import type { Column } from "../kernel/table.ts"

const PROGRAM = join("packages", "server", "src", "main.ts")

/** The server's main file, in a folder or a parent. */
const programFrom = (folder: string): string | undefined => {
  const program = join(folder, PROGRAM)
  if (existsSync(program)) return program
  const above = dirname(folder)
  return above === folder ? undefined : programFrom(above)
}

/** The Node.js that the server's checkout installed, or the one that runs this where it installed none, as in a container. */
const nodeFor = (program: string): string => {
  const installed = join(dirname(program), "..", "..", "..", "node_modules", "node", "bin", "node")
  return existsSync(installed) ? installed : process.execPath
}

interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const run = (node: string, program: string, args: ReadonlyArray<string>) =>
  Effect.callback<Finished>((resume) => {
    const child = execFile(
      node,
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

/** The program's last line, which is JSON when its settings say so. */
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

const create = verb(
  "organizations create",
  "Create an organization with a workspace and a management key, on the server's machine with its settings",
  { name: Argument.String("name").pipe(Argument.withDescription("Name of the company, 1 to 100 characters")) },
  Effect.fnUntraced(function* ({ name }) {
    const program = programFrom(dirname(fileURLToPath(import.meta.url))) ?? programFrom(process.cwd())
    const node = program === undefined ? undefined : nodeFor(program)
    if (program === undefined || node === undefined || (node === process.execPath && !process.features.typescript)) {
      return yield* new CliFailure({
        code: "NO_SERVER",
        message: "Organizations are created on the server's machine, with its settings",
        details: [`There, run: ${command(name)}`]
      })
    }
    const { code, stderr, stdout } = yield* run(node, program, ["create-organization", name])
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
    yield* showRecord(Effect.succeed(made), createdFields)
  }),
  ['edp organizations create "Acme Energy"']
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

/** A MANAGEMENT key sees only its own organization, so the id is optional. */
const ownId = Effect.fnUntraced(function* (id: Option.Option<string>) {
  if (Option.isSome(id)) return id.value
  const [own] = (yield* request("organizations", "list", { query: {} })).data
  if (own !== undefined) return own.id
  return yield* new CliFailure({ code: "NOT_FOUND", message: "The key belongs to no organization" })
})

const id = Argument.String("id").pipe(
  Argument.withDescription("Id of the organization; default: the key's own"),
  Argument.optional
)

const list = verb("organizations list", "List organizations: only the key's own", pagingFlags, (flags) =>
  showList(flags, "organizations", columns, (query) => request("organizations", "list", { query }))
)

const show = verb(
  "organizations show",
  "Show an organization",
  { id },
  Effect.fnUntraced(function* ({ id }) {
    yield* showRecord(request("organizations", "get", { params: { id: yield* ownId(id) } }), fields)
  })
)

const rename = verb(
  "organizations rename",
  "Rename an organization",
  { name: Argument.String("name").pipe(Argument.withDescription("New name, 1 to 100 characters")), id },
  Effect.fnUntraced(function* ({ id, name }) {
    yield* showRecord(
      request("organizations", "update", { params: { id: yield* ownId(id) }, payload: { name } }),
      fields
    )
  }),
  ['edp organizations rename "Sunny Valley Energy"']
)

export const organizations = Command.make("organizations").pipe(
  Command.withDescription("The organization that owns the workspaces"),
  Command.withSubcommands([list, show, create, rename])
)
