import { startWorker, type Worker } from "../setting/childProcess.ts"
import type { Traffic } from "./requests.ts"

export interface Load {
  readonly port: number
  readonly key: string
  readonly traffic: Traffic
  readonly connections: number
  readonly seconds: number
  /** Ends the run after this number of requests instead, regardless of the time. */
  readonly requests?: number
}

export interface LoadResult {
  readonly answered: number
  readonly perSecond: number
  /** Milliseconds from sending a request to having its whole response. */
  readonly p50: number
  readonly p99: number
  readonly longest: number
}

/** The load generator, a process of its own. A run in which any response is not 200 fails. */
export const startLoad = (): Worker<Load, LoadResult> => startWorker(new URL("loadGenerator.ts", import.meta.url))
