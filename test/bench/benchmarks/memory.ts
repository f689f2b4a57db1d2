import type { Benchmark, Figure, Setting } from "../Figure.ts"
import { startPostgres } from "../../support/PostgresServer.ts"
import { guardedFolder } from "../../support/guardedFolder.ts"
import { startLoad } from "../load/Load.ts"
import { everyRequest } from "../setting/everyRequest.ts"
import { startPlatform } from "../setting/platform.ts"
import { idleMemory } from "../setting/residentMemory.ts"

const DEVICES = 100
const READINGS = 1000
const CONNECTIONS = 4
const DAY = 86_400_000

const measure = async (
  database: string,
  databaseUrl: string | undefined,
  most: number,
  { note }: Setting
): Promise<ReadonlyArray<Figure>> => {
  const folder = await guardedFolder("edp-bench")
  const load = startLoad()
  const platform = await startPlatform({ dataDir: folder.path, databaseUrl })
  try {
    const deviceIds = await everyRequest(platform, DEVICES)
    const idle = await idleMemory(platform.pid)
    const ingest = async (readings: number, daysAgo: number) => {
      note(`${database}: ingests ${readings} readings`)
      const traffic = { kind: "bulk", deviceIds, readings: READINGS, from: Date.now() - daysAgo * DAY } as const
      const key = platform.credentials.manufacturerKey
      const requests = readings / READINGS
      await load.ask({ port: platform.port, key, traffic, connections: CONNECTIONS, seconds: 0, requests })
      return idleMemory(platform.pid)
    }
    const atFirst = await ingest(100_000, 60)
    const later = await ingest(900_000, 40)
    return [
      { name: `idle, ${database}`, measured: idle, unit: "MB", target: { atMost: most } },
      {
        name: `growth from 100,000 to 1,000,000 readings, ${database}`,
        measured: (later / atFirst - 1) * 100,
        unit: "%",
        target: { atMost: 10 },
        behind: `${atFirst.toFixed(0)} MB, then ${later.toFixed(0)} MB`
      }
    ]
  } finally {
    await platform.stop()
    await load.stop()
    await folder.remove()
  }
}

/** Resident memory of the server's process when nothing happens. */
export const memory: Benchmark = {
  name: "memory",
  run: async (setting) => {
    const postgres = await startPostgres()
    try {
      return [
        ...(await measure("PostgreSQL", postgres.url, 200, setting)),
        ...(await measure("embedded", undefined, 450, setting))
      ]
    } finally {
      await postgres.stop()
    }
  }
}
