import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath, pathToFileURL } from "node:url"
import { buildOnce } from "./buildOnce.ts"
import { compileCache } from "./surroundings.ts"
import { freePort } from "./freePort.ts"
import { guardedFolder } from "./guardedFolder.ts"
import { type Exit, launch, type Launched } from "./launch.ts"
import { readStatus } from "./callAt.ts"

export interface ServerOptions {
  /** Settings beside PORT, EDP_HOST and EDP_DATA_DIR; the settings of the test process are not passed on. */
  readonly env?: Readonly<Record<string, string>>
  /** Kept when the server ends; without it the server gets a temporary folder. */
  readonly dataDir?: string
  /** Makes a server on a new folder create its embedded database. Otherwise `spawnServer` copies the run's migrated one. */
  readonly fresh?: boolean
  readonly port?: number
  /** Runs the sources, as `pnpm start` does, instead of the program that the run has built. */
  readonly fromSources?: boolean
  /** The folder of another version, whose sources run instead. */
  readonly checkout?: string
  /** Leaves it to the server to begin again with settings of the allocator. The sources do so always. */
  readonly setsAllocator?: boolean
  /** The working directory; without it the server gets a temporary folder. */
  readonly cwd?: string
  /** The arguments after `main.ts`, such as `migrate`. */
  readonly args?: ReadonlyArray<string>
  /** A module of this folder that is loaded first: a manufacturer that joins the built-in ones. */
  readonly preload?: "cloudAdapter" | "commandCloudAdapter"
  /** A program that runs the server, such as `["setpriv", "--nnp"]`. */
  readonly through?: ReadonlyArray<string>
}

export interface Credentials {
  readonly baseUrl: string
  readonly organizationId: string
  readonly workspaceId: string
  readonly managementKey: string
  readonly serverKey: string
  readonly manufacturerKey: string
}

export interface SpawnedServer {
  readonly baseUrl: string
  readonly port: number
  readonly pid: number
  readonly dataDir: string
  /** The time from the start of the process until it was ready. */
  readonly readyAfterMs: number
  /** The credentials file of the first start; fails if there is none. */
  readonly credentials: Credentials
  readonly stdout: () => string
  readonly stderr: () => string
  readonly exited: Promise<Exit>
  /** Sends SIGTERM and returns the exit code. A server that still runs after 40 s is killed, and the stop fails. */
  readonly stop: () => Promise<number | null>
  readonly kill9: () => Promise<void>
}

export interface ServerRun extends Exit {
  readonly stdout: string
  readonly stderr: string
}

/** Servers on one PostgreSQL have folders of their own, and must have one encryption key. */
export const sharedEncryptionKey = Buffer.alloc(32, "shared by servers").toString("base64")

const root = fileURLToPath(new URL("../../", import.meta.url))
const sources = join(root, "packages/server/")

/** The folder of what the run has built, unless the server runs from its sources. */
const findBuilds = ({ checkout, fromSources = checkout !== undefined }: ServerOptions) =>
  fromSources ? undefined : process.env["EDP_TEST_BUILDS"]

/** Node.js keeps the functions that are compiled before the program runs: with this all of them, and a start computes a twelfth less. */
const compileAll = "--no-lazy"

/** With it a server does not begin again for the settings of its allocator, which saves a twentieth of the computing of a start. */
const allocator = { MALLOC_TRIM_THRESHOLD_: "131072" }

/** The environment of a program that the run has built. */
const builtEnvironment = (builds: string, { setsAllocator = false }: ServerOptions) => ({
  NODE_COMPILE_CACHE: join(builds, "compiled"),
  ...(!setsAllocator && allocator)
})

/**
 * The server's program, built once a run: a process computes for 0.4 s until it reads its settings, instead of 0.9 s from the
 * sources. test/e2e/launched.test.ts starts the sources, as `pnpm start` does.
 */
const findProgram = async (builds: string | undefined, { checkout = root, preload }: ServerOptions) => {
  const config = fileURLToPath(new URL("serverBuild.ts", import.meta.url))
  const isBuilt = builds !== undefined
  const program = isBuilt
    ? await buildOnce({ target: join(builds, "server"), source: sources, config, program: "main.js" })
    : join(checkout, "packages/server/src/main.ts")
  const args = isBuilt ? [compileAll] : []
  if (preload === undefined) return [...args, program]
  const module = isBuilt ? join(dirname(program), `${preload}.js`) : join(checkout, "test/support", `${preload}.ts`)
  return [...args, "--import", pathToFileURL(module).href, program]
}

/** These servers run too briefly for V8 to gain from optimizing the embedded database, which takes half a second of computing. */
const nodeArgs = ["--conditions=@edp/source", "--liftoff-only"]
const limits = { readyMs: 120_000, pollMs: 20, responseMs: 2_000, stopMs: 40_000 }

/** Runs the server as a process of its own and resolves when it is ready; fails with its output when it ends before. */
export const spawnServer = async (options: ServerOptions = {}): Promise<SpawnedServer> => {
  const { server, dataDir, port, cleaned } = await launchServer({ fresh: false, ...options })
  const started = performance.now()
  const baseUrl = `http://127.0.0.1:${port}`
  await ready(server, `${baseUrl}/health/ready`)
  return {
    baseUrl,
    port,
    pid: server.pid,
    dataDir,
    readyAfterMs: performance.now() - started,
    get credentials() {
      return credentialsIn(dataDir)
    },
    stdout: server.stdout,
    stderr: server.stderr,
    exited: server.exited,
    stop: async () => {
      await stop(server)
      await cleaned
      return (await server.exited).code
    },
    kill9: async () => {
      server.kill("SIGKILL")
      await cleaned
    }
  }
}

/** Runs the server until it ends by itself: a command such as `migrate`, or a start that must fail. */
export const runServer = async (options: ServerOptions = {}): Promise<ServerRun> => {
  const { server, cleaned } = await launchServer({ ...options, env: { EDP_LOG: "pretty", ...options.env } })
  await cleaned
  return { ...(await server.exited), stdout: server.stdout(), stderr: server.stderr() }
}

/** Runs the server without waiting for anything; its own folder is gone when `cleaned` resolves. */
export const launchServer = async (options: ServerOptions) => {
  const folder = await guardedFolder("edp-server")
  const port = options.port ?? (await freePort())
  const dataDir = options.dataDir ?? join(folder.path, "data")
  if (options.fresh === false) prepareDataFolder(dataDir, options.env)
  const builds = findBuilds(options)
  const { PATH = "", HOME = folder.path } = process.env
  const shared = options.env?.["DATABASE_URL"] === undefined ? {} : { EDP_ENCRYPTION_KEY: sharedEncryptionKey }
  const command = [process.execPath, ...nodeArgs, ...(await findProgram(builds, options)), ...(options.args ?? [])]
  const [executable, ...args] = [...(options.through ?? []), ...command]
  const server = await launch(executable!, args, {
    cwd: options.cwd ?? folder.path,
    env: {
      PATH,
      HOME,
      ...(builds === undefined ? compileCache : builtEnvironment(builds, options)),
      PORT: `${port}`,
      EDP_HOST: "127.0.0.1",
      EDP_DATA_DIR: dataDir,
      ...shared,
      ...options.env
    }
  })
  folder.protect(server.pid)
  const cleaned = server.exited.then(() => {
    folder.forget()
    return folder.remove()
  })
  return { server, dataDir, port, cleaned }
}

/**
 * Puts the run's migrated database into a new data folder, because making one takes longer than the rest of a first start.
 * Outside of a test run, and on PostgreSQL, it does nothing.
 */
export const prepareDataFolder = (dataDir: string, env: Readonly<Record<string, string>> = {}) => {
  const prepared = process.env["EDP_TEST_PREPARED_FOLDER"]
  const isEmbedded = !("DATABASE_URL" in env || "DATABASE_URL_FILE" in env)
  if (!isEmbedded || prepared === undefined || existsSync(join(dataDir, "pgdata"))) return
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  cpSync(prepared, dataDir, { recursive: true })
}

const ready = async (server: Launched, url: string) => {
  const deadline = performance.now() + limits.readyMs
  // It responds before it says so. Requests until then would take computing time from its start.
  const said = server.printed(/Energy Device Platform is running/).catch(() => undefined)
  await Promise.race([said, setTimeout(limits.readyMs, undefined, { ref: false })])
  while (server.running() && performance.now() < deadline) {
    if ((await readStatus(url, limits.responseMs)) === 200) return
    await setTimeout(limits.pollMs)
  }
  const late = server.running()
  if (late) server.kill("SIGKILL")
  const { code, signal } = await server.exited
  const what = late ? `was not ready after ${limits.readyMs} ms` : `ended (${signal ?? code}) before it was ready`
  throw new Error(`The server ${what}:\n${server.stdout()}${server.stderr()}`)
}

const stop = async (server: Launched) => {
  server.kill("SIGTERM")
  const patience = new AbortController()
  const late = setTimeout(limits.stopMs, true, { signal: patience.signal, ref: false }).catch(() => false)
  if ((await Promise.race([server.exited, late])) === true) {
    server.kill("SIGKILL")
    await server.exited
    throw new Error(
      `The server was still there ${limits.stopMs} ms after SIGTERM:\n${server.stdout()}${server.stderr()}`
    )
  }
  patience.abort()
}

const credentialsIn = (dataDir: string): Credentials => {
  const path = join(dataDir, "credentials.json")
  if (!existsSync(path)) throw new Error(`The server wrote no ${path}`)
  return JSON.parse(readFileSync(path, "utf8"))
}
