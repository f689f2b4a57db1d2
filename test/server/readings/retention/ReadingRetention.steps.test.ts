import { Client } from "pg"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { useDatabases } from "../../../support/Databases.ts"
import { describePostgres } from "../../../support/PostgresServer.ts"
import { Random } from "../../../support/Random.ts"
import { type Arriving, DAY, expectSame, HOUR, note, QUARTER, rate } from "../../metrics/arriving.ts"
import { dropBefore, dropOld, isDropped, listMonths, onSql } from "../../metrics/dropping.ts"
import {
  device,
  everyOther,
  type Instance,
  instanceOn,
  read,
  rollAll,
  send,
  useEmbeddedInstance
} from "../../metrics/measuring.ts"
import { someReadings } from "../../metrics/someReadings.ts"

/** Months that are dropped stay dropped, so each test has a month's end of its own. */
let ends = 0
const nextEnd = () => Date.UTC(2026, 1 + 2 * ends++)

/** A meter that reports around an instant. */
const metered = async (on: Instance, around: number, seed: number): Promise<Arriving> => {
  const each: Arriving = { id: await device(on, "meter"), type: "meter", staticState: null, known: new Map() }
  const taken = someReadings(new Random(seed), "meter", around - DAY, 40).map(({ at }, n) => ({
    at,
    state: { power: n, importedEnergy: 1000 + n * n * 7.003 }
  }))
  await send(on, each.id, "meter", taken)
  note(each, taken)
  return each
}

/** Quarters and hours of the days around. */
const expectReported = async (on: Instance, each: Arriving, around: number) => {
  await expectSame(on, each, everyOther(around - 2 * DAY, QUARTER, 800))
  await expectSame(on, each, everyOther(around - 2 * DAY, HOUR, 200))
}

const isSealed = async (on: Instance) => {
  const [floor] = await onSql(
    on,
    (sql) => sql<{ readonly done: boolean }>`SELECT frozen_at IS NOT NULL AS done FROM readings_floor`
  )
  return floor!.done
}

const suite = (instance: () => Instance) => {
  test("a month is kept while the energy of any device in it is not rolled up", async () => {
    const [on, end] = [instance(), nextEnd()]
    const each = await metered(on, end, 1)
    expect(await dropBefore(on, end)).toBe(false)
    await expectReported(on, each, end)
    await rollAll(on)
    // A late reading has its time to be rolled up again.
    const late = { at: end - HOUR - 1, state: { power: 3 } }
    await send(on, each.id, "meter", [late])
    note(each, [late])
    expect(await dropBefore(on, end)).toBe(false)
    await rollAll(on)
    expect(await dropBefore(on, end)).toBe(true)
    await expectReported(on, each, end)
  })

  test("a device that cannot be sealed has nothing dropped and no response changed, and the next run continues", async () => {
    const [on, end] = [instance(), nextEnd()]
    const fleet = await Promise.all([2, 3, 4, 5, 6, 7].map((seed) => metered(on, end, seed)))
    await rollAll(on)
    await onSql(
      on,
      (sql) => sql`CREATE FUNCTION break_off() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN IF NEW.device_id = (SELECT max(device_id) FROM device_states) THEN RAISE EXCEPTION ''broken off''; END IF; RETURN NEW; END'`
    )
    await onSql(
      on,
      (sql) => sql`CREATE TRIGGER broken BEFORE UPDATE OF frozen_until ON device_states
      FOR EACH ROW EXECUTE FUNCTION break_off()`
    )
    await dropOld(on, end)
    expect([await isSealed(on), await isDropped(on, end)]).toEqual([false, false])
    for (const each of fleet) await expectReported(on, each, end)
    await onSql(on, (sql) => sql`DROP TRIGGER broken ON device_states`)
    await onSql(on, (sql) => sql`DROP FUNCTION break_off()`)
    for (const each of fleet) {
      const next = { at: Math.max(...each.known.keys()) + 7 * HOUR, state: { power: 5, importedEnergy: 90_000 } }
      await send(on, each.id, "meter", [next])
      note(each, [next])
      await expectReported(on, each, end)
    }
    await rollAll(on)
    expect(await dropBefore(on, end)).toBe(true)
    for (const each of fleet) await expectReported(on, each, end)
    await rollAll(on)
    for (const each of fleet) await expectReported(on, each, end)
  })

  test("a device with too few readings to be rolled up keeps their energy", async () => {
    const [on, end] = [instance(), nextEnd()]
    const each: Arriving = { id: await device(on, "meter"), type: "meter", staticState: null, known: new Map() }
    const taken = [0, 10, 30].map((minute) => ({
      at: end - 5 * DAY + minute * 60_000,
      state: { power: 0, importedEnergy: 100 * minute }
    }))
    await send(on, each.id, "meter", taken)
    note(each, taken)
    await rollAll(on)
    expect(await dropBefore(on, end)).toBe(true)
    await expectSame(on, each, everyOther(end - 6 * DAY, QUARTER, 400))
    const back = { at: end + 3 * DAY, state: { power: 0, importedEnergy: 9000 } }
    await send(on, each.id, "meter", [back])
    note(each, [back])
    await expectSame(on, each, everyOther(end - 6 * DAY, QUARTER, 1000))
    await rollAll(on)
    await expectSame(on, each, everyOther(end - 6 * DAY, QUARTER, 1000))
  })

  test("a later change of a rating does not affect dropped times", async () => {
    const [on, end] = [instance(), nextEnd()]
    const each = await metered(on, end, 8)
    await rollAll(on)
    const past = everyOther(end - 2 * DAY, QUARTER, 96)
    const before = await read(on, each.id, past)
    expect(await dropBefore(on, end)).toBe(true)
    await rate(on, each, 1)
    expect(await read(on, each.id, past)).toEqual(before)
    await rollAll(on)
    expect(await read(on, each.id, past)).toEqual(before)
  })

  test("a counter that returns after a pause does not affect dropped times", async () => {
    const [on, end] = [instance(), nextEnd()]
    const id = await device(on, "inverter")
    const halfHours = Array.from({ length: 5 * 48 }, (_, n) => ({
      at: end - 4 * DAY + n * 30 * 60_000 + 11,
      state: { power: 100 + n, ...(n < 20 ? { lifetimeEnergyGenerated: 500 * n } : {}) }
    }))
    await send(on, id, "inverter", halfHours)
    await rollAll(on)
    const past = everyOther(end - 4 * DAY, QUARTER, 4 * 96 - 4)
    const before = await read(on, id, past)
    expect(await dropBefore(on, end)).toBe(true)
    const back = { at: end + 2 * DAY, state: { power: 0, lifetimeEnergyGenerated: 90_000 } }
    await send(on, id, "inverter", [back])
    expect(await read(on, id, past)).toEqual(before)
    await rollAll(on)
    expect(await read(on, id, past)).toEqual(before)
    // The energy that it has counted since the beginning of the pause, within the remaining time.
    const [since] = (await read(on, id, [end, back.at]))!.energy.get("generated")!.amounts
    const whole = (90_000 - 500 * 19) * ((back.at - end) / (back.at - halfHours[19]!.at))
    expect(Number(since) / 1e6).toBeCloseTo(whole, 3)
  })

  test("a dropped table is not created again, and no table that is needed is dropped", async () => {
    const [on, end] = [instance(), nextEnd()]
    await onSql(on, (sql) => sql`SELECT ensure_readings_partition(${new Date(end - 1)}::date)`)
    expect(await dropBefore(on, end)).toBe(true)
    await expect(
      onSql(on, (sql) => sql`SELECT ensure_readings_partition(${new Date(end - 1)}::date)`)
    ).rejects.toThrow()
    await onSql(on, (sql) => sql`SELECT ensure_readings_partition(${new Date(end)}::date)`)
    await expect(onSql(on, (sql) => sql`SELECT drop_readings_partition(${new Date(end)}::date)`)).rejects.toThrow()
    expect(await listMonths(on)).toContain(new Date(end).toISOString().slice(0, 7))
  })
}

describe("dropping a month of readings", () => {
  suite(useEmbeddedInstance({ limited: true }))
})

describePostgres("dropping a month of readings on PostgreSQL", () => {
  const databases = useDatabases()
  let url: string
  let instance: Instance
  let other: Instance
  /** Somebody else, whose transactions are open meanwhile. */
  let stranger: Client
  beforeAll(async () => {
    url = await databases.create()
    instance = instanceOn(url)
    await onSql(instance, (sql) => sql`SELECT 1`)
    other = instanceOn(url)
    await onSql(other, (sql) => sql`SELECT 1`)
  })
  afterAll(async () => {
    await instance.dispose()
    await other.dispose()
  })
  beforeEach(async () => {
    stranger = new Client({ connectionString: url })
    await stranger.connect()
  })
  afterEach(() => stranger.end())
  suite(() => instance)

  test("waits for earlier transactions, whose snapshots still have the readings", async () => {
    const end = nextEnd()
    const each = await metered(instance, end, 9)
    await rollAll(instance)
    await stranger.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    await stranger.query("SELECT FROM device_states LIMIT 1")
    expect(await dropOld(instance, end)).toBe(true)
    const { rows } = await stranger.query("SELECT count(*)::int AS n FROM readings WHERE device_id = $1", [each.id])
    expect(rows).toEqual([{ n: each.known.size }])
    await expectReported(instance, each, end)
    await stranger.query("COMMIT")
    expect(await dropBefore(instance, end)).toBe(true)
    await expectReported(instance, each, end)
  })

  test("gives up while a reader is active, without blocking writers", async () => {
    const end = nextEnd()
    const each = await metered(instance, end, 10)
    await rollAll(instance)
    await stranger.query("BEGIN")
    await stranger.query("SELECT count(*) FROM readings")
    const dropping = dropOld(instance, end)
    const next = Array.from({ length: 20 }, (_, n) => ({ at: end + 60 * DAY + n, state: { power: n } }))
    for (const one of next) await send(other, each.id, "meter", [one])
    note(each, next)
    expect(await dropping).toBe(true)
    expect(await isDropped(instance, end)).toBe(false)
    await stranger.query("COMMIT")
    expect(await dropBefore(instance, end)).toBe(true)
    await expectReported(instance, each, end)
  })

  test("is done once by two concurrent instances that also ingest and roll up", async () => {
    const end = nextEnd()
    const fleet = await Promise.all([11, 12, 13, 14, 15].map((seed) => metered(instance, end, seed)))
    await rollAll(instance)
    const speak = async (each: Arriving, on: Instance) => {
      for (let n = 1; n <= 10; n++) {
        const next = { at: Math.max(...each.known.keys()) + n * HOUR, state: { power: n, importedEnergy: 50_000 + n } }
        await send(on, each.id, "meter", [next])
        note(each, [next])
        await expectReported(on, each, end)
      }
    }
    const drop = async (on: Instance): Promise<void> => {
      await dropOld(on, end)
      if (!(await isDropped(on, end))) return drop(on)
    }
    await Promise.all([
      drop(instance),
      drop(other),
      ...fleet.map((each, n) => speak(each, n % 2 === 0 ? instance : other)),
      rollAll(other)
    ])
    await Promise.all([rollAll(instance), rollAll(other)])
    for (const each of fleet) await expectReported(instance, each, end)
  })
})
