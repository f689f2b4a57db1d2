import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { useDatabases } from "../../../support/Databases.ts"
import { describePostgres } from "../../../support/PostgresServer.ts"
import {
  fleet,
  readHistory,
  type Instance,
  instanceOn,
  reading,
  readState,
  useEmbeddedInstance,
  write
} from "./writing.ts"

const noon = Date.UTC(2026, 2, 1, 12)
const untimed = (deviceId: string, at: number, power = 0) => reading(deviceId, at, { power }, { isUntimed: true })
const stored = (count: number) => Array.from({ length: count }, () => "stored")

const readTimes = async (instance: Instance, deviceId: string) =>
  (await readHistory(instance, deviceId)).map(({ at }) => at - noon)

const guarantees = (instance: () => Instance) => {
  test("in one push are all stored, a millisecond apart in their order", async () => {
    const [device] = await fleet(instance(), 1)
    const readings = Array.from({ length: 1000 }, (_, n) => untimed(device!, noon, n))
    const { latest, outcomes } = await write(instance(), readings)
    expect(outcomes).toEqual(stored(1000))
    const history = await readHistory(instance(), device!)
    expect(history).toEqual(readings.map((_, power) => ({ at: noon + power, state: { power } })))
    expect(latest(device!)).toMatchObject({ id: readings.at(-1)!.id, at: noon + 999 })
    expect(await readState(instance(), device!)).toMatchObject({ at: noon + 999, firstAt: noon, state: { power: 999 } })
  })

  test("in concurrent pushes are all stored", async () => {
    const [one, other] = await fleet(instance(), 2)
    const pushes = Array.from({ length: 60 }, (_, n) =>
      write(instance(), [untimed(one!, noon, n), untimed(other!, noon + (n % 3), n)])
    )
    for (const { outcomes } of await Promise.all(pushes)) expect(outcomes).toEqual(stored(2))
    expect(await readTimes(instance(), one!)).toEqual(Array.from({ length: 60 }, (_, n) => n))
    expect(await readTimes(instance(), other!)).toHaveLength(60)
  })

  test("yield to those with timestamps, in the same push and before it", async () => {
    const [device] = await fleet(instance(), 1)
    const timed = (at: number) => reading(device!, noon + at)
    await write(instance(), [timed(1), timed(2), timed(5)])
    const { outcomes } = await write(instance(), [
      untimed(device!, noon),
      untimed(device!, noon),
      timed(4),
      untimed(device!, noon),
      timed(1)
    ])
    expect(outcomes).toEqual(["stored", "stored", "stored", "stored", "duplicate"])
    expect(await readTimes(instance(), device!)).toEqual([0, 1, 2, 3, 4, 5, 6])
    // The other device of the push was not touched by the attempt that failed.
    expect(await readState(instance(), device!)).toMatchObject({ at: noon + 6 })
  })

  test("get a free time after thousands of taken ones", async () => {
    const [device] = await fleet(instance(), 1)
    for (const first of [0, 1000, 2000, 3000]) {
      const taken = Array.from({ length: 1000 }, (_, n) => reading(device!, noon + first + n))
      await write(instance(), taken)
    }
    const { latest, outcomes } = await write(instance(), [untimed(device!, noon)])
    expect(outcomes).toEqual(["stored"])
    expect(latest(device!)!.at).toBe(noon + 4000)
  })

  test("are stored once if the first attempt hit a taken time, together with the batch's other readings", async () => {
    const [taken, free] = await fleet(instance(), 2)
    await write(instance(), [reading(taken!, noon)])
    const events = () =>
      instance().runPromise(
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM events WHERE device_id = ${free!}`
        )
      )
    const { outcomes } = await write(instance(), [untimed(free!, noon), untimed(taken!, noon)])
    expect(outcomes).toEqual(stored(2))
    expect(await readTimes(instance(), free!)).toEqual([0])
    expect(await readTimes(instance(), taken!)).toEqual([0, 1])
    expect((await events())[0]!.n).toBe(1)
  })

  test("for a device that has left its workspace are not stored, and nothing is retried", async () => {
    const [device] = await fleet(instance(), 1)
    await instance().runPromise(
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE devices SET workspace_id = NULL WHERE id = ${device!}`)
    )
    expect((await write(instance(), [untimed(device!, noon)])).outcomes).toEqual(["gone"])
  })
}

describe("readings without timestamps on the embedded database", () => {
  guarantees(useEmbeddedInstance())
})

describePostgres("readings without timestamps on PostgreSQL", () => {
  const databases = useDatabases()
  let instances: ReadonlyArray<Instance> = []
  beforeAll(async () => {
    instances = [instanceOn(databases.url), instanceOn(databases.url)]
  })
  afterAll(async () => {
    await Promise.all(instances.map((each) => each.dispose()))
  })
  guarantees(() => instances[0]!)

  test("on two instances in the same millisecond are all stored", async () => {
    const devices = await fleet(instances[0]!, 5)
    const rounds = Array.from({ length: 40 }, (_, round) =>
      instances.map((instance) =>
        write(
          instance,
          devices.map((device) => untimed(device, noon, round))
        )
      )
    )
    for (const { outcomes } of await Promise.all(rounds.flat())) expect(outcomes).toEqual(stored(5))
    for (const device of devices) expect(await readHistory(instances[1]!, device)).toHaveLength(80)
  })
})
