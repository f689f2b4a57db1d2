import * as EmbeddedDatabase from "@edp/server/platform/embedded/EmbeddedDatabase"
import * as Migrations from "@edp/server/platform/sql/Migrations"
import { formatMonth, Partitions } from "@edp/server/readings/ingest/TelemetryRepository"
import { inTransaction } from "@edp/server/platform/sql/transaction"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import { useDatabases } from "../../../support/Databases.ts"
import { describePostgres } from "../../../support/PostgresServer.ts"
import { useEmbeddedFolders } from "../../platform/embedded/embeddedFolders.ts"
import { onPostgres } from "../../platform/sql/postgres.ts"

const months = (count: number) => Array.from({ length: count }, (_, index) => formatMonth(Date.UTC(2000, index)))

const existing = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ name: string }>`SELECT relname AS name FROM pg_inherits JOIN pg_class ON oid = inhrelid
      WHERE inhparent = 'readings'::regclass ORDER BY relname`,
    (rows) => rows.map(({ name }) => name)
  )
)

/** The clock stands still meanwhile: a time limit that it passes would end the statement that is waited for. */
const until = (name: string): Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.flatMap(existing, (names) => (names.includes(name) ? Effect.void : until(name)))

const addReading = (at: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`INSERT INTO readings ${sql.insert({ device_id: `at ${at}`, at, id: at, state: "{}" })}`
  )

describePostgres("the partitions of the readings", () => {
  const databases = useDatabases()
  const migrated = Effect.promise(() => databases.create())
  const onMigrated = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
    Effect.flatMap(migrated, (url) => onPostgres(url, effect))
  /** The clock is set before anything waits on it. */
  const inDecember = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
    Effect.andThen(TestClock.setTime(Date.UTC(2026, 11, 31, 23, 59)), onMigrated(effect))

  it.effect("exist for this and the next two months after the start", () =>
    inDecember(
      Effect.gen(function* () {
        yield* Effect.provide(Partitions, Partitions.layer)
        assert.deepStrictEqual(yield* existing, ["readings_202612", "readings_202701", "readings_202702"])
      })
    )
  )

  it.effect("are created ahead each month", () =>
    inDecember(
      Effect.gen(function* () {
        yield* Partitions
        yield* TestClock.adjust("1 day")
        yield* until("readings_202703")
        yield* TestClock.adjust("31 days")
        yield* until("readings_202704")
        assert.isFalse((yield* existing).includes("readings_202705"))
      }).pipe(Effect.provide(Partitions.layer))
    )
  )

  it.live("are created once for 20 concurrent requests in each of four instances", () =>
    Effect.gen(function* () {
      const url = yield* migrated
      const wanted = months(24)
      const instance = onPostgres(
        url,
        Effect.gen(function* () {
          const { ensure } = yield* Partitions
          const some = (index: number) => wanted.filter((_, month) => (month + index) % 3 > 0).toReversed()
          const all = Array.from({ length: 20 }, (_, index) => ensure(index % 2 === 0 ? wanted : some(index)))
          yield* Effect.all(all, { concurrency: "unbounded" })
        }).pipe(Effect.provide(Partitions.layer))
      )
      yield* Effect.all([instance, instance, instance, instance], { concurrency: "unbounded" })
      const names = yield* onPostgres(url, existing)
      assert.deepStrictEqual(
        names.filter((name) => name < "readings_2002"),
        wanted.map((month) => `readings_${month.replace("-", "")}`)
      )
    })
  )

  it.live("contain the readings of their month in UTC, from its first to its last millisecond", () =>
    onMigrated(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { ensure } = yield* Partitions
        yield* ensure(["2000-01", "2024-02"])
        const times = ["2000-01-01T00:00:00.000Z", "2024-02-01T00:00:00.000Z", "2024-02-29T23:59:59.999Z"]
        yield* Effect.forEach(times, addReading)
        const placed = yield* sql`SELECT tableoid::regclass::text AS "partition" FROM readings ORDER BY at`
        assert.deepStrictEqual(
          placed.map(({ partition }) => partition),
          ["readings_200001", "readings_202402", "readings_202402"]
        )
        yield* Effect.flip(addReading("1999-12-31T23:59:59.999Z"))
        yield* Effect.flip(addReading("2024-03-01T00:00:00.000Z"))
      }).pipe(Effect.provide(Partitions.layer))
    )
  )

  it.live("have the indexes of the readings", () =>
    onMigrated(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { ensure } = yield* Partitions
        yield* ensure(["2010-05"])
        const [counts] = yield* sql<{ parent: number; attached: number }>`
          SELECT (SELECT count(*)::int FROM pg_index WHERE indrelid = 'readings'::regclass) AS parent,
            (SELECT count(*)::int FROM pg_index JOIN pg_inherits ON inhrelid = indexrelid
              WHERE indrelid = 'readings_201005'::regclass) AS attached`
        assert.isAbove(counts!.parent, 0)
        assert.strictEqual(counts!.attached, counts!.parent)
      }).pipe(Effect.provide(Partitions.layer))
    )
  )

  it.live("can be created during writes and reads", () =>
    onMigrated(
      Effect.gen(function* () {
        const { ensure } = yield* Partitions
        const sql = yield* SqlClient.SqlClient
        yield* ensure(["2011-01"])
        const written = yield* Deferred.make<void>()
        const finish = yield* Deferred.make<void>()
        const writer = yield* Effect.forkChild(
          inTransaction(
            Effect.all([
              addReading("2011-01-01T00:00:00.000Z"),
              sql`SELECT count(*) FROM readings`,
              Deferred.succeed(written, undefined),
              Deferred.await(finish)
            ])
          )
        )
        yield* Deferred.await(written)
        yield* ensure(["2011-02"])
        yield* addReading("2011-02-01T00:00:00.000Z")
        yield* Deferred.succeed(finish, undefined)
        yield* Fiber.join(writer)
      }).pipe(Effect.provide(Partitions.layer))
    )
  )

  it.live("are not created inside a transaction, which could roll them back", () =>
    onMigrated(
      Effect.gen(function* () {
        const { ensure } = yield* Partitions
        const exit = yield* Effect.exit(inTransaction(ensure(["2012-01"])))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
        assert.notInclude(yield* existing, "readings_201201")
      }).pipe(Effect.provide(Partitions.layer))
    )
  )
})

describe("the partitions of the embedded database", () => {
  const folders = useEmbeddedFolders()

  it.live("are created for years of history, and known after a restart", () =>
    Effect.gen(function* () {
      const dataDir = yield* Effect.promise(folders.prepared)
      const database = EmbeddedDatabase.layer({ dataDir })
      yield* Effect.gen(function* () {
        yield* Migrations.run
        const { ensure } = yield* Effect.provide(Partitions, Partitions.layer)
        yield* Effect.all([ensure(months(30)), ensure(months(36)), ensure(months(30))], { concurrency: 3 })
      }).pipe(Effect.provide(database))
      yield* Effect.gen(function* () {
        const { ensure } = yield* Partitions
        yield* ensure(months(36))
        yield* addReading("2002-12-31T23:59:59.999Z")
        assert.lengthOf(
          (yield* existing).filter((name) => name < "readings_2003"),
          36
        )
      }).pipe(Effect.provide(Partitions.layer), Effect.provide(database))
    })
  )
})
