import { startPostgres } from "../../support/PostgresServer.ts"
import { guardedFolder } from "../../support/guardedFolder.ts"
import type { Benchmark } from "../Figure.ts"
import { startPlatform } from "../setting/platform.ts"
import { median } from "../statistics.ts"

const TIMES = 3
const MOST_SECONDS = 5

interface StartOptions {
  readonly dataDir: string
  readonly databaseUrl?: string
}

const secondsToStart = async (place: StartOptions) => {
  const platform = await startPlatform(place)
  await platform.stop()
  return platform.readyAfterSeconds
}

/** The first start in new places, and then the later ones in one of them. */
const starts = async (newPlace: () => Promise<StartOptions>) => {
  const first: Array<number> = []
  const later: Array<number> = []
  for (let time = 0; time < TIMES; time++) {
    const place = await newPlace()
    first.push(await secondsToStart(place))
    later.push(await secondsToStart(place))
  }
  return { first: median(first), later: median(later) }
}

const figure = (name: string, measured: number) => ({
  name,
  measured,
  unit: "s" as const,
  target: { atMost: MOST_SECONDS }
})

/** From the start of the node process until the server says that it is ready. */
export const start: Benchmark = {
  name: "start",
  run: async () => {
    const postgres = await startPostgres()
    const folder = await guardedFolder("edp-bench")
    let places = 0
    const dataDir = () => `${folder.path}/${++places}`
    try {
      const onPostgres = await starts(async () => ({
        dataDir: dataDir(),
        databaseUrl: await postgres.createDatabase()
      }))
      const embedded = await starts(async () => ({ dataDir: dataDir() }))
      return [
        figure("ready on PostgreSQL, empty database", onPostgres.first),
        figure("ready on PostgreSQL", onPostgres.later),
        figure("ready on the embedded database, new folder", embedded.first),
        figure("ready on the embedded database", embedded.later)
      ]
    } finally {
      await postgres.stop()
      await folder.remove()
    }
  }
}
