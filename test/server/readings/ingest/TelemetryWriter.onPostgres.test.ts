import { ServiceUnavailable } from "@edp/domain/errors/ApiErrors"
import { Client } from "pg"
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest"
import { eventually } from "../../../support/eventually.ts"
import { describePostgres, type PostgresServer, startPostgres } from "../../../support/PostgresServer.ts"
import { readCommits, fleet, readHistory, type Instance, instanceOn, reading, readState, write } from "./writing.ts"
import { untilLockWait } from "../../../support/races.ts"

const noon = Date.UTC(2026, 2, 1, 12)

describePostgres("on PostgreSQL", () => {
  let server: PostgresServer
  let url: string
  let one: Instance
  let other: Instance
  /** Another client, whose transactions conflict with the writer's. */
  let stranger: Client

  beforeAll(async () => {
    // A session that waits for a lock checks for a deadlock once, after this time: late enough for others to wait, too.
    server = await startPostgres({ fsync: false, settings: { deadlock_timeout: "5s" } })
    const migrated = instanceOn(server.url)
    await migrated.context()
    await migrated.dispose()
  })
  afterAll(() => server.stop())
  beforeEach(async () => {
    url = await server.createDatabase("copy")
    one = instanceOn(url)
    other = instanceOn(url)
    stranger = new Client({ connectionString: url })
    // The server ends it in the test of a lost connection.
    stranger.on("error", () => {})
    await stranger.connect()
  })
  afterEach(async () => {
    await Promise.all([one.dispose(), other.dispose(), stranger.end()])
  })

  const waiting = () => untilLockWait(url, "a batch waits for a lock")

  /** Locks the device as its removal does. */
  const hold = async (device: string) => {
    await stranger.query("BEGIN")
    await stranger.query("SELECT FROM devices WHERE id = $1 FOR UPDATE", [device])
  }

  test("concurrent writes share statements and commits", async () => {
    const devices = await fleet(one, 500)
    await Promise.all(devices.map((device) => write(one, [reading(device, noon)])))
    expect(await readCommits(one, devices)).toBeLessThan(25)
  })

  test("50 concurrent writes of one reading by two instances store it once", async () => {
    const [device] = await fleet(one, 1)
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, at) => write(at % 2 === 0 ? one : other, [reading(device!, noon, { power: at })]))
    )
    const outcomes = responses.flatMap((response) => response.outcomes)
    expect(outcomes.filter((outcome) => outcome === "stored")).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === "duplicate")).toHaveLength(49)
    const history = await readHistory(one, device!)
    expect(history).toHaveLength(1)
    expect(await readState(one, device!)).toMatchObject({ at: noon, state: history[0]!.state })
  })

  test("two instances that write the same devices never deadlock, and agree on the newest reading", async () => {
    const devices = await fleet(one, 40)
    const push = (instance: Instance, round: number) =>
      write(
        instance,
        // Every round names the devices in another order.
        devices.map((_, at) => reading(devices[(at * 7 + round * 3) % 40]!, noon + round, { power: round }))
      )
    const rounds = Array.from({ length: 40 }, (_, round) => push(round % 2 === 0 ? one : other, round))
    for (const { outcomes } of await Promise.all(rounds)) expect(new Set(outcomes)).toEqual(new Set(["stored"]))
    for (const device of devices) {
      expect(await readState(one, device)).toMatchObject({ at: noon + 39, firstAt: noon, state: { power: 39 } })
    }
    const { rows } = await stranger.query(
      "SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()"
    )
    expect(rows).toEqual([{ deadlocks: 0 }])
  })

  test("a batch that deadlocks is retried and stored", async () => {
    const [first, last] = (await fleet(one, 2)).toSorted() as [string, string]
    await write(one, [reading(first, noon), reading(last, noon)])
    const touch = (device: string) =>
      stranger.query("UPDATE device_states SET reported_status = 'online' WHERE device_id = $1", [device])
    // The batch may look for a deadlock before there is one. Then the other transaction gives way, and all begins again.
    const deadlock = async (round: number): Promise<number> => {
      await stranger.query("BEGIN")
      await touch(last)
      const written = write(one, [reading(first, noon + round), reading(last, noon + round)])
      await waiting()
      const batchGaveWay = await touch(first).then(
        () => true,
        () => false
      )
      await stranger.query(batchGaveWay ? "COMMIT" : "ROLLBACK")
      expect((await written).outcomes).toEqual(["stored", "stored"])
      return batchGaveWay ? round : deadlock(round + 1)
    }
    const rounds = await deadlock(1)
    expect(await readState(one, last)).toMatchObject({ at: noon + rounds })
    const deadlocks = await eventually("the statistics contain the deadlock", async () => {
      const { rows } = await stranger.query(
        "SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database() AND deadlocks >= $1",
        [rounds]
      )
      return rows[0]
    })
    expect(deadlocks).toEqual({ deadlocks: rounds })
  })

  test("several instances create the partitions of past months on demand concurrently", async () => {
    const [device] = await fleet(one, 1)
    const times = Array.from({ length: 24 }, (_, month) => Date.UTC(2012, month, 3))
    const pushes = times.flatMap((at) => [
      write(one, [reading(device!, at), reading(device!, at + 1)]),
      write(other, [reading(device!, at + 2), reading(device!, at + 1)])
    ])
    await Promise.all(pushes)
    expect(await readHistory(one, device!)).toHaveLength(24 * 3)
    expect(await readState(one, device!)).toMatchObject({ at: times.at(-1)! + 2, firstAt: times[0]! })
  })

  test.each([
    ["removed from its workspace", "UPDATE devices SET workspace_id = NULL WHERE id = $1"],
    ["deleted", "DELETE FROM devices WHERE id = $1"]
  ])(
    "a device that is %s while a batch arrives gets no reading, and the others of the batch do",
    async (_, removal) => {
      const [removed, present] = (await fleet(one, 2)) as [string, string]
      await write(one, [reading(removed, noon)])
      await hold(removed)
      await stranger.query(removal, [removed])
      const written = write(one, [reading(removed, noon + 1), reading(present, noon + 1)])
      await waiting()
      await stranger.query("COMMIT")
      expect((await written).outcomes).toEqual(["gone", "stored"])
      expect((await readHistory(one, removed)).map(({ at }) => at)).not.toContain(noon + 1)
      expect(await readHistory(one, present)).toHaveLength(1)
    }
  )

  test("a lost connection makes the writes of the batch SERVICE_UNAVAILABLE, and the next ones work", async () => {
    const devices = await fleet(one, 3)
    await hold(devices[0]!)
    const writes = devices.map((device) => write(one, [reading(device, noon)]))
    const settled = Promise.allSettled(writes)
    await waiting()
    await server.restart()
    for (const result of await settled) {
      expect(result).toMatchObject({ status: "rejected", reason: expect.any(ServiceUnavailable) })
    }
    await eventually("a write works again", () =>
      write(one, [reading(devices[0]!, noon)]).then(
        ({ outcomes }) => outcomes,
        () => undefined
      )
    )
    expect((await write(one, [reading(devices[1]!, noon)])).outcomes).toEqual(["stored"])
  })

  test("acknowledged readings survive kill -9 of the database", async () => {
    const devices = await fleet(one, 50)
    await Promise.all(devices.map((device) => write(one, [reading(device, noon)])))
    await server.kill9()
    await server.restart()
    const again = instanceOn(url)
    const responses = await Promise.all(devices.map((device) => write(again, [reading(device, noon)])))
    await again.dispose()
    expect(responses.flatMap(({ outcomes }) => outcomes)).toEqual(devices.map(() => "duplicate"))
  })
})
