import { SiteResults } from "@edp/server/dispatches/reports/SiteResults"
import { EnergyRollups } from "@edp/server/metrics/EnergyRollups"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { Random } from "../../../support/Random.ts"
import { rounds, testSeed } from "../../../support/rounds.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeBaselines, DAY, HOUR, local, MINUTE, type Power } from "../arrangeBaselines.ts"

const app = useTestApp()
const arrange = () => arrangeBaselines(app)
type Arranged = Awaited<ReturnType<typeof arrange>>

const [from, to] = [local("2026-05-19T17:07"), local("2026-05-19T18:40")]
const weeks = ["2026-05-08", "2026-05-19"] as const
const usual: Power = (_, hour) => 300 + 50 * hour

const rollUp = () =>
  app.run(Effect.flatMap(EnergyRollups, ({ rollSome }) => Effect.repeat(rollSome, { while: (n) => n > 0 })))
/** Brings the kept results of a dispatch up to date, as the background work does. */
const keep = async (id: string) => {
  await app.sql((sql) => sql`UPDATE dispatches SET results_due_at = now() WHERE id = ${id} RETURNING 1`)
  await app.run(Effect.flatMap(SiteResults, ({ keepDue }) => keepDue))
}
const forget = (id: string) => app.sql((sql) => sql`DELETE FROM dispatch_results WHERE dispatch_id = ${id} RETURNING 1`)
const dueAt = async (id: string) =>
  (await app.sql<{ due: Date | null }>((sql) => sql`SELECT results_due_at AS due FROM dispatches WHERE id = ${id}`))[0]!
    .due

describe("the kept result of a site", () => {
  const finished = async () => {
    const on = await arrange()
    const { meter, siteId } = await on.home(weeks, usual)
    await on.report(meter, ["2026-05-19", "2026-05-21"], usual)
    await rollUp()
    const id = await on.dispatch({ method: "x-of-y", from, to, sites: [{ siteId }] })
    return { ...on, id, meter, siteId }
  }
  const tamper = (id: string) =>
    app.sql(
      (sql) => sql`UPDATE dispatch_results SET covered = array_fill(0, ARRAY[array_length(covered, 1)])
      WHERE dispatch_id = ${id} RETURNING 1`
    )

  test("is kept in the background, and the report shows it without reading readings", async () => {
    const { ask, id } = await finished()
    await keep(id)
    expect(await tamper(id)).toHaveLength(1)
    expect((await ask(id)).body.leftOut).toEqual([{ reason: "no_readings", sites: 1 }])
  })

  test("is kept by the report that has computed it", async () => {
    const { ask, id } = await finished()
    const { body } = await ask(id)
    expect(await tamper(id)).toHaveLength(1)
    expect((await ask(id)).body.sitesCounted).toBe(0)
    await forget(id)
    expect((await ask(id)).body).toEqual(body)
  })

  test("is computed again once a reading arrives late, also in the background", async () => {
    const { ask, id, meter, send } = await finished()
    const before = (await ask(id)).body
    await tamper(id)
    await send(meter, [[from + 5 * MINUTE, { power: 90_000 }]])
    expect((await ask(id)).body.intervals[0].actualWh).toBeGreaterThan(before.intervals[0].actualWh)
    await tamper(id)
    await send(meter, [[from + 6 * MINUTE, { power: 90_000 }]])
    await keep(id)
    expect((await ask(id)).body.sitesCounted).toBe(1)
  })

  test("stays as it is while newer readings arrive", async () => {
    const { ask, id, meter, send } = await finished()
    await ask(id)
    await tamper(id)
    await send(meter, [[to + 3 * DAY, { power: 90_000 }]])
    expect((await ask(id)).body.sitesCounted).toBe(0)
  })

  test("is checked again after a quarter of the time since the end, for 30 days", async () => {
    const { id } = await finished()
    await keep(id)
    expect(await dueAt(id)).toBeNull()
    const end = Date.now() - DAY
    const recent = await finished()
    await app.sql(
      (
        sql
      ) => sql`UPDATE dispatches SET intervals = ${JSON.stringify([{ startsAt: new Date(end - HOUR).toISOString(), durationSeconds: 3600, actions: {} }])}::json
        WHERE id = ${recent.id} RETURNING 1`
    )
    await keep(recent.id)
    expect((await dueAt(recent.id))!.getTime() - Date.now()).toBeGreaterThan(5 * HOUR)
  })
})

const between = (random: Random, least: number, most: number) => least + random.below(most - least + 1)

const methods = ["x-of-y", "middle-8-of-10", "match-day-3", "device-metered", "hold-out", "meter-before"] as const

/** A world with sites, their devices and a dispatch at them, in which things happen in any order. */
const makeWorld = async (on: Arranged, random: Random) => {
  const sites: Array<string> = []
  const devices: Array<string> = []
  const batteries = new Map<string, Array<string>>()
  const power = () => between(random, -3000, 3000)
  const state = (device: string) =>
    [...batteries.values()].flat().includes(device)
      ? { chargingState: "idle", charge: 0, chargePercentage: 0, whConsumed: null, chargeRate: power() }
      : { power: power() }
  for (let n = 0; n < 6; n++) {
    const siteId: string = (await on.site({ timezone: random.pick(["America/Los_Angeles", "Asia/Kolkata"]) })).id
    sites.push(siteId)
    const battery = await on.device({ type: "battery", siteId })
    batteries.set(siteId, [battery])
    devices.push(await on.device({ type: "meter", siteId }), battery)
  }
  const regular = async (device: string, first: number, last: number) => {
    const states: Array<readonly [number, object]> = []
    for (let at = first; at < last; at += HOUR) states.push([at + between(random, 0, 20) * MINUTE, state(device)])
    await on.send(device, states)
  }
  for (const device of devices) {
    await regular(
      device,
      from - between(random, 6, 12) * DAY,
      random.pick([from + HOUR, to, to + 5 * HOUR, to + 2 * DAY])
    )
  }
  const method = random.pick(methods)
  const id = await on.dispatch({
    method,
    from,
    to,
    nominatedPowerW: 1000,
    status: random.pick(["completed", "completed", "running", "cancelled"] as const),
    updatedAt: new Date(from + between(random, 1, 90) * MINUTE),
    sites: sites.map((siteId, n) => ({
      siteId,
      batteries: batteries.get(siteId)!,
      heldOut: method === "hold-out" && n % 2 === 0,
      state: random.pick(["done", "done", "running", "failed"] as const)
    }))
  })
  let newest = to + 3 * DAY
  return { devices, id, newest: () => (newest += HOUR), sites, state }
}

describe("results that are kept", () => {
  test("equal a plain recomputation after any order of events", async () => {
    const random = new Random(testSeed)
    for (let round = 0; round < rounds(4); round++) {
      const on = await arrange()
      const { devices, id, newest, sites, state } = await makeWorld(on, random)
      const events: Readonly<Record<string, () => Promise<unknown>>> = {
        "a late reading": async () => {
          const device = random.pick(devices)
          await on.send(device, [[between(random, from - 9 * DAY, to + HOUR), state(device)]])
        },
        "newer readings": async () => {
          const device = random.pick(devices)
          await on.send(device, [[newest(), state(device)]])
        },
        rollups: rollUp,
        "background work": () => keep(id),
        "a report": () => on.ask(id),
        "a move": () =>
          app.sql(
            (sql) =>
              sql`UPDATE devices SET site_id = ${random.pick(sites)} WHERE id = ${random.pick(devices)} RETURNING 1`
          ),
        "a deletion": async () => {
          if (devices.length > 8)
            await on.call("DELETE", `/v1/devices/${devices.splice(between(random, 0, devices.length - 1), 1)[0]}`)
        },
        "a time zone": () =>
          app.sql(
            (sql) =>
              sql`UPDATE sites SET timezone = ${random.pick(["UTC", "America/Denver"])} WHERE id = ${random.pick(sites)} RETURNING 1`
          ),
        "another dispatch": () => {
          const at = from - between(random, 0, 9) * DAY
          return on.dispatch({ method: "10-of-10", from: at, to: at + HOUR, sites: [{ siteId: random.pick(sites) }] })
        },
        "a rating": () =>
          app.sql(
            (sql) =>
              sql`UPDATE devices SET static_state = '{"maxDischargeRate": 1000, "maxChargeRate": 1000}' WHERE id = ${random.pick(devices)} RETURNING 1`
          )
      }
      const names = Object.keys(events)
      const happened: Array<string> = []
      for (let step = 0; step < 10; step++) {
        for (let n = between(random, 1, 3); n > 0; n--) {
          const name = random.pick(names)
          happened.push(name)
          await events[name]!()
        }
        const kept = (await on.ask(id)).body
        const csv = (await on.csv(id)).text
        await forget(id)
        const story = `seed ${testSeed}, round ${round}: ${happened.join(", ")}`
        expect(kept, story).toEqual((await on.ask(id)).body)
        expect(csv, story).toBe((await on.csv(id)).text)
      }
    }
  }, 180_000)
})
