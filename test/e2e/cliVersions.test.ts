import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { commandTable } from "@edp/cli/commands/commandTable"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { launch, runProgram } from "../support/launch.ts"
import { FakeVtn } from "../support/peers/FakeVtn.ts"
import { callAt } from "../support/callAt.ts"
import { pickInTurn } from "../support/rounds.ts"
import { type SpawnedServer, spawnServer } from "../support/spawnServer.ts"
import { endlessVerbs, everyVerb } from "./everyVerb.ts"
import { installEdp } from "./installEdp.ts"

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const runtime = (version: number) => here(`../runtimes/node_modules/node-${version}-${process.arch}/bin/node`)

/** The oldest one, which has the least, and in turn one of the others. The last is the one that runs the tests. */
const versions = [
  { version: 20, node: runtime(20) },
  ...pickInTurn(1, [
    ...[22, 24].map((version) => ({ version, node: runtime(version) })),
    { version: 26, node: process.execPath }
  ])
]
/** CI installs all of them. */
const isMissing = (node: string) => process.env["CI"] === undefined && !existsSync(node)

let folder: GuardedFolder
let server: SpawnedServer
let installed: string
let receiver: Server
let vtn: FakeVtn
beforeAll(async () => {
  folder = await guardedFolder("edp-versions")
  const unlimited = { EDP_RATE_LIMIT_READ: "100000", EDP_RATE_LIMIT_WRITE: "100000", EDP_RATE_LIMIT_BULK: "100000" }
  server = await spawnServer({ env: unlimited })
  installed = await installEdp(folder.path)
  receiver = createServer((request, response) => request.resume().on("end", () => response.writeHead(204).end()))
  await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening))
  vtn = await new FakeVtn().open()
  vtn.program({ programName: "summer-peak" })
})
afterAll(async () => {
  receiver?.close()
  await server?.stop()
  await vtn?.close()
  await folder?.remove()
})

interface Result {
  readonly line: string
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** The words of a command line before its arguments. */
const verbs: ReadonlyArray<string> = (
  await Promise.all(
    commandTable.map(async ({ load }) => {
      const list = (command: any, path: ReadonlyArray<string>): ReadonlyArray<string> => {
        const below = command.subcommands.flatMap((group: any) => group.commands ?? [group])
        const own = [...path, command.name]
        return below.length === 0 ? [own.join(" ")] : below.flatMap((each: any) => list(each, own))
      }
      return list(await load(), [])
    })
  )
).flat()

const parseCommand = (line: string) => line.replace(/^[!~?]* ?(?:\S+ = )?/u, "")

test("each verb has a line that runs it", () => {
  const commands = [...everyVerb.map(parseCommand), ...endlessVerbs.map(([verb]) => verb)]
  expect(verbs.filter((verb) => !commands.some((line) => line === verb || line.startsWith(`${verb} `)))).toEqual([])
  expect(verbs.length).toBeGreaterThan(150)
})

const day = 86_400_000
const imported = ["sites", "customers", "enrollments"]

/** Three days of a home, as a file that is imported. */
const writeReadings = (path: string) => {
  const hours = Array.from({ length: 72 }, (_, hour) => {
    const start = new Date(Date.UTC(2025, 0, 1, 8 + hour)).toISOString()
    return `${start},${300 + hour},${hour % 24 > 8 && hour % 24 < 17 ? 1000 + hour : 0}`
  })
  writeFileSync(path, ["interval_start,load_wh,solar_wh", ...hours, ""].join("\n"))
}

/** A workspace of its own for each version, with keys. */
const makeWorkspace = async (version: number) => {
  const post = async (path: string, body: object) => {
    const made = await callAt(server.baseUrl, "POST", path, { key: server.credentials.managementKey, body })
    expect(made.status, made.text).toBe(201)
    return made.body
  }
  const { id: workspaceId } = await post("/v1/workspaces", { name: `node-${version}` })
  const key = async (type: string, more: object = {}) =>
    (await post("/v1/api-keys", { type, name: type, workspaceId, ...more })).key as string
  const keys = {
    MANAGEMENT: await key("MANAGEMENT", { ownerId: "tests" }),
    SERVER: await key("SERVER"),
    MANUFACTURER: await key("MANUFACTURER", { manufacturerScope: ["generic", "simulator"] })
  }
  return { keys, workspaceId }
}

const runLines = async (version: number, node: string) => {
  const own = join(folder.path, `node-${version}`)
  mkdirSync(own)
  const readings = join(own, "home.csv")
  writeReadings(readings)
  // An import leaves its report beside the file.
  const files = imported.map((name) => [name, join(own, `${name}.csv`)] as const)
  for (const [name, copy] of files) copyFileSync(here(`../../examples/import/${name}.csv`), copy)
  const template = join(own, "template.json")
  copyFileSync(here("../../packages/adapters/templates/src/devices/opendtu.json"), template)
  const { keys, workspaceId } = await makeWorkspace(version)
  const now = Date.now()
  const names = {
    ...Object.fromEntries(files),
    n: `node-${version}`,
    seed: `${9000 + version}`,
    workspace: workspaceId,
    later: new Date(now + day / 12).toISOString(),
    nextYear: new Date(now + 300 * day).toISOString(),
    receiver: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    vtn: vtn.url,
    clientSecret: join(own, "client-secret"),
    readings,
    template,
    file: "home",
    rows: join(own, "rows.parquet"),
    archive: join(own, "workspace.tar"),
    passphrase: join(own, "passphrase"),
    svg: join(own, "year.svg"),
    png: join(own, "year.png")
  }
  writeFileSync(names.passphrase, "correct horse battery staple\n")
  writeFileSync(names.clientSecret, `${vtn.client.secret}\n`)
  const [input, output] = [join(own, "lines.json"), join(own, "results.json")]
  writeFileSync(input, JSON.stringify({ lines: everyVerb, names }))
  const env = {
    HOME: own,
    EDP_DATA_DIR: own,
    EDP_URL: server.baseUrl,
    EDP_KEY_MANAGEMENT: keys.MANAGEMENT,
    EDP_KEY_SERVER: keys.SERVER,
    EDP_KEY_MANUFACTURER: keys.MANUFACTURER
  }
  const program = join(installed, "lib/main.js")
  await runProgram(node, [here("runVerbs.js"), program, input, output], { cwd: own, env })
  return { own, env, ...JSON.parse(readFileSync(output, "utf8")) } as {
    readonly own: string
    readonly env: Readonly<Record<string, string>>
    readonly version: string
    readonly results: ReadonlyArray<Result>
  }
}

/** Replaces values that differ between two workspaces, or at two times, by the names of what they are. */
const neutral = (text: string, own: string) =>
  text
    .replaceAll(own, "FOLDER")
    .replace(/\bc[0-9a-z]{24}\b/gu, "ID")
    .replace(/\b(server|mgmt|whsec|api|oadrbl|oadrven)_[\w+/=…]+/gu, "SECRET")
    .replace(/\/connect\/[\w-]+/gu, "/connect/TOKEN")
    .replace(/\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?Z?/gu, "TIME")
    .replace(/\bnode-2\d\b/gu, "NODE")
    .replace(/\b90\d{2}\b/gu, "SEED")

/** The output of the first version. */
let reference: ReadonlyArray<{ readonly line: string; readonly printed: string }> | undefined

describe.each(versions)("edp on Node.js $version", ({ node, version }) => {
  test.skipIf(isMissing(node))("runs every verb, with the output that the other versions print", async () => {
    const { env, own, results, version: full } = await runLines(version, node)
    expect(full).toMatch(new RegExp(`^${version}\\.`, "u"))
    const unexpected = results.filter(({ code, line }) => code !== (/^[~?]*!/u.test(line) ? 1 : 0))
    expect(unexpected).toEqual([])
    expect(results.map(({ line }) => line)).toEqual(everyVerb)
    expect(readFileSync(join(own, "year.svg"), "utf8")).toContain("<svg")
    expect(readFileSync(join(own, "year.png")).subarray(1, 4).toString()).toBe("PNG")
    const compared = results.filter(({ line }) => !line.startsWith("~"))
    const printed = compared.map(({ line, stderr, stdout }) => ({
      line,
      printed: neutral(`${stdout}\n${stderr}`, own)
    }))
    reference ??= printed
    expect(printed).toEqual(reference)
    for (const [verb, args, first] of endlessVerbs) {
      const words = [join(installed, "bin/edp.js"), ...verb.split(" "), ...args]
      const running = await launch(node, words, { cwd: own, env })
      await running.printed(first)
      running.kill("SIGINT")
      expect(await running.exited, verb).toEqual({ code: 130, signal: null })
    }
    const printVersion = [join(installed, "bin/edp.js"), "--version"]
    expect(await runProgram(node, printVersion, { cwd: own, env })).toMatch(/^edp v\d+\.\d+\.\d+\n$/u)
  })
})
