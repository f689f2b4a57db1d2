import { randomBytes } from "node:crypto"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { createClient } from "@clickhouse/client"
import { describeServer } from "../describeServer.ts"
import { freePort } from "../freePort.ts"
import { guardedFolder } from "../guardedFolder.ts"
import { launch } from "../launch.ts"

export interface ClickHouseServer {
  /** With the password, as `EDP_CLICKHOUSE_URL` takes it. */
  readonly url: string
  /** Rows of a statement, on the server itself. */
  readonly rows: (statement: string) => Promise<ReadonlyArray<ReadonlyArray<string | number>>>
  readonly run: (statement: string) => Promise<void>
  /** Calls back with `begin SELECT`, `end INSERT` and the like; nothing on a server from elsewhere. */
  readonly onStatement: (listen: (event: string) => void) => void
  /** Ends the server at once, as an outage does; undefined on a server from elsewhere. */
  readonly stop: (() => Promise<void>) | undefined
  /** Starts it again on the same port with the same data. */
  readonly start: () => Promise<void>
  readonly close: () => Promise<void>
}

const runOn = (url: string) => async (statement: string) => {
  const { origin, username, password, pathname } = new URL(url)
  const client = createClient({
    url: origin,
    username: username || "default",
    password,
    ...(pathname.length > 1 && { database: pathname.slice(1) })
  })
  await client.command({ query: statement }).finally(() => client.close())
}

const rowsOn = (url: string) => async (statement: string) => {
  const { origin, username, password, pathname } = new URL(url)
  const client = createClient({
    url: origin,
    username: username || "default",
    password,
    ...(pathname.length > 1 && { database: pathname.slice(1) })
  })
  try {
    return await (
      await client.query({ query: statement, format: "JSONCompactEachRow" })
    ).json<ReadonlyArray<string | number>>()
  } finally {
    await client.close()
  }
}

const given = process.env["EDP_TEST_CLICKHOUSE_URL"]

/** A database of its own on the server that `EDP_TEST_CLICKHOUSE_URL` names. */
const openGiven = async (address: string): Promise<ClickHouseServer> => {
  const database = `edp_test_${randomBytes(6).toString("hex")}`
  const url = new URL(address)
  const run = runOn(address)
  await run(`CREATE DATABASE ${database}`)
  url.pathname = `/${database}`
  return {
    url: url.href,
    rows: rowsOn(url.href),
    run: runOn(url.href),
    onStatement: () => undefined,
    stop: undefined,
    start: () => Promise.resolve(),
    close: () => run(`DROP DATABASE ${database}`)
  }
}

/** A throwaway server on the engine of the package `chdb`, in a process of its own. It ends when this process ends at the latest. */
const openOwn = async (): Promise<ClickHouseServer> => {
  const folder = await guardedFolder("edp-clickhouse")
  const port = await freePort()
  const password = "for-tests-only"
  const listeners = new Set<(event: string) => void>()
  const script = fileURLToPath(new URL("serveChdb.ts", import.meta.url))
  const launchServer = async () => {
    const started = await launch(process.execPath, [script, `${folder.path}/data`, String(port), password], {
      cwd: folder.path
    })
    folder.protect(started.pid)
    started.onOutput((text) => {
      for (const line of text.split("\n")) for (const listen of line === "" ? [] : listeners) listen(line)
    })
    await started.printed(/^ready$/mu)
    return started
  }
  let server = await launchServer()
  const stop = async () => {
    if (server.running()) server.kill("SIGKILL")
    await server.exited
    folder.forget()
  }
  const url = `http://default:${password}@127.0.0.1:${port}`
  return {
    url,
    rows: rowsOn(url),
    run: runOn(url),
    onStatement: (listen) => void listeners.add(listen),
    stop,
    start: async () => {
      if (!server.running()) server = await launchServer()
    },
    close: async () => {
      await stop()
      await folder.remove()
    }
  }
}

export const startClickHouse = (): Promise<ClickHouseServer> => (given === undefined ? openOwn() : openGiven(given))

const isInstalled = () => {
  try {
    const library = createRequire(createRequire(import.meta.url).resolve("chdb"))
    library.resolve(
      `@chdb/lib-${process.platform}-${process.arch}${process.platform === "linux" ? "-gnu" : ""}/package.json`
    )
    return true
  } catch {
    return false
  }
}

/** A suite on a real ClickHouse. */
export const describeClickHouse = (name: string, suite: () => void): void =>
  describeServer("ClickHouse", given !== undefined || isInstalled(), name, suite)
