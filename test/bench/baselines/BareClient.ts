import { startWorker, type Worker } from "../setting/childProcess.ts"

/** The repeated work of the bare client. */
export type Work =
  /** One statement that inserts this number of readings of these devices; with `states` it moves their states forward, too. */
  | {
      readonly kind: "insert"
      readonly deviceIds: ReadonlyArray<string>
      readonly readings: number
      readonly from: number
      readonly states: boolean
    }
  /** These statements, one after the other in one turn. */
  | { readonly kind: "read"; readonly statements: ReadonlyArray<string> }

export interface BareLoad {
  readonly work: Work
  /** Turns under way at once. */
  readonly concurrency: number
  readonly connections: number
  readonly seconds: number
}

export interface BareResult {
  readonly turns: number
  readonly perSecond: number
  /** Milliseconds a turn. */
  readonly p50: number
  readonly p99: number
}

/** The database client that the platform uses, without the platform: a process of its own. */
export const startBareClient = (databaseUrl: string): Worker<BareLoad, BareResult> =>
  startWorker(new URL("bareClientProcess.ts", import.meta.url), { DATABASE_URL: databaseUrl })
