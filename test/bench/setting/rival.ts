import { fileURLToPath } from "node:url"
import { freePort } from "../../support/freePort.ts"
import { awaitReady } from "./awaitReady.ts"
import { startNode } from "./childProcess.ts"

export interface Rival {
  readonly pid: number
  readonly port: number
  readonly stop: () => Promise<void>
}

/** Another server to measure against, as a process of its own. */
export const startRival = async (file: string, env: Readonly<Record<string, string>> = {}): Promise<Rival> => {
  const port = await freePort()
  const path = fileURLToPath(new URL(`../rivals/${file}`, import.meta.url))
  const started = startNode(path, { PORT: `${port}`, ...env })
  await awaitReady(started, port)
  return { pid: started.pid, port, stop: started.stop }
}
