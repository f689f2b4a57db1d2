import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { Random } from "../../support/Random.ts"
import { type Instance, read, type Taken } from "./measuring.ts"
import { recomputed } from "./recomputed.ts"

export const QUARTER = 900_000
export const HOUR = 4 * QUARTER
export const DAY = 24 * HOUR

/** A device with the readings that it has sent so far. */
export interface Arriving {
  readonly id: string
  readonly type: DeviceType
  staticState: object | null
  readonly known: Map<number, Taken>
}

/** Readings in requests of any size, some a while late and some sent twice. */
export const makeRequests = (random: Random, taken: ReadonlyArray<Taken>) => {
  const disorder = random.pick([0, 3, 30, taken.length])
  const order = taken.map((each, place) => ({ each, place: place + random.next() * disorder }))
  const queue = order.toSorted((one, other) => one.place - other.place).map(({ each }) => each)
  const requests: Array<ReadonlyArray<Taken>> = []
  while (queue.length > 0) requests.push(queue.splice(0, 1 + random.below(random.pick([1, 5, 40]))))
  return requests.flatMap((request) => (random.chance(0.1) ? [request, request] : [request]))
}

/** The first of two readings with the same time counts. */
export const note = ({ known }: Arriving, request: ReadonlyArray<Taken>) => {
  for (const each of request) if (!known.has(each.at)) known.set(each.at, each)
}

/** Expects the response to be, to the µWh, what all readings together report. */
export const expectSame = async (
  on: Instance,
  { id, type, staticState, known }: Arriving,
  bounds: ReadonlyArray<number>
) => {
  const response = await read(on, id, bounds)
  const expected = recomputed(type, staticState, known.values(), bounds)
  expect({ energy: response?.energy, charge: response?.charge }).toEqual({
    energy: expected.energy,
    charge: expected.charge
  })
}

/** The rated power of a device decides what is a jump of its counters, in its past, too. */
export const rate = async (on: Instance, device: Arriving, watts: number) => {
  device.staticState = { power: watts }
  await on.runPromise(
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`UPDATE devices SET static_state = ${JSON.stringify(device.staticState)}::jsonb
        WHERE id = ${device.id}`
    )
  )
}

/** Expects complete rollups: queries would hide a backlog, because they compute it from the readings. */
export const expectRolled = async (on: Instance, id: string) => {
  const [state] = await on.runPromise(
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`SELECT unrolled, roll_claim, isempty(stale) AND isempty(rolling) AS whole,
        at < coalesce(rolled_until, first_at) + interval '1 hour' AS recent FROM device_states WHERE device_id = ${id}`
    )
  )
  expect(state).toEqual({ unrolled: false, roll_claim: null, whole: true, recent: true })
}
