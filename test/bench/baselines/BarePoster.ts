import { startWorker, type Worker } from "../setting/childProcess.ts"

export interface PostLoad {
  readonly url: string
  /** Serialised and signed for each request, as for a delivery. */
  readonly event: object
  readonly concurrency: number
  readonly seconds: number
}

export interface PostResult {
  readonly answered: number
  readonly perSecond: number
}

/** The platform's webhook sender in a loop, without the platform, in its own process. */
export const startBarePoster = (): Worker<PostLoad, PostResult> =>
  startWorker(new URL("barePosterProcess.ts", import.meta.url))
