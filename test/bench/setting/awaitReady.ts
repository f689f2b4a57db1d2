import { setTimeout } from "node:timers/promises"
import { readStatus } from "../../support/callAt.ts"
import type { Started } from "./childProcess.ts"

const PATIENCE_MS = 300_000
const POLL_MS = 10

/** Resolves with the seconds from the start of the process until it answered that it is ready. */
export const awaitReady = async (started: Started, port: number, path = "/health/ready"): Promise<number> => {
  while (started.running() && performance.now() - started.startedAt < PATIENCE_MS) {
    if ((await readStatus(`http://127.0.0.1:${port}${path}`, 2000)) === 200) {
      return (performance.now() - started.startedAt) / 1000
    }
    await setTimeout(POLL_MS)
  }
  await started.stop()
  throw new Error("A server under measurement did not become ready")
}
