import { pairedFields } from "@edp/server/energy/quantities"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { rounds, testSeed as seed } from "../../support/rounds.ts"
import { useDatabases } from "../../support/Databases.ts"
import { describePostgres } from "../../support/PostgresServer.ts"
import { Random } from "../../support/Random.ts"
import { type Arriving, DAY, expectSame, HOUR, note, QUARTER, makeRequests } from "./arriving.ts"
import { dropBefore } from "./dropping.ts"
import {
  device,
  everyOther,
  type Instance,
  instanceOn,
  rollAll,
  rollSome,
  send,
  useEmbeddedInstance
} from "./measuring.ts"
import { measuredTypes, someReadings } from "./someReadings.ts"

const RUNS = rounds(12)

/** Months that are dropped stay dropped, so each run has a month's end of its own. */
const monthEnd = (run: number) => Date.UTC(2026, 1 + run)

/**
 * A counter that its device has not reported for a day while it reported others: what it has counted since then belongs to a
 * time that is dropped, and is only known when it is reported again.
 */
const hasPausedCounter = ({ type, known }: Arriving, until: number) => {
  const readings = [...known.values()].filter(({ at }) => at < until)
  const last = Math.max(...readings.map(({ at }) => at))
  return pairedFields(type)
    .filter(({ isCounter }) => isCounter)
    .map(({ field }) => readings.filter(({ state }) => typeof (state as any)[field] === "number").map(({ at }) => at))
    .some((times) => times.length > 0 && last - Math.max(...times) > DAY)
}

const expectAll = async (on: Instance, each: Arriving, from: number, last: number) => {
  const days = Math.ceil((last - from) / DAY) + 2
  const first = Math.floor(from / DAY) * DAY
  await expectSame(on, each, everyOther(first, QUARTER, Math.min(days * 96, 2000)))
  await expectSame(on, each, everyOther(first, HOUR, Math.min(days * 24, 2000)))
  await expectSame(on, each, everyOther(first, DAY, days))
  // Days of a zone five and three quarter hours ahead.
  await expectSame(on, each, everyOther(first - 23 * QUARTER, DAY, days))
}

/** Readings over a month's end, which is dropped at some time between them. */
const through = async (on: Instance, random: Random, end: number) => {
  const type = random.pick(measuredTypes)
  const staticState = random.chance(0.3) ? { power: 5000 } : null
  const from = end - random.below(3 * DAY)
  const taken = someReadings(random, type, from, 20 + random.below(80))
  const each: Arriving = { id: await device(on, type, staticState), type, staticState, known: new Map() }
  const requests = makeRequests(random, taken)
  const drops = new Set([random.below(requests.length), requests.length - 1])
  let dropped = false
  let exact = true
  for (const [place, whole] of requests.entries()) {
    const request = dropped ? whole.filter(({ at }) => at >= end) : whole
    await send(on, each.id, type, request)
    note(each, request)
    if (random.chance(0.3)) await rollSome(on)
    if (drops.has(place) && !dropped) {
      if (random.chance(0.7) || place === requests.length - 1) await rollAll(on)
      exact = !hasPausedCounter(each, end)
      dropped = await dropBefore(on, end)
    }
    if (exact && random.chance(0.2)) await expectAll(on, each, from, taken.at(-1)!.at)
  }
  expect(dropped).toBe(true)
  if (exact) await expectAll(on, each, from, taken.at(-1)!.at)
  await rollAll(on)
  if (exact) await expectAll(on, each, from, taken.at(-1)!.at)
  return { ...each, exact, from, last: taken.at(-1)!.at }
}

const titled = "response to the µWh what all readings together reported, dropped or not (seed %i)"
const runs = (first: number) => Array.from({ length: RUNS }, (_, run) => [first + run, run] as const)

const suite = (instance: () => Instance, first: number) => {
  const devices: Array<Awaited<ReturnType<typeof through>>> = []
  test.each(runs(first))(titled, async (each, run) => {
    devices.push(await through(instance(), new Random(each), monthEnd(run)))
  })

  test("contain all that a device counted while its months were dropped, when it returns", async () => {
    const on = instance()
    const at = monthEnd(RUNS + 3) + 12_345
    expect(await dropBefore(on, monthEnd(RUNS + 2))).toBe(true)
    const state = { lifetimeEnergyGenerated: 5e6, importedEnergy: 6e6, exportedEnergy: 7e6, power: 1, charge: 1 }
    for (const each of devices) {
      await send(on, each.id, each.type, [{ at, state }])
      if (hasPausedCounter(each, at) || !each.exact) continue
      note(each, [{ at, state }])
      await expectSame(on, each, everyOther(each.from - (each.from % DAY), DAY, Math.ceil((at - each.from) / DAY) + 1))
    }
    await rollAll(on)
    for (const each of devices.filter((some) => some.known.has(at))) {
      await expectAll(on, each, each.from, each.last)
      await expectSame(on, each, everyOther(each.from - (each.from % DAY), DAY, Math.ceil((at - each.from) / DAY) + 1))
    }
    expect(devices.filter(({ known }) => known.has(at)).length).toBeGreaterThan(RUNS / 2)
  })
}

describe("energies of dropped readings", () => {
  suite(useEmbeddedInstance({ limited: true }), seed)
})

describePostgres("energies of dropped readings on PostgreSQL", () => {
  const databases = useDatabases()
  let instance: Instance
  beforeAll(async () => {
    instance = instanceOn(await databases.create())
  })
  afterAll(() => instance.dispose())
  suite(() => instance, seed + RUNS)
})
