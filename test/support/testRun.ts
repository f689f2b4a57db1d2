import { execFile } from "node:child_process"
import { cpSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { TestProject } from "vitest/node"
import { compileCache } from "./surroundings.ts"
import { guardedFolder } from "./guardedFolder.ts"
import { postgresAvailable, startPostgres } from "./PostgresServer.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** A data folder with a migrated database that holds the postal codes. Suites copy it. */
    readonly preparedFolder: string
    /** A folder for apps and programs that outlive a file of tests; it is removed after the run. */
    readonly workersFolder: string
    /** The run's PostgreSQL server as its superuser, and such a database to copy. Absent where it isn't installed. */
    readonly postgres: { readonly adminUrl: string; readonly template: string } | null
  }
}

const run = promisify(execFile)
const program = fileURLToPath(new URL("prepareDatabase.ts", import.meta.url))
const hostedPages = fileURLToPath(new URL("../../packages/hosted-pages/src/build/build.ts", import.meta.url))

const prepareDatabase = (settings: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
  run(process.execPath, ["--conditions=@edp/source", "--liftoff-only", program, ...args], {
    env: { PATH: process.env["PATH"] ?? "", ...compileCache, ...settings }
  })

const GIB = 2 ** 30
const memory = { path: "/dev/shm", needed: 4 * GIB, left: 4 * GIB }

/**
 * The folder that Linux keeps in memory, if there is room for a run's files. Tests copy a database of 1,300 files some hundred times; in
 * memory a copy takes 0.05 s of computing instead of 0.3 to 1 s.
 */
const findMemory = () => {
  try {
    const { bavail, bsize } = statfsSync(memory.path)
    const isLarge = bavail * bsize > memory.needed && process.availableMemory() > memory.needed + memory.left
    return isLarge ? memory.path : undefined
  } catch {
    return undefined
  }
}

/** Losing data in a crash is no concern here: suites that crash the database start a server of their own. */
const settings = { max_connections: "500", full_page_writes: "off", synchronous_commit: "off" }

const startRunPostgres = async () => {
  if (!postgresAvailable()) return undefined
  const server = await startPostgres({ fsync: false, settings })
  await prepareDatabase({ DATABASE_URL: server.url })
  return server
}

/** Runs once before all test files: makes one database of each kind, which suites copy. */
export default async (project: TestProject) => {
  await run(process.execPath, ["--conditions=@edp/source", hostedPages])
  const inMemory = findMemory()
  process.env["EDP_TEST_RUN"] ??= `${Math.floor(Math.random() * 1000)}`
  // It is kept between runs, on the disk.
  Object.assign(process.env, compileCache)
  if (inMemory !== undefined) process.env["EDP_TEST_MEMORY"] = inMemory
  const folder = await guardedFolder("edp-tests", { parent: inMemory ?? tmpdir() })
  // Temporary files of the suites are on the same file system, and are gone with the run.
  process.env["TMPDIR"] = folder.path
  const preparedFolder = join(folder.path, "prepared")
  const serverFolder = join(folder.path, "prepared-for-servers")
  const prepareFolders = async () => {
    await prepareDatabase({ EDP_DATA_DIR: preparedFolder })
    cpSync(preparedFolder, serverFolder, { recursive: true })
    // Making partitions takes a fifth of the first start of a server. Suites that test how they are made have none yet.
    await prepareDatabase({ EDP_DATA_DIR: serverFolder }, "partitions")
  }
  const [server] = await Promise.all([startRunPostgres(), prepareFolders()])
  // Servers that tests start as processes find these there.
  process.env["EDP_TEST_PREPARED_FOLDER"] = serverFolder
  process.env["EDP_TEST_BUILDS"] = folder.path
  project.provide("preparedFolder", preparedFolder)
  project.provide("workersFolder", folder.path)
  project.provide("postgres", server === undefined ? null : { adminUrl: server.adminUrl, template: "edp" })
  return async () => {
    await server?.stop()
    await folder.remove()
  }
}
