import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "pg"
import {
  type ClusterPlace,
  copyPostgresCluster,
  createPostgresCluster,
  postgresBinaries,
  serverAccount
} from "./postgresCluster.ts"
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

export interface PostgresReplica {
  /** The database `edp`, as an ordinary role that owns it, as in a deployment. */
  readonly url: string
  /** The same server as its superuser. */
  readonly adminUrl: string
  readonly address: (role: string, database: string) => string
  readonly port: number
  /** Stops the server if it runs, breaking open connections, and starts it again on the same port with the same data. */
  readonly restart: () => Promise<void>
  /** Ends every process of the server at once, as a crash does. */
  readonly kill9: () => Promise<void>
  /** The server's log since its last start. */
  readonly log: () => string
  /** Stops the server and removes its data. */
  readonly stop: () => Promise<void>
}

export interface PostgresServer extends PostgresReplica {
  /** Creates a database owned by the ordinary role, empty or as a copy of `edp`, and returns its address. */
  readonly createDatabase: (content?: "empty" | "copy") => Promise<string>
}

const password = "for-tests-only"

/** A throwaway PostgreSQL server. It ends when this process ends at the latest. */
export const startPostgres = (options: PostgresOptions = {}): Promise<PostgresServer> =>
  startIn(options, async (place, folder) => {
    await createPostgresCluster(place, options.auth === "password" ? "scram-sha-256" : "trust", password)
    const running = await run(place, folder, options)
    let databases = 0
    const createDatabase = async (name: string, more = "") => {
      await administer(running.adminUrl, `create database ${name} owner edp ${more}`)
      return running.address("edp", name)
    }
    await administer(running.adminUrl, `create role edp login password '${password}'`)
    await createDatabase("edp")
    return {
      ...running,
      createDatabase: (content = "empty") =>
        createDatabase(`edp_${++databases}`, content === "copy" ? "template edp" : "")
    }
  })

/** A streaming replica of a server that asks for no passwords. */
export const startReplica = (primary: PostgresServer, options: PostgresOptions = {}): Promise<PostgresReplica> =>
  startIn(options, async (place, folder) => {
    await copyPostgresCluster(place, primary.port)
    return run(place, folder, options)
  })

const startIn = async <Server>(
  options: PostgresOptions,
  start: (place: ClusterPlace, folder: GuardedFolder) => Promise<Server>
) => {
  const binaries = postgresBinaries()
  if (binaries === undefined) throw new Error("PostgreSQL is not installed")
  const account = serverAccount()
  // The server's account must be able to read the folder, and root's folder for temporary files may be private.
  const parent = process.env["EDP_TEST_MEMORY"] ?? (account === undefined ? tmpdir() : "/tmp")
  const folder = await guardedFolder("edp-postgres", { signal: "QUIT", parent })
  try {
    return await start({ binaries, root: folder.path, account, ...foldersIn(folder.path) }, folder)
  } catch (error) {
    await folder.remove()
    throw error
  }
}

const foldersIn = (root: string) => ({ data: join(root, "data"), sockets: join(root, "sockets") })

const run = async (place: ClusterPlace, folder: GuardedFolder, options: PostgresOptions) => {
  const port = await freePort()
  const start = () => startProcess(place, folder, port, options)
  const address = (role: string, database: string) =>
    `postgres://${role}${options.auth === "password" ? `:${password}` : ""}@127.0.0.1:${port}/${database}`

  let server = await start()
  const end = async (endProcess: (server: Launched) => void) => {
    if (server.running()) endProcess(server)
    await server.exited
    folder.forget()
  }
  const endOrderly = () => end((running) => running.kill("SIGINT"))
  return {
    url: address("edp", "edp"),
    adminUrl: address("postgres", "postgres"),
    address,
    port,
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
  await started.printed(/database system is ready to accept (?:read-only )?connections/)
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
