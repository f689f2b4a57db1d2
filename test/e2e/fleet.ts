import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { type ServerOptions, type SpawnedServer, spawnServer } from "../support/spawnServer.ts"

export const times = (count: number) => Array.from({ length: count }, (_, index) => index)

/** Instances that start at the same time, each with a data folder of its own. */
export const startAll = (
  count: number,
  env: Readonly<Record<string, string>>,
  preload?: ServerOptions["preload"]
): Promise<ReadonlyArray<SpawnedServer>> =>
  Promise.all(times(count).map(() => spawnServer({ env, ...(preload !== undefined && { preload }) })))

export const stopAll = async (servers: ReadonlyArray<SpawnedServer>) => {
  for (const server of servers) expect(await server.stop()).toBe(0)
}

export const hasCredentials = ({ dataDir }: SpawnedServer) => existsSync(join(dataDir, "credentials.json"))

/** Only the instance that made the first keys has them on its disk. */
export const readCredentials = (servers: ReadonlyArray<SpawnedServer>) => servers.find(hasCredentials)!.credentials
