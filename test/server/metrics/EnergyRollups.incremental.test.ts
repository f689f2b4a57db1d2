import { afterAll, beforeAll, describe, test } from "vitest"
import { inTurn, rounds, testSeed as seed } from "../../support/rounds.ts"
import { useDatabases } from "../../support/Databases.ts"
import { describePostgres } from "../../support/PostgresServer.ts"
import { Random } from "../../support/Random.ts"
import { type Arriving, DAY, expectRolled, expectSame, HOUR, note, QUARTER, rate, makeRequests } from "./arriving.ts"
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

const RUNS = rounds(25)

/** A month's end lies within the readings. */
const start = Date.UTC(2026, 0, 30, 7, 11, 13, 123)

/** Buckets of any kind over some of the time, cut anywhere at both ends. */
const someBounds = (random: Random, last: number) => {
  const length = random.pick([QUARTER, HOUR, DAY])
  const first = Math.floor((start + random.next() * (last - start)) / QUARTER) * QUARTER
  const bounds = everyOther(first, length, 1 + random.below(8))
  if (random.chance(0.5)) bounds[0] = first - random.below(QUARTER)
  if (random.chance(0.5)) bounds[bounds.length - 1]! -= random.below(QUARTER)
  return bounds
}

const through = async (on: Instance, random: Random) => {
  const type = random.pick(measuredTypes)
  const staticState = random.chance(0.3) ? { power: 5000 } : null
  const taken = someReadings(random, type, start, 20 + random.below(80))
  const last = taken.at(-1)!.at
  const run: Arriving = { id: await device(on, type, staticState), type, staticState, known: new Map() }
  for (const request of makeRequests(random, taken)) {
    await send(on, run.id, type, request)
    note(run, request)
    if (random.chance(0.3)) await rollSome(on)
    if (random.chance(0.03)) await rate(on, run, random.pick([300, 3000]))
    if (random.chance(0.3)) await expectSame(on, run, someBounds(random, last))
  }
  await rollAll(on)
  await expectRolled(on, run.id)
  const day = Math.floor(start / DAY) * DAY - DAY
  const days = Math.ceil((last - day) / DAY) + 1
  await expectSame(on, run, everyOther(day, QUARTER, Math.min(days * 96, 2000)))
  await expectSame(on, run, everyOther(day, HOUR, days * 24))
  await expectSame(on, run, everyOther(day, DAY, days))
  // Days of a zone five and three quarter hours ahead.
  await expectSame(on, run, everyOther(day - 23 * QUARTER, DAY, days))
}

const titled = "response to the µWh what all readings together report, whatever came when (seed %i)"
const seeds = (first: number) => Array.from({ length: RUNS }, (_, run) => first + run)

// They take turns, because both run the same tests.
inTurn(
  1,
  () =>
    describePostgres("rollups that are computed as readings arrive on PostgreSQL", () => {
      const databases = useDatabases()
      let instance: Instance
      beforeAll(async () => {
        instance = instanceOn(await databases.create())
      })
      afterAll(() => instance.dispose())
      test.each(seeds(seed + RUNS))(titled, (each) => through(instance, new Random(each)))
    }),
  () =>
    describe("rollups that are computed as readings arrive", () => {
      const instance = useEmbeddedInstance({ limited: true })
      test.each(seeds(seed))(`on the embedded database ${titled}`, (each) => through(instance(), new Random(each)))
    })
)
