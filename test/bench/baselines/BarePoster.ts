import { startWorker, type Worker } from "../setting/childProcess.ts"

export interface PostLoad {
  readonly url: string
  readonly body: string
  readonly concurrency: number
  readonly seconds: number
}

export interface PostResult {
  readonly answered: number
  readonly perSecond: number
}

/** The HTTP client that the platform delivers with, without the platform: a process of its own. */
export const startBarePoster = (): Worker<PostLoad, PostResult> =>
  startWorker(new URL("barePosterProcess.ts", import.meta.url))
