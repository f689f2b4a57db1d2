import { type BareLoad, type BareResult, startBareClient } from "../baselines/BareClient.ts"
import type { Figure, Setting } from "../Figure.ts"
import { type LoadResult, startLoad } from "../load/Load.ts"
import type { Traffic } from "../load/requests.ts"
import { inTurns } from "../rounds.ts"
import type { PostgresSetting } from "../setting/postgresSetting.ts"
import { median } from "../statistics.ts"

/** Connections to the database: the platform's own number, and the bare client's. */
const POOL = 10
const ROUNDS = 3

const speed = (results: ReadonlyArray<LoadResult | BareResult>) => median(results.map(({ perSecond }) => perSecond))
const latency = (results: ReadonlyArray<LoadResult | BareResult>) => median(results.map(({ p50 }) => p50))

/** A request, and what the bare client runs for the same rows. */
export interface Page {
  /** The name of the bare statements, after "against". */
  readonly against: string
  readonly traffic: Traffic
  readonly statements: ReadonlyArray<string>
}

export interface Pages {
  /** With one connection the time of a request is informative; with more, twice the bare time is the target. */
  readonly compare: (page: Page, connections: number, seconds: number) => Promise<Figure>
  /** Requests that are not measured. */
  readonly warm: (traffic: Traffic) => Promise<void>
  readonly stop: () => Promise<void>
}

/** Compares pages that the platform returns with the statements for them, each in processes of their own. */
export const comparePages = ({ postgres, platform }: PostgresSetting, { patience }: Setting): Pages => {
  const { port } = platform
  const { serverKey: key } = platform.credentials
  const load = startLoad()
  const bare = startBareClient(postgres.url)

  return {
    compare: async ({ against, traffic, statements }, connections, seconds) => {
      const bareLoad: BareLoad = {
        work: { kind: "read", statements },
        concurrency: connections,
        connections: Math.min(connections, POOL),
        seconds: seconds * patience
      }
      const { ours, bare: theirs } = await inTurns<"ours" | "bare", LoadResult | BareResult>(
        {
          ours: () => load.ask({ port, key, traffic, connections, seconds: seconds * patience }),
          bare: () => bare.ask(bareLoad)
        },
        ROUNDS
      )
      if (connections === 1) {
        return {
          name: `time of a request alone against ${against}`,
          measured: latency(ours) / latency(theirs),
          unit: "×",
          behind: `${latency(ours).toFixed(2)} ms against ${latency(theirs).toFixed(2)} ms`
        }
      }
      return {
        name: `time of a request, ${connections} at once, against ${against}`,
        measured: speed(theirs) / speed(ours),
        unit: "×",
        target: { atMost: 2 },
        behind: `${speed(ours).toFixed(0)}/s against ${speed(theirs).toFixed(0)}/s`
      }
    },
    warm: async (traffic) => {
      await load.ask({ port, key, traffic, connections: 8, seconds: 2 })
    },
    stop: async () => {
      await load.stop()
      await bare.stop()
    }
  }
}
