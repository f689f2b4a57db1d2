import { createHash } from "node:crypto"
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import { execFileSync } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, test } from "vitest"
import { edpProgram } from "./edp.ts"
import { compileCache, surroundings } from "../support/surroundings.ts"
import { type Block, shellBlocks } from "../support/documents.ts"
import { freePort } from "../support/freePort.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { agreeAndSignIn, chooseOffered, startVisit } from "../support/hosted-pages/hostedFlow.ts"
import { launch } from "../support/launch.ts"
import { pickInTurn, testSeed } from "../support/rounds.ts"
import { type SpawnedServer, spawnServer } from "../support/spawnServer.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

const inFolder = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`)
    .toSorted()

/** In a reader's order: the README, the tutorials, how to call `edp`, then the others. */
const first = ["README.md", ...inFolder("docs/tutorials"), "docs/cli.md"]
const others = inFolder("docs").filter((file) => !first.includes(file))
const elsewhere = ["examples/receive-webhook", "examples/sample-home", "examples/typed-client", "packages/domain"]
const documents = [...first, ...others, ...elsewhere.map((path) => `${path}/README.md`)].filter(
  (file) => shellBlocks(file).length > 0
)

const tracked = () =>
  execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root, encoding: "utf8" })
    .split("\0")
    .filter((path) => path !== "" && existsSync(join(root, path)) && lstatSync(join(root, path)).isFile())

const digest = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex")

/** Copies the repository with its installed packages to a working folder. Returns the digest of each file. */
const copyRepository = (target: string) => {
  const digests = new Map<string, string>()
  for (const path of tracked()) {
    mkdirSync(dirname(join(target, path)), { recursive: true })
    cpSync(join(root, path), join(target, path))
    digests.set(path, digest(join(target, path)))
  }
  const installed = [
    "",
    "test",
    ...["packages", "examples"].flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
  ]
  for (const folder of installed) {
    const modules = join(root, folder, "node_modules")
    if (!existsSync(modules)) continue
    // A real folder, because pnpm refuses to run tasks where it is a link.
    mkdirSync(join(target, folder, "node_modules"))
    // The file in which pnpm records the repository's task runs must not be linked either.
    for (const name of readdirSync(modules).filter((entry) => !entry.startsWith(".pnpm-task-run-state")))
      symlinkSync(join(modules, name), join(target, folder, "node_modules", name))
  }
  return digests
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/**
 * Defines `edp` as docs/cli.md installs it, a `curl` that fails on errors, and Ctrl-C for commands that run until stopped.
 * `npx -y pnpm@12 edp` runs the sources through two package managers, which takes ten times as long as the built program: the first
 * command of each fifth document is run so.
 */
const prelude = `
set -eE -o pipefail
trap 'echo "line $LINENO of the script failed: $BASH_COMMAND" >&2' ERR
repository=$PWD
use_built_edp() { edp() { "$repository/node_modules/.bin/node" "$edp_program" "$@"; }; }
use_built_edp
npx() {
  if [[ "$*" == "-y pnpm@12 edp "* && -n \${tried_npx-} ]]; then
    edp "\${@:4}"
  else
    command npx "$@"
    if [[ "$*" == "-y pnpm@12 edp "* ]]; then tried_npx=yes; fi
  fi
}
curl() { command curl --fail-with-body --max-time 60 "$@"; }
visit() { curl -sS "$person/?account=$1" --data-raw "$LINK"; }
until_output() {
  local log job tries=0
  log=$(mktemp)
  set -m
  (eval "$2") >"$log" 2>&1 &
  job=$!
  set +m
  until grep -qE "$1" "$log"; do
    if ! kill -0 "$job" 2>/dev/null || ((++tries > 600)); then
      cat "$log" >&2
      kill -KILL -- "-$job" 2>/dev/null || true
      return 1
    fi
    sleep 0.1
  done
  cat "$log"
  kill -INT -- "-$job"
  wait "$job" || true
}
`

/** An `edp` that a document defines runs the sources, which takes three times as long as the built program: it is tried once. */
const definesEdp = /^edp\(\)/m
const tryOwnEdp = "edp --version\nuse_built_edp\n"

const makeScript = (blocks: ReadonlyArray<Block>, baseUrl: string) =>
  blocks
    .filter(({ notRun }) => notRun === undefined)
    .map(({ file, line, text, until, visit }) => {
      const commands =
        until === undefined
          ? text
          : text
              .trimEnd()
              .split("\n")
              .map((each) => `until_output ${quoted(until)} ${quoted(each)}\n`)
              .join("")
      return `echo "=== ${file}:${line}"\n${visit === undefined ? "" : `visit ${visit}\n`}${commands}${definesEdp.test(text) ? tryOwnEdp : ""}`
        .replaceAll("127.0.0.1:3000", new URL(baseUrl).host)
        .replaceAll("127.0.0.1:4400", `127.0.0.1:${receiverPort}`)
    })
    .join("\n")

let folder: GuardedFolder
let copy: string
/** The port of the receiver that an example starts. */
let receiverPort: number
let original: ReadonlyMap<string, string>
let server: SpawnedServer

/** Goes through a connect link as a person in a browser does: agrees, signs in at the simulator, and connects all devices. */
const connectAll = async (link: string, account: string) => {
  const visit = startVisit()
  await visit.open(link)
  await visit.open(await agreeAndSignIn(visit, link, account))
  const { finished } = await chooseOffered(visit, link)
  return finished
}

/** Responds to the command `visit` of the scripts. */
const person = createServer(async (request, response) => {
  const { searchParams } = new URL(request.url!, "http://127.0.0.1")
  const finished = await connectAll(await text(request), searchParams.get("account")!).catch(String)
  const isDone = typeof finished === "object" && finished.status < 400
  response.writeHead(isDone ? 200 : 500).end(isDone ? "" : JSON.stringify(finished))
})

beforeAll(async () => {
  await new Promise<void>((resolve) => person.listen(0, "127.0.0.1", resolve))
  folder = await guardedFolder("edp-documents")
  copy = join(folder.path, "energy-device-platform")
  original = copyRepository(copy)
  receiverPort = await freePort()
  server = await spawnServer({ dataDir: join(copy, ".edp") })
})
afterAll(async () => {
  person.close()
  await server.stop()
  await folder.remove()
})

/** The README, and a part of the others: ten runs cover them with some to spare. */
const inTurn = ["README.md", ...pickInTurn(Math.ceil(documents.length / 8), documents.slice(1))]

const throughNpx = ["README.md", inTurn[1 + (testSeed % (inTurn.length - 1))]]

const run = async (file: string) => {
  const env = {
    ...surroundings(),
    ...compileCache,
    PORT: `${receiverPort}`,
    edp_program: edpProgram,
    person: `http://127.0.0.1:${(person.address() as AddressInfo).port}`,
    ...(throughNpx.includes(file) ? {} : { tried_npx: "yes" }),
    HOME: folder.path,
    npm_config_cache: process.env.npm_config_cache ?? join(homedir(), ".npm"),
    pnpm_config_verify_deps_before_run: "false"
  }
  const shell = await launch("bash", ["-c", prelude + makeScript(shellBlocks(file), server.baseUrl)], {
    cwd: copy,
    env
  })
  // Ends before the test does, so that the failure tells which command was running.
  const patience = setTimeout(() => shell.kill("SIGKILL"), 19 * 60_000)
  const { code, signal } = await shell.exited.finally(() => clearTimeout(patience))
  if (code !== 0)
    expect.fail(`${file} ended with ${signal ?? code}:\n${shell.stdout().slice(-6000)}\n${shell.stderr().slice(-3000)}`)
}

// All documents share one workspace: what one of them leaves must not disturb the next.
test.each(inTurn)("%s can be pasted into a shell from its beginning to its end", { timeout: 20 * 60_000 }, run)

test("no file of the repository is overwritten", () => {
  const changed = [...original].filter(([path, content]) => digest(join(copy, path)) !== content)
  expect(changed).toEqual([])
})

test("few blocks are not run, each for a reason", () => {
  const notRun = documents.flatMap(shellBlocks).filter(({ notRun }) => notRun !== undefined)
  expect(notRun.map(({ file, notRun }) => `${file}: ${notRun}`)).toMatchInlineSnapshot(`
    [
      "README.md: the test has started a server",
      "README.md: it is what runs the documents",
      "docs/tutorials/first-adapter.md: test/e2e/outsideAdapter.test.ts packs them",
      "docs/tutorials/first-adapter.md: it installs packages",
      "docs/tutorials/first-adapter.md: test/e2e/outsideAdapter.test.ts starts it",
      "docs/cli.md: it installs into the folders of the machine",
      "docs/cli.md: needs two installations; test/server/moves and test/e2e/crashWorkspaceImport.test.ts run it",
      "docs/cli.md: needs a VTN with a program; test/cli/commands/grid.test.ts runs it",
      "docs/cli.md: test/cli/commands/export.test.ts runs it",
      "docs/cli.md: test/cli/commands/export/exportDays.test.ts runs both",
      "docs/cli.md: needs systemd",
      "docs/cli.md: edp listen must run in another terminal",
      "docs/cli.md: only zsh has such a list of folders",
      "docs/benchmarks.md: it measures for an hour",
      "docs/client.md: it installs packages; test/contract/generatedClients.test.ts makes this client",
      "docs/client.md: it installs packages; test/contract/generatedClients.test.ts makes this client",
      "docs/connections.md: it limits the sessions of the other examples",
      "docs/connections.md: needs an account whose permission was lost",
      "docs/failover.md: for several hosts; test/e2e/failover.test.ts runs the same files",
      "docs/failover.md: for several hosts; test/e2e/failover.test.ts runs the same files",
      "docs/failover.md: for several hosts; test/e2e/failover.test.ts runs the same files",
      "docs/failover.md: for several hosts",
      "docs/failover.md: for several hosts; test/e2e/failover.test.ts runs the same files",
      "docs/failover.md: for several hosts",
      "docs/failover.md: for several hosts",
      "docs/failover.md: for several hosts; test/e2e/pgbouncer.test.ts uses the same files",
      "docs/home-assistant.md: needs a broker",
      "docs/operations.md: test/e2e/operators.test.ts runs it as postgres.sql",
      "docs/operations.md: needs a PostgreSQL server at this address; test/e2e/operators.test.ts starts on such a database",
      "docs/operations.md: needs a PostgreSQL server at this address; test/server/platform/sql/copyDatabase.test.ts copies a database",
      "docs/operations.md: needs PostgreSQL; test/e2e/processes.test.ts runs a service with several processes",
      "docs/operations.md: needs PostgreSQL with a replica; test/e2e/readReplica.test.ts runs a service on both",
      "docs/operations.md: needs Docker",
      "docs/operations.md: needs Docker",
      "docs/operations.md: it adds an account and a service to the machine",
      "docs/operations.md: test/e2e/encryptionKey.test.ts runs it, with a key to replace",
      "docs/operations.md: the embedded database must be stopped for it; test/e2e/firstKeys.test.ts runs it",
      "docs/operations.md: test/e2e/operators.test.ts runs it as back up PostgreSQL",
      "docs/operations.md: test/e2e/operators.test.ts runs it as restore PostgreSQL",
      "docs/operations.md: test/e2e/operators.test.ts runs it as back up the folder",
      "docs/operations.md: test/e2e/operators.test.ts runs it as restore the folder",
      "docs/operations.md: test/e2e/operators.test.ts runs it as upgrade",
      "docs/operations.md: test/e2e/operators.test.ts runs it as return",
      "docs/scale.md: for several hosts; test/e2e/cells.test.ts runs the same files",
      "docs/scale.md: for several hosts; test/e2e/cells.test.ts runs the same files",
      "docs/scale.md: for several hosts; test/e2e/cells.test.ts runs the same files",
      "packages/domain/README.md: it installs packages; test/domain/package installs this one",
    ]
  `)
})
