import { startWorker, type Worker } from "../setting/childProcess.ts"

/** Commands in a table with the columns id, status and executed_at. */
export interface BareHandover {
  readonly databaseUrl: string
  readonly table: string
  /** Port of the manufacturer's cloud. */
  readonly port: number
  readonly concurrency: number
  /** Calls in a window; without it there is no limit. */
  readonly quota: { readonly calls: number; readonly windowMs: number } | undefined
}

/**
 * The bare loop: it reads the pending commands, and for each waits for a place in the quota, calls the manufacturer and updates the row,
 * some of them at once. It returns how many seconds all of them took.
 */
export const startBareHandover = (): Worker<BareHandover, number> =>
  startWorker(new URL("bareHandoverProcess.ts", import.meta.url))
