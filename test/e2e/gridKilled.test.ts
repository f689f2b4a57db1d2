import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { addDuration } from "@edp/domain/openadr/durations"
import { Client } from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import { useDatabases } from "../support/Databases.ts"
import { eventually } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { FakeVtn } from "../support/peers/FakeVtn.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import { Random } from "../support/Random.ts"
import { rounds, testSeed } from "../support/rounds.ts"
import { type SpawnedServer, spawnServer } from "../support/spawnServer.ts"
import { simulatedBatteries } from "./town/batteries.ts"
import { makeTown } from "./town/makeTown.ts"
import { ChangingEvents, modes, reportKey } from "./town/ChangingEvents.ts"

const kills = rounds(3)
const homes = 3
const MINUTE = 60_000
const HOUR = 60 * MINUTE

describePostgres("a plan that follows a VTN", () => {
  const databases = useDatabases()
  const vtn = new FakeVtn()
  let database: Client
  let folder: GuardedFolder
  let server: SpawnedServer
  let start: () => Promise<SpawnedServer>
  beforeAll(async () => {
    folder = await guardedFolder("edp-grid-killed")
    await vtn.open()
    const env = {
      DATABASE_URL: databases.url,
      EDP_ALLOW_PRIVATE_DESTINATIONS: "true",
      EDP_RATE_LIMIT_READ: "1000000",
      EDP_RATE_LIMIT_WRITE: "1000000"
    }
    database = new Client({ connectionString: databases.url })
    await database.connect()
    const port = await freePort()
    start = () => spawnServer({ port, dataDir: join(folder.path, "data"), env })
    server = await start()
  })
  afterAll(async () => {
    expect(await server?.stop()).toBe(0)
    await database?.end()
    await vtn.close()
    await folder?.remove()
  })

  /** Leases of a process that was killed end at once, as after some minutes, and the VTN is polled now. */
  const expedite = async () => {
    await database.query("UPDATE device_work SET lease_until = clock_timestamp() WHERE claim IS NOT NULL")
    await database.query("UPDATE account_work SET due_at = now() WHERE claim IS NOT NULL")
    await database.query("UPDATE grid_connections SET poll_at = now()")
  }

  /** Kills the service at a random time, or while it waits for the response to one of its requests to the VTN. */
  const kill = async (random: Random) => {
    if (random.chance(0.4)) {
      await setTimeout(random.below(2500))
    } else {
      let left = 1 + random.below(8)
      const sprung = new Promise<void>((resolve) => {
        vtn.respond = ({ method, path }) => {
          // Most requests read: those that report are the ones that must not be repeated.
          left -= method === "POST" && path === "/reports" ? 3 : 1
          if (left <= 0) {
            process.kill(server.pid, "SIGKILL")
            vtn.respond = () => undefined
            resolve()
          }
          return undefined
        }
      })
      await Promise.race([sprung, setTimeout(20_000)])
      vtn.respond = () => undefined
    }
    await server.kill9()
  }

  test(`is the one of the events that are left, with each command issued and each report sent once, though the service is killed at random moments (seed ${testSeed})`, async () => {
    const random = new Random(testSeed)
    const { call, count, enroll, settle } = makeTown(server, database)
    const instanceId = await enroll(await settle(homes, 1))
    // Reports are about sites that were enrolled when the intervals began.
    await database.query("UPDATE enrollments SET approved_at = approved_at - interval '1 hour'")
    const program = vtn.program({ programName: "peaks" })
    const { id: connectionId } = await call("POST", "/v1/grid-connections", {
      name: "Example Utility",
      vtnUrl: vtn.url,
      clientId: vtn.client.id,
      clientSecret: vtn.client.secret,
      venName: "aggregator",
      pollSeconds: 10
    })
    const list = async (what: string): Promise<ReadonlyArray<any>> => {
      const all: Array<any> = []
      for (let page = 1; ; page++) {
        const found = await call("GET", `/v1/grid-connections/${connectionId}/${what}?perPage=100&page=${page}`)
        all.push(...found.data)
        if (found.data.length < 100) return all
      }
    }
    const followed = await eventually("the program is known", async () => (await list("programs"))[0])
    await call("PATCH", `/v1/grid-programs/${followed.id}`, {
      programInstanceId: instanceId,
      rules: modes.map((operatingMode, level) => ({
        payloadType: "SIMPLE",
        minimum: level + 1,
        maximum: level + 1,
        actions: { battery: { operatingMode } }
      }))
    })

    const events = new ChangingEvents(vtn, program.id, random)
    events.now(2)
    await expedite()
    await eventually("the first commands are issued", async () =>
      (await count("commands WHERE source = 'dispatch'")) > 0 ? true : undefined
    )
    for (let n = 0; n < kills; n++) {
      for (let changes = 1 + random.below(4); changes > 0; changes--) events.change()
      await expedite()
      await kill(random)
      server = await start()
    }
    events.change()
    await expedite()

    const settledAfter = Date.now()
    const connection = await eventually("the VTN was read, and all reports are sent", async () => {
      const found = await call("GET", `/v1/grid-connections/${connectionId}`)
      const due = await count("grid_reports WHERE status = 'due'")
      return Date.parse(found.lastPolledAt ?? 0) > settledAfter + 1000 && due === 0 ? found : undefined
    })
    expect(connection).toMatchObject({ status: "connected", lastError: null })

    // The plan is the oracle's, minute by minute, and each event has one dispatch a day.
    const known = new Map<string, string>(
      (await list("events")).flatMap(({ dispatchIds, vtnEventId }) =>
        dispatchIds.map((id: string): readonly [string, string] => [id, vtnEventId])
      )
    )
    const planned: Array<any> = []
    for (let page = 1; ; page++) {
      const path = `/v1/programInstances/${instanceId}/dispatches?perPage=100&page=${page}`
      const found = await call("GET", path)
      planned.push(...found.data)
      if (found.data.length < 100) break
    }
    const now = Date.now()
    const live = planned.filter(
      ({ endsAt, status }) => ["scheduled", "running"].includes(status) && Date.parse(endsAt) > now
    )
    const days = live.map((dispatch) => events.dayOf(known.get(dispatch.id)!, Date.parse(dispatch.startsAt)))
    expect(new Set(days).size, days.join(", ")).toBe(days.length)
    const from = Math.ceil(now / MINUTE) * MINUTE + MINUTE / 2
    const to = Date.parse(connection.lastPolledAt) + 48 * HOUR
    for (let at = from; at < to; at += MINUTE) {
      const found = live.flatMap((dispatch) =>
        dispatch.intervals
          .filter(({ durationSeconds, startsAt }: any) => {
            const begin = Date.parse(startsAt)
            return begin <= at && at < begin + durationSeconds * 1000
          })
          .map(({ actions }: any) => `${known.get(dispatch.id)} ${actions.battery.operatingMode}`)
      )
      const wanted = events.governing(at)
      expect({ at: new Date(at).toISOString(), found }).toEqual({
        at: new Date(at).toISOString(),
        found: wanted === undefined ? [] : [`${wanted.id} ${wanted.mode}`]
      })
    }

    // The batteries do what governs now.
    await eventually("the batteries do what governs", async () => {
      const found = [...(await simulatedBatteries(database)).values()].map(({ forced }) => forced?.mode ?? null)
      const wanted = events.governing(Date.now())?.mode ?? null
      return found.length === homes && found.every((mode) => mode === wanted) ? true : undefined
    })
    // A dispatch issues no more commands to a device than it has begun intervals of the mode.
    const issued = await database.query<{ dispatchId: string; mode: string; n: number }>(
      `SELECT source_id AS "dispatchId", input ->> 'operatingMode' AS mode, count(*)::int AS n FROM commands
       WHERE source = 'dispatch' GROUP BY source_id, device_id, input ->> 'operatingMode'`
    )
    expect(issued.rows.length).toBeGreaterThan(0)
    const byId = new Map(planned.map((dispatch) => [dispatch.id, dispatch]))
    for (const { dispatchId, mode, n } of issued.rows) {
      const begun = byId
        .get(dispatchId)
        .intervals.filter(
          ({ actions, startsAt }: any) =>
            actions.battery.operatingMode === mode && Date.parse(startsAt) <= Date.now() + 1000
        )
      expect(n, `${dispatchId} ${mode}`).toBeLessThanOrEqual(begun.length)
    }

    // Each report has arrived once, and those of the events that are left have all arrived.
    const names = vtn.reports.map(({ reportName }) => reportName)
    expect(new Set(names).size).toBe(names.length)
    const reported = vtn.reports.map(({ eventID, resources }) => {
      const { duration, start: begin } = resources[0].intervals.at(-1).intervalPeriod
      return reportKey(eventID, addDuration(Date.parse(begin), duration)!)
    })
    expect(new Set(reported).size).toBe(reported.length)
    const owed = events.reported(settledAfter - 2 * MINUTE)
    expect(owed.length).toBeGreaterThan(0)
    expect(owed.filter((each) => !reported.includes(each))).toEqual([])
  })
})
