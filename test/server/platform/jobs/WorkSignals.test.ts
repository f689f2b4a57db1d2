import * as Database from "@edp/server/platform/Database"
import { whenDue } from "@edp/server/platform/jobs/every"
import * as WorkSignals from "@edp/server/platform/jobs/WorkSignals"
import { LONGEST_WAIT } from "@edp/server/platform/jobs/workWait"
import * as PostgresDatabase from "@edp/server/platform/sql/PostgresDatabase"
import { Effect, Layer, ManagedRuntime, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { Client } from "pg"
import { describe, expect, onTestFinished, test } from "vitest"
import { filesBelow, readText } from "../../../architecture/repository.ts"
import { useDatabases } from "../../../support/Databases.ts"
import { eventually } from "../../../support/eventually.ts"
import { startMutedProxy } from "../../../support/peers/mutedProxy.ts"
import { describePostgres } from "../../../support/PostgresServer.ts"
import { useTestApp } from "../../../support/TestApp.ts"

/** Milliseconds on a machine that other tests keep busy. */
const AT_ONCE = 5000

/** The names of work for which a part of the service waits, as its sources have them. */
const awaitedTopics = () =>
  new Set(
    filesBelow("packages/server/src")
      .filter((path) => path.endsWith(".ts") && !path.includes("/migrations/"))
      .flatMap((path) => [...readText(path).matchAll(/\btopics?: \[?"([^"]+)"/gu)])
      .map(([, topic]) => topic!)
  )

/** Work on the rows of a table, in a process that has only this work. It looks for rows when they are announced, or after long. */
const startWorker = async (url: string) => {
  const runs: Array<number> = []
  const found = new Set<string>()
  const work = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    runs.push(performance.now())
    for (const { id } of yield* sql<{ readonly id: string }>`SELECT id FROM jobs`) found.add(id)
  })
  const runtime = ManagedRuntime.make(
    Layer.effectDiscard(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const nextDue = Effect.orDie(
          Effect.map(
            sql<{ readonly left: number | null }>`SELECT min(extract(epoch FROM due_at - now())::float8) * 1000 AS left
              FROM jobs WHERE due_at > now()`,
            ([row]) => row!.left ?? Infinity
          )
        )
        yield* whenDue("The work of the test", { topics: ["tested"], pause: "50 millis", nextDue }, work)
      })
    ).pipe(
      Layer.provide(WorkSignals.layer),
      Layer.provideMerge(Database.layer({ databaseUrl: Option.some(Redacted.make(url)), dataDir: "", poolSize: 2 }))
    )
  )
  onTestFinished(() => runtime.dispose())
  await runtime.runPromise(Effect.void)
  /** Waits until it neither runs nor polls: it listens. */
  const rest = () =>
    eventually("it waits for announcements", async () => {
      const before = runs.length
      await new Promise((resolve) => setTimeout(resolve, 400))
      return runs.length === before && before > 0 ? true : undefined
    })
  return { runs, found, rest }
}

describePostgres("announced work", () => {
  const databases = useDatabases()

  /** Another process's connection, and a table whose rows are announced as those of the product are. */
  const arrange = async () => {
    const url = await databases.create()
    const client = new Client({ connectionString: url })
    await client.connect()
    onTestFinished(() => client.end())
    await client.query(`CREATE TABLE jobs (id text PRIMARY KEY, due_at timestamptz)`)
    await client.query(`CREATE TRIGGER announced AFTER INSERT ON jobs FOR EACH ROW WHEN (NEW.id NOT LIKE 'silent%')
      EXECUTE FUNCTION announce_work('tested')`)
    const add = (id: string, due = "NULL") => client.query(`INSERT INTO jobs VALUES ('${id}', ${due})`)
    const cut = () =>
      client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'LISTEN%' AND pid <> pg_backend_pid()`)
    return { add, client, cut, worker: await startWorker(url) }
  }

  test("is found at once, although nobody polls for it", async () => {
    const { add, client, worker } = await arrange()
    await worker.rest()
    await client.query("BEGIN")
    await add("one")
    const open = worker.runs.length
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(worker.runs.length).toBe(open)
    await client.query("COMMIT")
    const committed = performance.now()
    await eventually("it is found", () => (worker.found.has("one") ? true : undefined))
    expect(performance.now() - committed).toBeLessThan(AT_ONCE)
  })

  test("is looked for when its time comes, without an announcement at that time", async () => {
    const { add, worker } = await arrange()
    await worker.rest()
    await add("one", "now() + interval '1500 milliseconds'")
    const added = performance.now()
    await eventually("it is announced", () => (worker.found.has("one") ? true : undefined))
    const announced = worker.runs.length
    await eventually("it is looked for again", () => (worker.runs.length > announced ? true : undefined))
    expect(worker.runs.at(-1)! - added).toBeGreaterThan(1400)
    expect(worker.runs.at(-1)! - added).toBeLessThan(1500 + AT_ONCE)
  })

  test("is found after the connection that listens is lost, and announced again on a new one", async () => {
    const { add, cut, worker } = await arrange()
    await worker.rest()
    await add("silent")
    expect((await cut()).rowCount).toBe(1)
    await eventually("what was not announced is found", () => (worker.found.has("silent") ? true : undefined), 15_000)
    await worker.rest()
    await add("after")
    const added = performance.now()
    await eventually("it is found", () => (worker.found.has("after") ? true : undefined))
    expect(performance.now() - added).toBeLessThan(AT_ONCE)
  })

  test("is found by the longest wait if its announcement was lost", { timeout: LONGEST_WAIT + 30_000 }, async () => {
    const { add, worker } = await arrange()
    await worker.rest()
    const rested = performance.now()
    await add("silent")
    await eventually("it is found", () => (worker.found.has("silent") ? true : undefined), LONGEST_WAIT + 5000)
    expect(performance.now() - rested).toBeGreaterThan(1000)
  })

  test("is announced on a new connection after the one that listens has gone silent", async () => {
    const url = new URL(await databases.create())
    const proxy = await startMutedProxy(Number(url.port))
    onTestFinished(() => proxy.stop())
    const other = new Client({ connectionString: url.href })
    await other.connect()
    onTestFinished(() => other.end())
    url.port = `${proxy.port}`
    const database = PostgresDatabase.layer({ databaseUrl: Redacted.make(url.href), silence: 800 })
    const runtime = ManagedRuntime.make(Layer.provide(WorkSignals.layer, database))
    onTestFinished(() => runtime.dispose())
    const signals = await runtime.runPromise(WorkSignals.WorkSignals)
    let announced = 0
    signals.subscribe("tested", () => announced++)
    const arrives = (what: string) =>
      eventually(
        what,
        async () => {
          const before = announced
          await other.query("SELECT pg_notify('edp_work', 'tested')")
          return announced > before ? true : undefined
        },
        30_000
      )
    await arrives("it is announced")
    // A probe that gets its response leaves the connection as it is.
    await new Promise((resolve) => setTimeout(resolve, 2500))
    expect(signals.isReceiving).toBe(true)
    proxy.mute()
    await arrives("it is announced on a new connection")
  })

  test("is announced by triggers, for every kind of work", async () => {
    const app = await databases.create()
    const client = new Client({ connectionString: app })
    await client.connect()
    onTestFinished(() => client.end())
    const { rows } = await client.query<{ definition: string }>(
      `SELECT pg_get_triggerdef(oid) AS definition FROM pg_trigger WHERE NOT tgisinternal AND tgname LIKE '%announce%'`
    )
    const topics = new Set(
      rows.flatMap(({ definition }) => /announce_work\('([^']+)'\)/.exec(definition)?.[1] ?? "events")
    )
    expect(topics).toEqual(awaitedTopics())
  })
})

describe("the embedded database", () => {
  const app = useTestApp({ own: true })

  test("announces work to the process that it belongs to", async () => {
    const announced = Effect.gen(function* () {
      const signals = yield* WorkSignals.WorkSignals
      const sql = yield* SqlClient.SqlClient
      let count = 0
      yield* Effect.promise(() => eventually("it listens", () => (signals.isReceiving ? true : undefined)))
      signals.subscribe("tested", () => count++)
      yield* sql`SELECT pg_notify('edp_work', 'tested')`
      yield* Effect.promise(() => eventually("it is announced", () => (count > 0 ? true : undefined), 15_000))
      return count
    })
    expect(await app.run(Effect.scoped(Effect.provide(announced, WorkSignals.layer)))).toBe(1)
  })
})
