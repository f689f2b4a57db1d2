import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { describePostgres } from "../../support/PostgresServer.ts"
import { Random } from "../../support/Random.ts"
import {
  device,
  instanceOn,
  everyOther,
  type Instance,
  read,
  rollAll,
  rollSome,
  send,
  type Taken,
  useEmbeddedInstance
} from "./measuring.ts"
import { usePostgres } from "../sql/postgres.ts"
import { recomputed } from "./recomputed.ts"
import { measuredTypes, someReadings } from "./someReadings.ts"

const QUARTER = 900_000
const HOUR = 4 * QUARTER
const DAY = 24 * HOUR
const seed = Number(process.env["EDP_ENERGY_SEED"] ?? Math.floor(Math.random() * 2 ** 31))
const RUNS = Number(process.env["EDP_ENERGY_RUNS"] ?? 25)

/** A month's end lies within the readings. */
const start = Date.UTC(2026, 0, 30, 7, 11, 13, 123)

/** Readings in requests of any size, some a while late and some sent twice. */
const requestsOf = (random: Random, taken: ReadonlyArray<Taken>) => {
  const disorder = random.pick([0, 3, 30, taken.length])
  const order = taken.map((each, place) => ({ each, place: place + random.next() * disorder }))
  const queue = order.toSorted((one, other) => one.place - other.place).map(({ each }) => each)
  const requests: Array<ReadonlyArray<Taken>> = []
  while (queue.length > 0) requests.push(queue.splice(0, 1 + random.below(random.pick([1, 5, 40]))))
  return requests.flatMap((request) => (random.chance(0.1) ? [request, request] : [request]))
}

/** Buckets of any kind over some of the time, cut anywhere at both ends. */
const someBounds = (random: Random, last: number) => {
  const length = random.pick([QUARTER, HOUR, DAY])
  const first = Math.floor((start + random.next() * (last - start)) / QUARTER) * QUARTER
  const bounds = everyOther(first, length, 1 + random.below(8))
  if (random.chance(0.5)) bounds[0] = first - random.below(QUARTER)
  if (random.chance(0.5)) bounds[bounds.length - 1]! -= random.below(QUARTER)
  return bounds
}

interface Run {
  readonly id: string
  readonly type: DeviceType
  staticState: object | null
  readonly known: Map<number, Taken>
}

const expectSame = async (on: Instance, { id, type, staticState, known }: Run, bounds: ReadonlyArray<number>) => {
  const answer = await read(on, id, bounds)
  const expected = recomputed(type, staticState, known.values(), bounds)
  expect({ energy: answer?.energy, charge: answer?.charge }).toEqual({
    energy: expected.energy,
    charge: expected.charge
  })
}

/** What a device is rated at decides what is a jump of its counters, in its past, too. */
const rate = async (on: Instance, run: Run, watts: number) => {
  run.staticState = { power: watts }
  await on.runPromise(
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`UPDATE devices SET static_state = ${JSON.stringify(run.staticState)}::jsonb WHERE id = ${run.id}`
    )
  )
}

/** That nothing of any age is left to the readings, which readers would make up for. */
const expectRolled = async (on: Instance, id: string) => {
  const [state] = await on.runPromise(
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`SELECT unrolled, roll_claim, isempty(stale) AND isempty(rolling) AS whole,
        at < coalesce(rolled_until, first_at) + interval '1 hour' AS recent FROM device_states WHERE device_id = ${id}`
    )
  )
  expect(state).toEqual({ unrolled: false, roll_claim: null, whole: true, recent: true })
}

const through = async (on: Instance, random: Random) => {
  const type = random.pick(measuredTypes)
  const staticState = random.chance(0.3) ? { power: 5000 } : null
  const taken = someReadings(random, type, start, 20 + random.below(80))
  const last = taken.at(-1)!.at
  const run: Run = { id: await device(on, type, staticState), type, staticState, known: new Map() }
  for (const request of requestsOf(random, taken)) {
    await send(on, run.id, type, request)
    for (const each of request) if (!run.known.has(each.at)) run.known.set(each.at, each)
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

const titled = "answer to the µWh what all readings together tell, whatever came when (seed %i)"
const seeds = (first: number) => Array.from({ length: RUNS }, (_, run) => first + run)

describe("rollups that are made as the readings come", () => {
  const instance = useEmbeddedInstance({ limited: true })
  test.each(seeds(seed))(`on the embedded database ${titled}`, (each) => through(instance(), new Random(each)))
})

describePostgres("rollups that are made as the readings come on PostgreSQL", () => {
  const server = usePostgres()
  let instance: Instance
  beforeAll(async () => {
    instance = instanceOn(await server().createDatabase())
  })
  afterAll(() => instance.dispose())
  test.each(seeds(seed + RUNS))(titled, (each) => through(instance, new Random(each)))
})
