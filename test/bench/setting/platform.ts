import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { freePort } from "../../support/freePort.ts"
import type { Credentials } from "../../support/spawnServer.ts"
import { awaitReady } from "./awaitReady.ts"
import { startNode } from "./childProcess.ts"

const main = fileURLToPath(new URL("../../../packages/server/src/main.ts", import.meta.url))
const limit = "1000000"

export interface Platform {
  readonly pid: number
  readonly port: number
  readonly dataDir: string
  readonly readyAfterSeconds: number
  readonly credentials: Credentials
  readonly stop: () => Promise<void>
}

export interface PlatformOptions {
  /** The folder of its data and its first keys. */
  readonly dataDir: string
  /** Without it the embedded database is used. */
  readonly databaseUrl?: string | undefined
  /** The role of the process, EDP_ROLE; all by default. */
  readonly role?: string
  /** Further settings. */
  readonly env?: Readonly<Record<string, string>>
  /** The path of the CPU profile that the process writes when it stops; without it, none is taken. */
  readonly profiles?: string | undefined
}

/** The server as it is deployed, with rate limits above the load. */
export const startPlatform = async (options: PlatformOptions): Promise<Platform> => {
  const { dataDir, databaseUrl, profiles, role = "all" } = options
  const port = await freePort()
  const env = {
    PORT: `${port}`,
    EDP_HOST: "127.0.0.1",
    EDP_DATA_DIR: dataDir,
    EDP_ROLE: role,
    EDP_RATE_LIMIT_READ: limit,
    EDP_RATE_LIMIT_WRITE: limit,
    EDP_RATE_LIMIT_BULK: limit,
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    ...options.env
  }
  const started = startNode(main, env, profiles === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profiles}`])
  const readyAfterSeconds = await awaitReady(started, port)
  const credentials: Credentials = JSON.parse(readFileSync(join(dataDir, "credentials.json"), "utf8"))
  return { pid: started.pid, port, dataDir, readyAfterSeconds, credentials, stop: started.stop }
}
