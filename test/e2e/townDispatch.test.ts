import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Client } from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import { rounds, testSeed } from "../support/rounds.ts"
import { useDatabases } from "../support/Databases.ts"
import { eventually } from "../support/eventually.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import { Random } from "../support/Random.ts"
import { type SpawnedServer, spawnServer } from "../support/spawnServer.ts"
import { simulatedBatteries } from "./town/batteries.ts"
import { each, makeTown } from "./town/makeTown.ts"
import { until, Workers } from "./town/Workers.ts"

const DAY = 86_400_000

/** 500 are a whole town. */
const batteries = Math.min(500, rounds(125))
/** Sites that take no part, and sites that end their part in the middle. */
const abstaining = Math.round(batteries * 0.08)
const leaving = Math.round(batteries * 0.04)
const durationSeconds = 120
/** Each home delivers at least this on average, W: batteries discharge with 3,840 W or more, which readings show a minute late. */
const LEAST_W = 1000
/** Days of which the town has readings. */
const pastDays = 5

/** The days of the sites are those of their workspace, which is in UTC. */
const toDate = (time: number) => new Date(time).toISOString().slice(0, 10)

describePostgres("a dispatch over the batteries of a town", () => {
  const databases = useDatabases()
  let database: Client
  let api: SpawnedServer
  let workers: Workers
  let folder: GuardedFolder
  beforeAll(async () => {
    folder = await guardedFolder("edp-town")
    const env = {
      DATABASE_URL: databases.url,
      EDP_RATE_LIMIT_READ: "1000000",
      EDP_RATE_LIMIT_WRITE: "1000000",
      EDP_RATE_LIMIT_BULK: "1000"
    }
    database = new Client({ connectionString: databases.url })
    await database.connect()
    api = await spawnServer({ env: { ...env, EDP_ROLE: "api" } })
    workers = new Workers(env, database)
    await workers.start()
  })
  afterAll(async () => {
    await workers?.stop()
    expect(await api?.stop()).toBe(0)
    await database?.end()
    await folder?.remove()
  })

  test(`lowers its import, touches no home that opted out, and leaves every battery as it was, though the worker is killed at each stage (seed ${testSeed})`, async () => {
    const random = new Random(testSeed)
    const { call, count, enroll, run, settle } = makeTown(api, database)
    const homes = await settle(batteries, pastDays)
    const instanceId = await enroll(homes)
    const before = await simulatedBatteries(database)
    expect(before.size).toBe(batteries)

    // The days of the past count as holidays, and so does today: so that they are alike, whatever the day of the week.
    const startsAt = Math.ceil(Date.now() / 1000 + 15) * 1000
    const endsAt = startsAt + durationSeconds * 1000
    const extraHolidays = Array.from({ length: pastDays + 2 }, (_, n) => toDate(endsAt - n * DAY))
    const dispatch = await call("POST", `/v1/programInstances/${instanceId}/dispatches`, {
      name: "Hot evening",
      intervals: [
        {
          startsAt: new Date(startsAt).toISOString(),
          durationSeconds,
          actions: {
            battery: { operatingMode: "discharge", enableGridInteraction: true, minimumBatteryReserve: 0 }
          }
        }
      ],
      baseline: { method: "x-of-y", parameters: { x: 3, y: 3, extraHolidays } },
      nominatedPowerW: 500_000
    })
    expect(dispatch.participants.notified).toBe(batteries)
    const optOut = ({ siteId }: { readonly siteId: string }) =>
      call("POST", `/v1/dispatches/${dispatch.id}/participants/${siteId}/opt-out`, {})
    const untouched = homes.slice(0, abstaining)
    await each(untouched, optOut)
    const asked = batteries - abstaining

    // While the commands are being issued.
    const delivered = "commands WHERE source_id = $1 AND delivered_at IS NOT NULL"
    await until(startsAt)
    const some = Math.round(asked * (0.05 + random.next() * 0.25))
    await eventually("some commands were sent", async () =>
      (await count(delivered, dispatch.id)) >= some ? true : undefined
    )
    await workers.kill()
    expect(await count(delivered, dispatch.id)).toBeLessThan(asked)
    await workers.start()
    await eventually("all commands were sent", async () =>
      (await count(delivered, dispatch.id)) === asked ? true : undefined
    )

    // While the modes hold.
    const held = await simulatedBatteries(database)
    expect([...held.values()].filter(({ forced }) => forced?.mode === "discharge")).toHaveLength(asked)
    const left = homes.slice(abstaining, abstaining + leaving)
    await each(left, optOut)
    await eventually("the homes that opted out have their settings back", async () => {
      const now = await simulatedBatteries(database)
      return left.every(({ account }) => now.get(account)!.forced === null) ? true : undefined
    })
    await workers.kill()
    await workers.start()

    // While the settings are restored.
    const ended = "forced_modes WHERE phase = 'ended'"
    await until(endsAt)
    const restored = leaving + Math.round((asked - leaving) * (0.05 + random.next() * 0.25))
    await eventually("some settings were restored", async () => ((await count(ended)) >= restored ? true : undefined))
    await workers.kill()
    expect(await count(ended)).toBeLessThan(asked)
    await workers.start()
    await eventually(
      "the dispatch has ended at every site",
      async () => {
        const { participants, status } = await call("GET", `/v1/dispatches/${dispatch.id}`)
        return status === "completed" && participants.done + participants.opted_out === batteries ? true : undefined
      },
      90_000
    )
    await eventually("all settings were restored", async () => ((await count(ended)) === asked ? true : undefined))
    expect(await count("devices WHERE forced_mode IS NOT NULL")).toBe(0)

    const after = await simulatedBatteries(database)
    for (const { account } of homes) {
      const { forced, settings } = after.get(account)!
      expect({ account, forced, settings }).toEqual({
        account,
        forced: null,
        settings: before.get(account)!.settings
      })
    }
    expect(untouched.filter(({ account }) => after.get(account)!.touched)).toEqual([])
    expect([...after.values()].filter(({ touched }) => touched)).toHaveLength(asked)

    const report = await call("GET", `/v1/dispatches/${dispatch.id}/report`)
    expect(report).toMatchObject({ status: "completed", sitesTotal: batteries, indicative: false })
    expect(report.leftOut).toContainEqual({ reason: "opted_out", sites: abstaining + leaving })
    // Nearly every home has a meter, or an inverter that measures the grid.
    expect(report.sitesCounted).toBeGreaterThan(asked / 2)
    expect(report.deliveredPowerW).toBeGreaterThan(LEAST_W * report.sitesCounted)
    const sum = (name: string) => report.intervals.reduce((all: number, one: any) => all + one[name], 0)
    expect(sum("baselineWh") - sum("actualWh")).toBeCloseTo(report.deliveredWh, 1)
    const svg = join(folder.path, "report.svg")
    const plot = await run("dispatches", "report", dispatch.id)
    expect(plot.stdout).toMatch(/actual +━ baseline \(x-of-y\)/)
    await run("dispatches", "report", dispatch.id, "--svg", svg)
    expect(readFileSync(svg, "utf8")).toContain("</svg>")
  })
})
