import type { Benchmark, Figure, Setting } from "../Figure.ts"
import { startLoad } from "../load/Load.ts"
import type { Traffic } from "../load/requests.ts"
import { inTurns } from "../rounds.ts"
import { awaitRolled } from "../setting/awaitRolled.ts"
import { makeFleet } from "../setting/everyRequest.ts"
import { startPlatform } from "../setting/platform.ts"
import { startPostgres } from "../../support/PostgresServer.ts"
import { guardedFolder } from "../../support/guardedFolder.ts"
import { median } from "../statistics.ts"

const DEVICES = 500
const CONNECTIONS = 64
const READINGS = 1000
const MINUTE = 60_000
const DAY = 1440 * MINUTE
const ROUNDS = 3
/** How long the roller rests when it has nothing to do: to be that much behind is no work. */
const REST = 2000

/** Requests of a round, each with this number of readings: enough that every device is rolled up several times in it. */
const sizes = { bulk: { requests: 400, readings: READINGS }, single: { requests: 60_000, readings: 1 } } as const

type Kind = keyof typeof sizes

interface Side {
  readonly databaseUrl: string
  readonly port: number
  readonly key: string
  readonly deviceIds: ReadonlyArray<string>
  readonly stop: () => Promise<void>
}

const makeTraffic = (kind: Kind, deviceIds: ReadonlyArray<string>, from: number): Traffic =>
  kind === "bulk"
    ? { kind, deviceIds, readings: READINGS, from, step: MINUTE }
    : { kind, deviceIds, taken: { from, step: MINUTE } }

const measure = async (
  withRoller: Side,
  without: Side,
  { note, patience }: Setting
): Promise<ReadonlyArray<Figure>> => {
  const load = startLoad()
  const next = new Map<Side, number>()

  /** Readings a second, from the first push until all have responses and, with the roller, are rolled up except for its pauses. */
  const ingest = (side: Side, kind: Kind) => async () => {
    const from = next.get(side) ?? Math.floor(Date.now() / DAY) * DAY - 100 * DAY
    next.set(side, from + 4 * DAY)
    const { readings } = sizes[kind]
    const requests = Math.round(sizes[kind].requests * patience)
    const { port, key, deviceIds, databaseUrl } = side
    const began = performance.now()
    const traffic = makeTraffic(kind, deviceIds, from)
    await load.ask({ port, key, traffic, connections: kind === "bulk" ? 8 : CONNECTIONS, seconds: 0, requests })
    const answered = performance.now() - began
    if (side === withRoller) await awaitRolled(databaseUrl)
    const rolled = performance.now() - began - REST
    return (requests * readings) / (Math.max(answered, rolled) / 1000)
  }

  const compare = async (kind: Kind): Promise<Figure> => {
    note(kind)
    await ingest(withRoller, kind)()
    await ingest(without, kind)()
    const results = await inTurns({ on: ingest(withRoller, kind), off: ingest(without, kind) }, ROUNDS)
    const [on, off] = [median(results.on), median(results.off)]
    return {
      name: `${kind} pushes until all is rolled up, against the same without the roller: what it costs`,
      measured: (1 - on / off) * 100,
      unit: "%",
      target: { atMost: 25 },
      behind: `${on.toFixed(0)} against ${off.toFixed(0)} readings/s, a reading a minute of each of ${DEVICES} devices`
    }
  }

  try {
    return [await compare("bulk"), await compare("single")]
  } finally {
    await load.stop()
  }
}

/** A platform with a fleet on a database of its own: what one has still to roll up is no work of the other. */
const startSide = async (databaseUrl: string, dataDir: string, role: string, setting: Setting): Promise<Side> => {
  const platform = await startPlatform({ databaseUrl, dataDir, role, profiles: setting.profiles })
  const deviceIds = await makeFleet(platform, DEVICES)
  const { port, credentials, stop } = platform
  return { databaseUrl, port, key: credentials.manufacturerKey, deviceIds, stop }
}

/** The cost of rollups for the ingest. Without its workers an instance neither rolls up nor marks. */
export const rollupCost: Benchmark = {
  name: "rollup-cost",
  run: async (setting) => {
    const postgres = await startPostgres()
    const folder = await guardedFolder("edp-bench")
    const sides: Array<Side> = []
    const start = async (role: string) => {
      const side = await startSide(await postgres.createDatabase(), `${folder.path}/${role}`, role, setting)
      sides.push(side)
      return side
    }
    try {
      return await measure(await start("all"), await start("api"), setting)
    } finally {
      for (const { stop } of sides) await stop()
      await postgres.stop()
      await folder.remove()
    }
  }
}
