import * as EmbeddedDatabase from "@edp/server/platform/embedded/EmbeddedDatabase"
import { migrations } from "@edp/server/platform/sql/migrationList"
import * as Migrations from "@edp/server/platform/sql/Migrations"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { Client } from "pg"
import { useDatabases } from "../../../support/Databases.ts"
import { describePostgres } from "../../../support/PostgresServer.ts"
import { launchScript } from "../embedded/children/launchScript.ts"
import { useEmbeddedFolders } from "../embedded/embeddedFolders.ts"
import { onPostgres } from "./postgres.ts"
import { atOnce } from "../../../support/races.ts"

const statement = (text: string) => Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.asVoid(sql.unsafe(text)))

const all = Object.keys(migrations).map((name) => Number.parseInt(name, 10))

const first = { "0001_first": statement("CREATE TABLE first (n int)") }
const second = { "0002_second": statement("CREATE TABLE second (n int)") }
const third = { "0003_third": statement("CREATE TABLE third (n int)") }

const refusal = (migrations: Parameters<typeof Migrations.runMigrations>[0]) =>
  Effect.map(Effect.flip(Migrations.runMigrations(migrations)), ({ message }) => message)

const tables = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ name: string }>`SELECT relname AS name FROM pg_class
      WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname`,
    (rows) => rows.map(({ name }) => name)
  )
)

describePostgres("migrations", () => {
  const databases = useDatabases()
  const database = Effect.promise(() => databases.createEmpty())

  it.live("are applied once by four instances that start concurrently on an empty database", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 3; round++) {
        const url = yield* database
        const instances = yield* Effect.promise(() => atOnce(4, () => launchScript("migrate.ts", url)))
        yield* Effect.promise(() => Promise.all(instances.map((instance) => instance.printed(/ready/))))
        for (const instance of instances) instance.kill("SIGUSR2")
        yield* Effect.promise(() => Promise.all(instances.map((instance) => instance.exited)))
        const reports = instances.map((instance) => instance.stdout().replace("ready\n", "").trim())
        const once = `applied ${JSON.stringify(all)}`
        assert.deepStrictEqual(reports.toSorted(), [once, "applied []", "applied []", "applied []"])
      }
    })
  )

  it.live("wait for those of another instance without a time limit", () =>
    Effect.gen(function* () {
      const url = yield* database
      const slow = { "0001_slow": statement("CREATE TABLE slow AS SELECT 1 AS n FROM pg_sleep(1)") }
      const instance = onPostgres(url, Migrations.runMigrations(slow))
      const applied = yield* Effect.all([instance, instance, instance], { concurrency: "unbounded" })
      assert.deepStrictEqual(applied.toSorted(), [[], [], [1]])
    })
  )

  it.live("wait for a table in use, and hold up its other users only briefly", () =>
    Effect.gen(function* () {
      const url = yield* database
      yield* onPostgres(url, Migrations.runMigrations(first))
      const [user, reader] = yield* Effect.promise(async () => {
        const clients = [new Client({ connectionString: url }), new Client({ connectionString: url })] as const
        for (const client of clients) await client.connect()
        await clients[0].query("BEGIN")
        await clients[0].query("SELECT FROM first")
        return clients
      })
      const altered = { ...first, "0002_alter": statement("ALTER TABLE first ADD COLUMN m int") }
      const migrating = yield* Effect.forkChild(onPostgres(url, Migrations.runMigrations(altered)))
      const waits = yield* Effect.promise(async () => {
        const found: Array<number> = []
        for (let blocked = 0; blocked < 2;) {
          const begun = performance.now()
          await reader.query("SELECT FROM first")
          found.push(performance.now() - begun)
          if (found.at(-1)! > 500) blocked += 1
        }
        await user.query("COMMIT")
        return found
      })
      assert.deepStrictEqual(yield* Fiber.join(migrating), [2])
      assert.isBelow(Math.max(...waits), 2500)
      yield* Effect.promise(() => Promise.all([user.end(), reader.end()]))
    })
  )

  it.live("are applied only if they are new", () =>
    Effect.flatMap(database, (url) =>
      onPostgres(
        url,
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* Migrations.runMigrations(first), [1])
          assert.deepStrictEqual(yield* Migrations.runMigrations({ ...first, ...second, ...third }), [2, 3])
          assert.deepStrictEqual(yield* tables, ["first", "migrations", "second", "third"])
        })
      )
    )
  )

  it.live("refuse a database migrated by a newer version", () =>
    Effect.flatMap(database, (url) =>
      onPostgres(
        url,
        Effect.gen(function* () {
          yield* Migrations.runMigrations({ ...first, ...second })
          assert.strictEqual(
            yield* refusal(first),
            "the database holds migration 0002_second, which this version does not know: a newer version has migrated it"
          )
        })
      )
    )
  )

  it.live("refuse a migration with a number below the highest applied one", () =>
    Effect.flatMap(database, (url) =>
      onPostgres(
        url,
        Effect.gen(function* () {
          yield* Migrations.runMigrations({ ...first, ...third })
          assert.strictEqual(
            yield* refusal({ ...first, ...second, ...third }),
            "migration 0002_second comes before 0003_third, which the database already holds: it needs a higher number"
          )
          assert.deepStrictEqual(yield* tables, ["first", "migrations", "third"])
        })
      )
    )
  )

  it.live("roll back completely when one of them fails, and name it in one line", () =>
    Effect.flatMap(database, (url) =>
      onPostgres(
        url,
        Effect.gen(function* () {
          const broken = { ...first, "0002_broken": statement("CREATE TABLE broken (n nonsense)") }
          assert.strictEqual(yield* refusal(broken), 'Migration "2_broken" failed: type "nonsense" does not exist')
          assert.deepStrictEqual(yield* tables, [])
        })
      )
    )
  )

  it.live("report in one line that the role may not create tables", () =>
    Effect.gen(function* () {
      const url = yield* database
      const asAdministrator = databases.adminUrl.replace(/[^/]*$/, new URL(url).pathname.slice(1))
      yield* onPostgres(asAdministrator, statement("ALTER SCHEMA public OWNER TO postgres"))
      assert.strictEqual(
        yield* onPostgres(url, refusal(first)),
        "the migrations failed: permission denied for schema public"
      )
    })
  )
})

describe("migrations of the embedded database", () => {
  const folders = useEmbeddedFolders()

  it.live("are applied once", () =>
    Effect.gen(function* () {
      const dataDir = yield* Effect.promise(folders.prepared)
      const start = Effect.provide(Migrations.run, EmbeddedDatabase.layer({ dataDir }))
      assert.deepStrictEqual(yield* start, all)
      assert.deepStrictEqual(yield* start, [])
    })
  )
})
