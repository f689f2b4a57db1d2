import { endLeasesOfGone, holdLeases } from "@edp/server/platform/jobs/heldLeases"
import { LeaseHolder } from "@edp/server/platform/jobs/LeaseHolder"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { Client } from "pg"
import { expect, test } from "vitest"
import { eventually } from "../../../support/eventually.ts"
import { useDatabases } from "../../../support/Databases.ts"
import { describePostgres } from "../../../support/PostgresServer.ts"
import { type TestApp, useTestApp } from "../../../support/TestApp.ts"

/** A process, and a sweep of it that notes whose leases it ends. */
const process = (app: TestApp) => {
  const holding = { id: randomUUID(), doubted: new Set<() => void>() }
  const ended: Array<string> = []
  const sweep = () =>
    app.run(
      endLeasesOfGone((id) => Effect.sync(() => ended.push(id))).pipe(Effect.provideService(LeaseHolder, holding))
    )
  return { holding, ended, sweep }
}

const register = (app: TestApp, id: string) =>
  app.sql((sql) => sql`INSERT INTO lease_holders (id) VALUES (${id}::uuid) RETURNING 1`)
const isRegistered = async (app: TestApp, id: string) =>
  (await app.sql((sql) => sql`SELECT FROM lease_holders WHERE id = ${id}::uuid`)).length > 0

test("on the embedded database the leases of former processes end at the start", async () => {
  const { ended, holding, sweep } = process(embedded)
  const former = randomUUID()
  await register(embedded, former)
  await register(embedded, holding.id)
  await sweep()
  expect(ended).toContain(former)
  expect([await isRegistered(embedded, former), await isRegistered(embedded, holding.id)]).toEqual([false, true])
})

const embedded = useTestApp({ own: true })

describePostgres("the leases of a process", () => {
  const databases = useDatabases()
  const app = useTestApp({ databaseUrl: () => databases.url })

  /** Another process that holds its lock, until its connection ends. */
  const other = async () => {
    const id = randomUUID()
    const client = new Client({ connectionString: databases.url })
    await client.connect()
    await client.query(`SELECT pg_advisory_lock(hashtextextended('lease holder ' || $1, 0))`, [id])
    await register(app, id)
    return { id, client }
  }

  test("end seconds after its connection, and not while it lives", async () => {
    const { ended, sweep } = process(app)
    const [killed, alive] = [await other(), await other()]
    await sweep()
    await killed.client.end()
    await eventually("its leases are ended", async () => {
      await sweep()
      return ended.includes(killed.id) ? true : undefined
    })
    expect(ended).toEqual([killed.id])
    expect([await isRegistered(app, killed.id), await isRegistered(app, alive.id)]).toEqual([false, true])
    await alive.client.end()
  })

  test("are doubted when it loses its connection, and go on unless others have ended them", async () => {
    const { holding } = process(app)
    let doubts = 0
    holding.doubted.add(() => doubts++)
    const first = holding.id
    const cut = () =>
      app.sql(
        (
          sql
        ) => sql`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted
          AND (classid::bigint << 32) | objid::bigint = hashtextextended('lease holder ' || ${holding.id}, 0)`
      )
    await app.run(
      Effect.scoped(
        Effect.gen(function* () {
          yield* holdLeases
          yield* Effect.promise(async () => {
            await eventually("it is known", async () => ((await isRegistered(app, first)) ? true : undefined))
            await cut()
            await eventually("it is back", () => (doubts === 1 ? true : undefined))
            expect(holding.id).toBe(first)
            await app.sql((sql) => sql`DELETE FROM lease_holders WHERE id = ${first}::uuid RETURNING 1`)
            await cut()
            await eventually("it is back under another name", async () =>
              doubts === 2 && holding.id !== first && (await isRegistered(app, holding.id)) ? true : undefined
            )
          })
        })
      ).pipe(Effect.provideService(LeaseHolder, holding))
    )
  })
})
