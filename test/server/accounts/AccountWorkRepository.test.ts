import { randomUUID } from "node:crypto"
import { AccountWorkRepository } from "@edp/server/accounts/AccountWorkRepository"
import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { plansDuring, startExplaining } from "../../support/postgresPlans.ts"
import { describePostgres, type PostgresServer } from "../../support/PostgresServer.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { atOnce } from "../../support/races.ts"

const ROWS = 50_000

describePostgres("the work on accounts", () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startExplaining()
  })
  afterAll(() => server.stop())
  const app = useTestApp({ databaseUrl: () => server.url, adapters: [] })

  const work = <A, E>(use: (repository: Effect.Success<typeof AccountWorkRepository>) => Effect.Effect<A, E>) =>
    app.run(Effect.flatMap(AccountWorkRepository, use) as Effect.Effect<A, E>)
  const holder = randomUUID()
  const claim = (room: number, manufacturer = "generic", most = 64) =>
    work((repository) => repository.claim(randomUUID(), holder, [{ manufacturer, room }], most))

  /** Accounts of `generic`, the first ones due; others of `simulator`, which no instance reads, are overdue. */
  const arrange = async (all: number, due: number) => {
    const { workspaceId } = await app.workspace()
    await app.sql(
      (sql) => sql`INSERT INTO accounts (id, workspace_id, manufacturer, external_id, name, reference_id, tags, status,
          created_at, updated_at)
        SELECT 'a' || n, ${workspaceId}, CASE WHEN n % 2 = 0 THEN 'generic' ELSE 'simulator' END, n, 'Account', 'user',
          '{}', 'connected', now(), now() FROM generate_series(1, ${2 * all}::int) n RETURNING 1`
    )
    await app.sql(
      (sql) => sql`INSERT INTO account_work (account_id, manufacturer, due_at, discover_at)
        SELECT id, manufacturer, CASE WHEN manufacturer = 'simulator' OR external_id::int <= ${2 * due}::int
          THEN now() - interval '1 minute' ELSE now() + interval '1 hour' * (1 + random()) END, now() FROM accounts RETURNING 1`
    )
    await app.sql((sql) => sql.unsafe("ANALYZE account_work"))
    await app.sql((sql) => sql.unsafe("ANALYZE accounts"))
  }
  beforeEach(() => app.sql((sql) => sql.unsafe("DELETE FROM accounts")))

  test("is done by one process for each account under concurrency", async () => {
    await arrange(200, 200)
    const taken: Array<string> = []
    while (taken.length < 200) {
      const claims = await atOnce(6, () => claim(16))
      taken.push(...claims.flat().map(({ accountId }) => accountId))
    }
    expect(new Set(taken).size).toBe(200)
    expect(await claim(64)).toEqual([])
  })

  test("is claimed, renewed and released along indexes, whatever number of accounts there is", async () => {
    await arrange(ROWS, 64)
    const plans = await plansDuring(app, server.log, "account_work w", async () => {
      const claims = await claim(64)
      expect(claims).toHaveLength(64)
      const held = claims.map(({ accountId, claim }) => ({ accountId, claim }))
      expect((await work((repository) => repository.renew(held))).size).toBe(64)
      await work((repository) =>
        repository.release(held.map((one) => ({ ...one, dueInMs: 60_000, readInMs: 60_000, failures: 0 })))
      )
      expect(await claim(64)).toEqual([])
    })
    expect(plans).toHaveLength(4)
    for (const plan of plans) expect(plan).not.toContain("Seq Scan on account_work")
    expect(plans[0]).toContain("Index Scan using account_work_due")
    expect(plans[0]).not.toMatch(/Rows Removed by Filter: \d{3,}/u)
  })

  test("is taken by one of many commands for one account, and given back as it was", async () => {
    await arrange(1, 0)
    const take = () => work((repository) => repository.take("a2", randomUUID(), holder))
    const [before] = await app.sql<any>((sql) => sql`SELECT due_at::text FROM account_work WHERE account_id = 'a2'`)
    const taken = (await Promise.all(Array.from({ length: 8 }, take))).filter((one) => one !== undefined)
    expect(taken).toHaveLength(1)
    expect(taken[0]!.wasDueAt).toEqual(before.due_at)
    await work((repository) => repository.giveBack("a2", taken[0]!))
    const [after] = await app.sql<any>(
      (sql) => sql`SELECT due_at::text, claim FROM account_work WHERE account_id = 'a2'`
    )
    expect(after).toEqual({ due_at: before.due_at, claim: null })
  })
})
