import { randomUUID } from "node:crypto"
import { keyName, OrderingKeysRepository } from "@edp/server/destinations/delivery/OrderingKeysRepository"
import { leaseName } from "@edp/server/platform/jobs/JobRunner"
import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { plansDuring, startExplaining } from "../../../support/postgresPlans.ts"
import { describePostgres, type PostgresServer } from "../../../support/PostgresServer.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { atOnce } from "../../../support/races.ts"

const BACKLOG = 100_000

describePostgres("ordering keys", () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startExplaining()
  })
  afterAll(() => server.stop())
  const app = useTestApp({ databaseUrl: () => server.url })

  beforeEach(async () => {
    for (const table of [
      "deliveries",
      "delivery_lanes",
      "delivery_queues",
      "destinations",
      "workspaces",
      "organizations"
    ]) {
      await app.sql((sql) => sql`DELETE FROM ${sql(table)}`)
    }
  })

  const keys = <A, E>(use: (repository: Effect.Success<typeof OrderingKeysRepository>) => Effect.Effect<A, E>) =>
    app.run(Effect.flatMap(OrderingKeysRepository, use) as Effect.Effect<A, E>)
  const holder = randomUUID()
  const room = { byDestination: [], each: 16, all: 64, byWorkspace: [] }
  const claim = (more: object = {}, name = randomUUID()) =>
    keys((repository) => repository.claim(name, holder, { ...room, ...more }))

  /**
   * Destinations `d1`, `d2`, … with so many keys each that are due, and a delivery for each key; in turns of the workspaces
   * `w0`, `w1`, …, or each of its own.
   */
  const arrange = async (destinations: number, each: number, due = "-1 second", workspaces = destinations) => {
    await app.sql((sql) => sql`INSERT INTO organizations VALUES ('o', 'Organization', now(), now())`)
    await app.sql(
      (sql) => sql`INSERT INTO workspaces SELECT 'w' || n, 'o', 'Workspace ' || n, false, 'UTC', now(), now()
        FROM generate_series(0, ${workspaces - 1}::int) n`
    )
    await app.sql(
      (
        sql
      ) => sql`INSERT INTO destinations (id, workspace_id, destination_type, event_types, after_sequence, created_at, updated_at)
        SELECT 'd' || d, 'w' || d % ${workspaces}::int, 'WEBHOOK', '{SITE_CREATED}', 0, now(), now()
        FROM generate_series(1, ${destinations}::int) d`
    )
    await app.sql(
      (sql) =>
        sql`INSERT INTO delivery_queues (destination_id) SELECT 'd' || d FROM generate_series(1, ${destinations}::int) d`
    )
    await app.sql(
      (sql) => sql`INSERT INTO delivery_lanes (destination_id, lane, due_at, newest)
        SELECT 'd' || d, 'l' || l, now() + ${due}::interval, l FROM generate_series(1, ${destinations}::int) d, generate_series(1, ${each}::int) l`
    )
    await app.sql(
      (
        sql
      ) => sql`INSERT INTO deliveries (id, destination_id, subject, lane, sequence, event_id, event_type, created_at)
        SELECT d || '-' || l, 'd' || d, 'l' || l, 'l' || l, l, 'e' || l, 'SITE_CREATED', now()
        FROM generate_series(1, ${destinations}::int) d, generate_series(1, ${each}::int) l`
    )
  }
  test("are each claimed by one process under concurrency", async () => {
    await arrange(10, 40)
    const taken: Array<string> = []
    for (let round = 0; taken.length < 400; round++) {
      expect(round).toBeLessThan(60)
      const claims = await atOnce(6, () => claim({ all: 24 }))
      taken.push(...claims.flat().map(keyName))
    }
    expect(new Set(taken).size).toBe(400)
    expect(await claim()).toEqual([])
  })

  test("are claimed up to the limit of each destination and up to the total", async () => {
    await arrange(3, 40)
    const byDestination = [{ destinationId: "d1", count: 15 }]
    const taken = await claim({ byDestination })
    const counts = Object.fromEntries(
      [...Map.groupBy(taken, (one) => one.destinationId)].map(([id, ones]) => [id, ones.length])
    )
    expect(counts).toEqual({ d1: 1, d2: 16, d3: 16 })
    const more = { of: ["d3"], each: 20 }
    expect(await claim({ byDestination: [{ destinationId: "d2", count: 16 }], more, except: ["d1"] })).toHaveLength(20)
    expect(await claim({ all: 2 })).toHaveLength(2)
  })

  test("leave half of the capacity free when one workspace claims alone", async () => {
    await arrange(10, 10, "-1 second", 1)
    const first = await claim({ all: 60 })
    expect(first).toHaveLength(30)
    expect(new Set(first.map((one) => one.workspaceId))).toEqual(new Set(["w0"]))
    expect(await claim({ all: 30, byWorkspace: [{ workspaceId: "w0", count: 30 }] })).toEqual([])
    expect(await claim({ all: 40, byWorkspace: [{ workspaceId: "w0", count: 20 }] })).toHaveLength(10)
  })

  test("are claimed a third of the capacity each by two workspaces, and at least one by a new workspace", async () => {
    await arrange(10, 10, "-1 second", 2)
    const taken = await claim({ all: 60 })
    const counts = [...Map.groupBy(taken, (one) => one.workspaceId).values()].map((ones) => ones.length)
    expect(counts).toEqual([20, 20])
    const last = await claim({ all: 1, byWorkspace: [{ workspaceId: "w0", count: 59 }] })
    expect(last.map((one) => one.workspaceId)).toEqual(["w1"])
  })

  test("are claimed only of the given destinations, or only of the others", async () => {
    await arrange(3, 4)
    expect(new Set((await claim({ only: ["d2"] })).map((one) => one.destinationId))).toEqual(new Set(["d2"]))
    expect(new Set((await claim({ except: ["d1"] })).map((one) => one.destinationId))).toEqual(new Set(["d3"]))
  })

  test("are claimed one at a time for a failing destination, and not during its pause", async () => {
    await arrange(2, 5)
    await app.sql((sql) => sql`UPDATE delivery_queues SET failures = 3 WHERE destination_id = 'd1'`)
    await app.sql(
      (sql) =>
        sql`UPDATE delivery_queues SET failures = 4, not_before = now() + interval '1 minute' WHERE destination_id = 'd2'`
    )
    expect((await claim()).map((one) => one.destinationId)).toEqual(["d1"])
  })

  test("are claimed once they are due, and again when a lease has ended", async () => {
    await arrange(1, 1, "1 minute")
    expect(await claim()).toEqual([])
    await app.sql((sql) => sql`UPDATE delivery_lanes SET due_at = now() - interval '1 second'`)
    expect(await claim()).toHaveLength(1)
    expect(await claim()).toEqual([])
    await app.sql((sql) => sql`UPDATE delivery_lanes SET due_at = now() - interval '1 second'`)
    expect(await claim()).toHaveLength(1)
  })

  test("are renewed and released only by the process that holds the lease", async () => {
    await arrange(1, 1)
    const [mine, other] = [randomUUID(), randomUUID()]
    await claim({}, mine)
    const key = { destinationId: "d1", orderingKey: "l1" }
    const renew = (name: string) => keys((repository) => repository.renew([{ ...key, claim: name }]))
    expect(await renew(mine)).toEqual(new Set([leaseName(mine, keyName(key))]))
    await app.sql((sql) => sql`UPDATE delivery_lanes SET due_at = now() - interval '1 second'`)
    await claim({}, other)
    expect(await renew(mine)).toEqual(new Set())
    const release = (name: string) =>
      keys((repository) => repository.release([{ ...key, claim: name, isEmpty: true, dueAt: null, done: 1 }]))
    await release(mine)
    expect(await app.sql((sql) => sql`SELECT claim FROM delivery_lanes`)).toEqual([{ claim: other }])
    await release(other)
    expect(await app.sql((sql) => sql`SELECT 1 FROM delivery_lanes`)).toEqual([])
  })

  test("that got a delivery while claimed are due again instead of deleted", async () => {
    await arrange(1, 1)
    const name = randomUUID()
    const [taken] = await claim({}, name)
    await app.sql((sql) => sql`UPDATE delivery_lanes SET newest = newest + 1`)
    const outcome = { ...taken!, claim: name, isEmpty: true, dueAt: null, done: taken!.newest }
    expect(await keys((repository) => repository.release([outcome]))).toMatchObject([{ due: true }])
    expect(await claim()).toHaveLength(1)
  })

  test("for a recipient over its hourly cap wait for the next hour, with only the newest update of a device", async () => {
    await arrange(1, 1)
    await app.sql(
      (
        sql
      ) => sql`INSERT INTO deliveries (id, destination_id, subject, lane, sequence, event_id, event_type, created_at)
        SELECT 'u' || n, 'd1', 'device-' || n % 2, 'device-' || n % 2, n, 'u' || n, 'DEVICE_UPDATED', now() FROM generate_series(1, 6) n`
    )
    await keys((repository) => repository.pause("d1", new Date(Date.now() + 60_000)))
    expect(await claim()).toEqual([])
    await app.sql((sql) => sql`UPDATE delivery_queues SET not_before = '-infinity'`)
    expect(await claim()).toHaveLength(1)
    await keys((repository) => repository.supersede(["d1"], new Date()))
    const waiting = await app.sql((sql) => sql`SELECT id FROM deliveries WHERE status = 'pending' ORDER BY id`)
    expect(waiting).toEqual([{ id: "1-1" }, { id: "u5" }, { id: "u6" }])
    // The cap was not reached since then: nothing is superseded.
    await app.sql((sql) => sql`UPDATE deliveries SET status = 'pending' WHERE status = 'superseded'`)
    await keys((repository) => repository.supersede(["d1"], new Date()))
    expect(await app.sql((sql) => sql`SELECT 1 FROM deliveries WHERE status = 'superseded'`)).toEqual([])
  })

  describe("with a large backlog", () => {
    beforeEach(async () => {
      await arrange(2, BACKLOG / 2)
      for (const table of ["deliveries", "delivery_lanes", "delivery_queues"])
        await app.sql((sql) => sql`ANALYZE ${sql(table)}`)
    })

    test("are claimed, read, renewed and released by indexes", async () => {
      const name = randomUUID()
      const steps = async () => {
        const taken = await claim({}, name)
        expect(taken).toHaveLength(32)
        await keys((repository) => repository.heads(taken, 10))
        const held = taken.map((key) => ({ ...key, claim: name }))
        await keys((repository) => repository.renew(held))
        const outcomes = held.map((key) => ({ ...key, isEmpty: true, dueAt: null, done: key.newest }))
        await keys((repository) => repository.release(outcomes))
      }
      const plans = await plansDuring(app, server.log, "delivery_lanes", steps)
      const heads = await plansDuring(app, server.log, "FROM deliveries", steps)
      expect(plans).toHaveLength(3)
      expect(heads).toHaveLength(1)
      for (const plan of [...plans, ...heads]) {
        expect(plan).not.toMatch(/Seq Scan on (deliveries|delivery_lanes)/)
        // No step sees more than a few rows of the backlog.
        for (const [, rows] of plan.matchAll(/actual rows=([\d.]+)/g)) expect(Number(rows)).toBeLessThan(200)
      }
    })
  })
})
