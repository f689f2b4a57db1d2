import { type BareResult, startBareClient } from "../baselines/BareClient.ts"
import { countStatement, type ListedBy, listings, pageStatement } from "../baselines/devicePage.ts"
import type { Benchmark, Figure, Setting } from "../Figure.ts"
import { startLoad, type LoadResult } from "../load/Load.ts"
import { inTurns } from "../rounds.ts"
import { onPostgres, type PostgresSetting } from "../setting/postgresSetting.ts"
import { median } from "../statistics.ts"
import { cursorWalk } from "./cursorWalk.ts"

const DEVICES = 1_000_000
const SITES = 100_000
const PER_PAGE = 50
const CONNECTIONS = 64
/** Connections to the database: the platform's own number, and the bare client's. */
const POOL = 10
const ROUNDS = 3

const speed = (results: ReadonlyArray<LoadResult | BareResult>) => median(results.map(({ perSecond }) => perSecond))
const latency = (results: ReadonlyArray<LoadResult | BareResult>) => median(results.map(({ p50 }) => p50))

const measure = async (
  { postgres, platform }: PostgresSetting,
  { note, patience }: Setting
): Promise<ReadonlyArray<Figure>> => {
  const { serverKey: key, workspaceId } = platform.credentials
  const { port } = platform
  const load = startLoad()
  const bare = startBareClient(postgres.url)
  const figures: Array<Figure> = []

  const compare = async (by: ListedBy, connections: number, seconds: number) => {
    const path = `/v1/devices?perPage=${PER_PAGE}${by.query === "" ? "" : `&${by.query}`}`
    const page = pageStatement(by, PER_PAGE)
    const statements = by.query === "" ? [page] : [page, countStatement(by)]
    const results = await inTurns<"ours" | "bare", LoadResult | BareResult>(
      {
        ours: () =>
          load.ask({ port, key, traffic: { kind: "get", paths: [path] }, connections, seconds: seconds * patience }),
        bare: () =>
          bare.ask({
            work: { kind: "read", statements },
            concurrency: connections,
            connections: Math.min(connections, POOL),
            seconds: seconds * patience
          })
      },
      ROUNDS
    )
    const what = by.query === "" ? "the bare page, no filter" : `bare page and count, ${by.query}`
    const { ours, bare: theirs } = results
    figures.push(
      connections === 1
        ? {
            name: `time of a request alone against ${what}`,
            measured: latency(ours) / latency(theirs),
            unit: "×",
            behind: `${latency(ours).toFixed(2)} ms against ${latency(theirs).toFixed(2)} ms`
          }
        : {
            name: `time of a request, ${connections} at once, against ${what}`,
            measured: speed(theirs) / speed(ours),
            unit: "×",
            target: { atMost: 2 },
            behind: `${speed(ours).toFixed(0)}/s against ${speed(theirs).toFixed(0)}/s`
          }
    )
  }

  try {
    const [whole, ...filtered] = listings(workspaceId)
    note("the whole list")
    await load.ask({
      port,
      key,
      traffic: { kind: "get", paths: ["/v1/devices?perPage=50"] },
      connections: 8,
      seconds: 2
    })
    await compare(whole!, CONNECTIONS, 3)
    await compare(whole!, 1, 1)
    for (const by of filtered) {
      note(by.query)
      await compare(by, CONNECTIONS, 1.5)
    }
    note("the cursor walk")
    const { devices, first, last } = await cursorWalk(port, key)
    if (devices !== DEVICES) throw new Error(`The walk met ${devices} devices instead of ${DEVICES}`)
    figures.push({
      name: "cursor walk over all devices: a page at the end against one at the beginning",
      measured: last / first,
      unit: "×",
      target: { atMost: 1.2 },
      behind: `${last.toFixed(2)} ms against ${first.toFixed(2)} ms for 100 devices`
    })
    return figures
  } finally {
    await load.stop()
    await bare.stop()
  }
}

/** GET /v1/devices in a workspace of a million devices. */
export const devicesList: Benchmark = {
  name: "devices-list",
  run: (setting) => {
    setting.note("makes a million devices")
    return onPostgres(setting, { devices: DEVICES, sites: SITES }, (on) => measure(on, setting))
  }
}
