import * as EmbeddedDatabase from "@edp/server/platform/embedded/EmbeddedDatabase"
import { tidy } from "@edp/server/platform/embedded/EmbeddedDatabase"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { watch } from "node:fs"
import { mkdir, readdir, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { serverAccount } from "../../../support/postgresCluster.ts"
import { launchScript } from "./children/launchScript.ts"
import { useEmbeddedFolders } from "./embeddedFolders.ts"

const folders = useEmbeddedFolders()

const open = <A, E>(dataDir: string, effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.provide(effect, EmbeddedDatabase.layer({ dataDir }))

const refusal = (dataDir: string) => Effect.map(Effect.flip(open(dataDir, Effect.void)), ({ message }) => message)

const prepared = Effect.promise(folders.prepared)

describe("the embedded database", () => {
  it.live("creates a folder for its owner alone that contains only the database", () =>
    Effect.gen(function* () {
      const folder = folders.missing()
      const settings = yield* open(
        folder,
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          assert.strictEqual(sql.driver, "pglite")
          return yield* sql`SELECT current_setting('timezone') AS zone, current_setting('application_name') AS name,
            current_setting('jit') AS jit, current_setting('shared_buffers') AS buffers`
        })
      )
      assert.deepStrictEqual(settings, [{ zone: "UTC", name: "edp", jit: "off", buffers: "32MB" }])
      assert.strictEqual((yield* Effect.promise(() => stat(folder))).mode & 0o777, 0o700)
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(folder)), ["pgdata"])
    })
  )

  it.live("keeps its data over a restart", () =>
    Effect.gen(function* () {
      const folder = yield* prepared
      yield* open(
        folder,
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`CREATE TABLE kept (n int)`
          yield* sql`INSERT INTO kept SELECT generate_series(1, 1000)`
        })
      )
      const count = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT count(*)::int AS n FROM kept`)
      assert.deepStrictEqual(yield* open(folder, count), [{ n: 1000 }])
    })
  )

  it.live("starts after a kill that left PostgreSQL's own lock file empty", () =>
    Effect.gen(function* () {
      const folder = yield* prepared
      yield* Effect.promise(() => writeFile(join(folder, "pgdata", "postmaster.pid"), ""))
      const one = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT 1 AS n`)
      assert.deepStrictEqual(yield* open(folder, one), [{ n: 1 }])
    })
  )

  it.live("refuses a folder that another server uses, without disturbing it", () =>
    Effect.gen(function* () {
      const folder = yield* prepared
      const count = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE kept (n int)`
        assert.include(yield* refusal(folder), `another server (pid ${process.pid}) uses the data folder ${folder}`)
        return yield* sql`SELECT count(*)::int AS n FROM kept`
      })
      assert.deepStrictEqual(yield* open(folder, count), [{ n: 0 }])
    })
  )

  it.live("keeps every committed row exactly once after kill -9 while writing", () =>
    Effect.gen(function* () {
      const folder = yield* prepared
      const acknowledged: Array<number> = []
      for (const rows of [40, 700, 250]) {
        const child = yield* Effect.promise(() => launchScript("embeddedWriter.ts", folder))
        const enough = new RegExp(`(wrote \\d+\\s+){${rows}}`)
        yield* Effect.promise(() => child.printed(enough))
        child.kill("SIGKILL")
        yield* Effect.promise(() => child.exited)
        const whole = child.stdout().slice(0, child.stdout().lastIndexOf("\n"))
        acknowledged.push(...[...whole.matchAll(/wrote (\d+)/g)].map(([, n]) => Number(n)))
      }
      const rows = yield* open(
        folder,
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql<{ n: number }>`SELECT n FROM written ORDER BY n`)
      )
      const stored = new Set(rows.map(({ n }) => n))
      assert.isAtLeast(acknowledged.length, 990)
      assert.deepStrictEqual(
        acknowledged.filter((n) => !stored.has(n)),
        []
      )
      assert.strictEqual(stored.size, rows.length)
    })
  )

  it.live("recovers from a start that was killed while it created the database", () =>
    Effect.gen(function* () {
      const folder = folders.missing()
      yield* Effect.promise(() => mkdir(folder))
      const begun = new Promise<void>((resolve) => {
        const watcher = watch(folder, (_, name) => {
          if (!name?.startsWith("pgdata.new-")) return
          watcher.close()
          resolve()
        })
      })
      const child = yield* Effect.promise(() => launchScript("embeddedWriter.ts", folder))
      yield* Effect.promise(() => begun)
      child.kill("SIGKILL")
      yield* Effect.promise(() => child.exited)
      assert.notInclude(yield* Effect.promise(() => readdir(folder)), "pgdata")
      yield* open(folder, Effect.void)
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(folder)), ["pgdata"])
    })
  )

  it.live("reports a file in place of the folder", () =>
    Effect.gen(function* () {
      const path = folders.missing()
      yield* Effect.promise(() => writeFile(path, ""))
      assert.strictEqual(yield* refusal(path), `cannot use the data folder ${path}: there is a file of that name`)
      assert.strictEqual(
        yield* refusal(join(path, "inside")),
        `cannot use the data folder ${path}/inside: a part of the path is a file`
      )
    })
  )

  it.live("reports a folder without permission", () =>
    Effect.gen(function* () {
      const folder = folders.missing()
      yield* Effect.promise(() => mkdir(folder, { mode: 0o500 }))
      const child = yield* Effect.promise(() => launchScript("unprivilegedStart.ts", folder, `${serverAccount()?.uid}`))
      yield* Effect.promise(() => child.exited)
      assert.strictEqual(child.stdout(), `cannot use the data folder ${folder}: permission denied\n`)
    })
  )

  it.live("does not touch the files of another PostgreSQL version", () =>
    Effect.gen(function* () {
      const folder = yield* prepared
      yield* Effect.promise(() => writeFile(join(folder, "pgdata", "PG_VERSION"), "17\n"))
      assert.include(
        yield* refusal(folder),
        `${folder}/pgdata was written by PostgreSQL 17, this server reads version 18`
      )
    })
  )

  it.live("does not touch files that are not a database", () =>
    Effect.gen(function* () {
      const folder = folders.missing()
      yield* Effect.promise(() => mkdir(join(folder, "pgdata"), { recursive: true }))
      yield* Effect.promise(() => writeFile(join(folder, "pgdata", "notes.txt"), "mine"))
      assert.include(yield* refusal(folder), `${folder}/pgdata is not a database`)
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(join(folder, "pgdata"))), ["notes.txt"])
    })
  )

  it.live("reports damaged files in one line", () =>
    Effect.gen(function* () {
      const folder = yield* prepared
      yield* Effect.promise(() => writeFile(join(folder, "pgdata", "global", "pg_control"), "damaged"))
      const message = yield* refusal(folder)
      assert.include(message, `cannot open the database in ${folder}/pgdata: `)
      assert.notInclude(message, "\n")
    })
  )

  it.live("removes dead rows, computes statistics and shortens its log", () =>
    Effect.gen(function* () {
      const folder = yield* prepared
      yield* open(
        folder,
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`CREATE TABLE churned (n int PRIMARY KEY, text text)`
          yield* sql`INSERT INTO churned SELECT n, repeat('x', 1000) FROM generate_series(1, 5000) AS n`
          for (let round = 0; round < 12; round++) yield* sql`UPDATE churned SET text = ${`y${round}`.repeat(500)}`
          const state = sql<{ dead: number; analysed: boolean; log: number }>`
            SELECT n_dead_tup::int AS dead, last_analyze IS NOT NULL AS analysed,
              (pg_current_wal_lsn() - (SELECT redo_lsn FROM pg_control_checkpoint()))::float8 AS log
            FROM pg_stat_user_tables WHERE relname = 'churned'`
          // Statistics reach the shared tables at the end of a transaction, at most once a second.
          yield* Effect.repeat(Effect.andThen(sql`SELECT pg_stat_force_next_flush()`, state), {
            until: ([row]) => row!.dead > 40_000
          })
          const [before] = yield* state
          assert.isAbove(before!.log, 64 * 1024 * 1024)
          yield* tidy(sql)
          yield* sql`SELECT pg_stat_force_next_flush()`
          const [after] = yield* state
          assert.deepInclude(after!, { dead: 0, analysed: true })
          assert.isBelow(after!.log, 1024 * 1024)
        })
      )
    })
  )
})
