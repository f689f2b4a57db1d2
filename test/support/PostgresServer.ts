import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "pg"
import { type ClusterPlace, createPostgresCluster, postgresBinaries, serverAccount } from "./postgresCluster.ts"
import { describeServer } from "./describeServer.ts"
import { freePort } from "./freePort.ts"
import { type GuardedFolder, guardedFolder } from "./guardedFolder.ts"
import { type Launched, killFamily, launch } from "./launch.ts"

export interface PostgresOptions {
  /** Off only where a test proves nothing about durability and its speed matters. */
  readonly fsync?: boolean
  readonly auth?: "trust" | "password"
  /** Further server settings, such as `{ log_statement: "all" }`. */
  readonly settings?: Readonly<Record<string, string>>
}

export interface PostgresServer {
  /** The database `edp`, as an ordinary role that owns it, as in a deployment. */
  readonly url: string
  /** The same server as its superuser. */
  readonly adminUrl: string
  readonly port: number
  /** Creates a database owned by the ordinary role, empty or as a copy of `edp`, and returns its address. */
  readonly createDatabase: (content?: "empty" | "copy") => Promise<string>
  /** Stops the server if it runs, breaking open connections, and starts it again on the same port with the same data. */
  readonly restart: () => Promise<void>
  /** Ends every process of the server at once, as a crash does. */
  readonly kill9: () => Promise<void>
  /** The server's log since its last start. */
  readonly log: () => string
  /** Stops the server and removes its data. */
  readonly stop: () => Promise<void>
}

const password = "for-tests-only"

/** A throwaway PostgreSQL server. It ends when this process ends at the latest. */
export const startPostgres = async (options: PostgresOptions = {}): Promise<PostgresServer> => {
  const binaries = postgresBinaries()
  if (binaries === undefined) throw new Error("PostgreSQL is not installed")
  const account = serverAccount()
  // The server's account must be able to read the folder, and root's folder for temporary files may be private.
  const parent = process.env["EDP_TEST_MEMORY"] ?? (account === undefined ? tmpdir() : "/tmp")
  const folder = await guardedFolder("edp-postgres", { signal: "QUIT", parent })
  try {
    const place = { binaries, root: folder.path, account, ...foldersIn(folder.path) }
    await createPostgresCluster(place, options.auth === "password" ? "scram-sha-256" : "trust", password)
    return await serve(place, folder, options)
  } catch (error) {
    await folder.remove()
    throw error
  }
}

const foldersIn = (root: string) => ({ data: join(root, "data"), sockets: join(root, "sockets") })

const serve = async (place: ClusterPlace, folder: GuardedFolder, options: PostgresOptions): Promise<PostgresServer> => {
  const port = await freePort()
  const start = () => startProcess(place, folder, port, options)
  const address = (role: string, database: string) =>
    `postgres://${role}${options.auth === "password" ? `:${password}` : ""}@127.0.0.1:${port}/${database}`

  let server = await start()
  const adminUrl = address("postgres", "postgres")
  let databases = 0
  const createDatabase = async (name: string, options = "") => {
    await administer(adminUrl, `create database ${name} owner edp ${options}`)
    return address("edp", name)
  }
  await administer(adminUrl, `create role edp login password '${password}'`)
  const url = await createDatabase("edp")
  const end = async (endProcess: (server: Launched) => void) => {
    if (server.running()) endProcess(server)
    await server.exited
    folder.forget()
  }
  const endOrderly = () => end((running) => running.kill("SIGINT"))
  return {
    url,
    adminUrl,
    port,
    createDatabase: (content = "empty") =>
      createDatabase(`edp_${++databases}`, content === "copy" ? "template edp" : ""),
    restart: async () => {
      await endOrderly()
      server = await start()
    },
    kill9: () => end((running) => killFamily(running.pid)),
    log: () => server.stderr(),
    stop: async () => {
      await endOrderly()
      await folder.remove()
    }
  }
}

const startProcess = async (place: ClusterPlace, folder: GuardedFolder, port: number, options: PostgresOptions) => {
  const settings = {
    fsync: options.fsync === false ? "off" : "on",
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: place.sockets,
    max_connections: "200",
    lc_messages: "C",
    ...options.settings
  }
  const args = Object.entries(settings).map(([name, value]) => `--${name}=${value}`)
  const program = join(place.binaries, "postgres")
  const started = await launch(program, ["-D", place.data, ...args], { cwd: place.root, ...place.account })
  folder.protect(started.pid)
  await started.printed(/database system is ready to accept connections/)
  return started
}

const administer = async (url: string, statement: string) => {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

export const postgresAvailable = (): boolean => postgresBinaries() !== undefined

/** A suite on a real PostgreSQL server. */
export const describePostgres = (name: string, suite: () => void): void =>
  describeServer("PostgreSQL", postgresAvailable(), name, suite)
