import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type CompiledMessage, compileMessages, type CompiledTree } from "./messages.ts"
import { packageFolder } from "./sourceDigest.ts"

/** The English messages, and the file with their type. */
const files = [
  { messages: "src/messages/en.json", types: "src/i18n/MessageTypes.ts", areas: true },
  { messages: "../hosted-pages/src/messages/en.json", types: "../hosted-pages/src/scene/MessageTypes.ts", areas: false }
]

type Kind = "Text" | "Choice" | "number"

const SELECT = 1
const DATE = 5

/** The values of a message by name: one that decides between forms is a number or a choice. */
export const findValues = (message: CompiledMessage, found = new Map<string, Kind>()): ReadonlyMap<string, Kind> => {
  if (typeof message === "string") return found
  for (const node of message) {
    if (!Array.isArray(node)) continue
    const [name, type, options] = node as [string, unknown, unknown]
    if (type === undefined) {
      if (!found.has(name)) found.set(name, "Text")
      continue
    }
    if (typeof type !== "number" || type >= DATE) throw new Error(`Tags and times are not supported: ${name}`)
    found.set(name, type === SELECT ? "Choice" : "number")
    for (const form of Object.values(options ?? {})) if (Array.isArray(form)) findValues(form as CompiledMessage, found)
  }
  return found
}

const isName = /^[a-zA-Z_$][\w$]*$/

/** Tables for names that manufacturers or later versions choose: one that is missing reads as undefined. */
const openTables = new Set([
  "device.charts",
  "deviceCommands.defaults",
  "deviceCommands.grid",
  "deviceCommands.hints",
  "deviceCommands.inputs",
  "dispatch.action.fields",
  "dispatch.action.modes",
  "fields.fields",
  "fields.words"
])

const writeType = (message: CompiledMessage | CompiledTree, path: string, indent: string): string => {
  if (typeof message === "string") return "string"
  if (openTables.has(path)) return "{ [name: string]: string }"
  if (!Array.isArray(message)) return writeTree(message as CompiledTree, `${path}.`, `${indent}  `)
  const values = [...findValues(message)].map(([name, kind]) => `${name}: ${kind}`)
  return `(values: { ${values.join("; ")} }) => string`
}

const writeTree = (tree: CompiledTree, path: string, indent: string): string =>
  `{\n${Object.entries(tree)
    .map(
      ([name, each]) =>
        `${indent}${isName.test(name) ? name : JSON.stringify(name)}: ${writeType(each, `${path}${name}`, indent)}\n`
    )
    .join("")}${indent.slice(2)}}`

/** The type of messages, as the English file has them. */
const describeTypes = (text: string, areas: boolean): string => {
  const tree = compileMessages(JSON.parse(text))
  const groups = areas ? Object.assign({}, ...Object.values(tree)) : tree
  const body = writeTree(groups, "", "  ")
  const kinds = [
    ...(/: (Text|Choice)/.test(body)
      ? ["/** A text or a number that is inserted. */\ntype Text = string | number\n"]
      : []),
    ...(body.includes(": Choice")
      ? ["/** A value that decides between the forms of a message. */\ntype Choice = Text | null\n"]
      : [])
  ]
  return `// \`npx -y pnpm@12 messages\` writes this file from messages/en.json.

${kinds.join("\n")}
export interface Messages ${body}
`
}

/** `--write` writes the types of all messages; `--check` fails if they are not those of the English files. */
if (import.meta.main) {
  for (const { messages, types, areas } of files) {
    const path = join(packageFolder, types)
    const expected = describeTypes(readFileSync(join(packageFolder, messages), "utf8"), areas)
    if (process.argv.includes("--write")) writeFileSync(path, expected)
    else if (readFileSync(path, "utf8") !== expected) {
      process.stderr.write(`${types} is not what ${messages} makes: npx -y pnpm@12 messages\n`)
      process.exitCode = 1
    }
  }
}
