import { Client } from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import { testSeed as seed } from "../../support/rounds.ts"
import { eventually } from "../../support/eventually.ts"
import { useDatabases } from "../../support/Databases.ts"
import { describePostgres } from "../../support/PostgresServer.ts"
import { Random } from "../../support/Random.ts"
import { type Arriving, DAY, expectRolled, expectSame, HOUR, note, QUARTER, rate, makeRequests } from "./arriving.ts"
import { onSql } from "./dropping.ts"
import { device, everyOther, type Instance, instanceOn, rollAll, rollSome, send } from "./measuring.ts"
import { measuredTypes, someReadings } from "./someReadings.ts"
import { atOnce } from "../../support/races.ts"

const FLEET = 8
const start = Date.UTC(2026, 0, 30, 7, 11, 13, 123)

describePostgres(`rollups of several instances while readings arrive (seed ${seed})`, () => {
  const databases = useDatabases()
  let instances: ReadonlyArray<Instance>
  /** Somebody else, who holds things up. */
  let stranger: Client
  beforeAll(async () => {
    const url = await databases.create()
    instances = [instanceOn(url), instanceOn(url), instanceOn(url)]
    for (const on of instances) await onSql(on, (sql) => sql`SELECT 1`)
    stranger = new Client({ connectionString: url })
    await stranger.connect()
  })
  afterAll(async () => {
    await stranger.end()
    await Promise.all(instances.map((on) => on.dispose()))
  })

  /** Through the instances in turn, as requests go through a load balancer. */
  const speak = async (random: Random) => {
    const some = () => random.pick(instances)
    const type = random.pick(measuredTypes)
    const taken = someReadings(random, type, start, 60)
    const each: Arriving = { id: await device(some(), type), type, staticState: null, known: new Map() }
    const days = Math.ceil((taken.at(-1)!.at - start) / DAY) + 2
    const first = Math.floor(start / DAY) * DAY - 23 * QUARTER
    const bounds = () => {
      const length = random.pick([QUARTER, HOUR, DAY])
      return everyOther(first, length, Math.min(Math.ceil((days * DAY) / length), 1000))
    }
    for (const request of makeRequests(random, taken)) {
      await send(some(), each.id, type, request)
      note(each, request)
      if (random.chance(0.05)) await rate(some(), each, random.pick([300, 3000]))
      if (random.chance(0.4)) await expectSame(some(), each, bounds())
    }
    return { each, bounds }
  }

  test("give the energy of all acknowledged readings at any moment, and store it in the end", async () => {
    const speech = { ended: false }
    const roll = async (on: Instance) => {
      let rolled = 0
      while (!speech.ended) rolled += await rollSome(on)
      return rolled
    }
    // Two of one instance, as one that hangs and its successor.
    const rolling = Promise.all([roll(instances[0]!), roll(instances[1]!), roll(instances[1]!)])
    const spoken = atOnce(FLEET, (n) => speak(new Random(seed + n))).finally(() => {
      speech.ended = true
    })
    const [fleet, rolled] = await Promise.all([spoken, rolling])
    // Which of them comes first to a device is chance.
    expect(rolled.reduce((sum, devices) => sum + devices, 0)).toBeGreaterThan(0)
    await rollAll(instances[2]!)
    for (const { each, bounds } of fleet) {
      await expectRolled(instances[2]!, each.id)
      await expectSame(instances[2]!, each, bounds())
    }
  })

  test("are not stored by a slow instance whose devices another one has taken over", async () => {
    const [late, other] = instances as [Instance, Instance]
    const taken = someReadings(new Random(seed), "meter", start, 40)
    const each: Arriving = { id: await device(late, "meter"), type: "meter", staticState: null, known: new Map() }
    await send(late, each.id, "meter", taken)
    note(each, taken)
    await stranger.query("BEGIN")
    // The claim is made, and the readings can't be read.
    await stranger.query("LOCK TABLE kept_readings IN ACCESS EXCLUSIVE MODE")
    const rolling = rollSome(late)
    await eventually("the slow one has its claim", async () => {
      const { rows } = await stranger.query("SELECT roll_claim AS claim FROM device_states WHERE device_id = $1", [
        each.id
      ])
      return rows[0].claim ?? undefined
    })
    await stranger.query("UPDATE device_states SET roll_claim = 'successor' WHERE device_id = $1", [each.id])
    await stranger.query("COMMIT")
    expect(await rolling).toBe(1)
    const { rows } = await stranger.query(
      `SELECT roll_claim AS claim, rolled_until AS "watermark", (SELECT count(*)::int FROM energy_rollups r
        WHERE r.device_id = s.device_id) AS rollups FROM device_states s WHERE device_id = $1`,
      [each.id]
    )
    expect(rows).toEqual([{ claim: "successor", watermark: null, rollups: 0 }])
    await stranger.query("UPDATE device_states SET roll_claimed_at = roll_claimed_at - interval '1 hour'")
    await rollAll(other)
    await expectRolled(other, each.id)
    await expectSame(other, each, everyOther(Math.floor(start / DAY) * DAY, HOUR, 500))
  })
})
