import { PgClient } from "@effect/sql-pg"
import { loadPostalCodes, PostalCodes } from "@edp/server/platform/locations/PostalCodes"
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { useDatabases } from "../../../support/Databases.ts"
import { describePostgres } from "../../../support/PostgresServer.ts"

const CODES_IN_THE_DATA = 33_791

describePostgres("the postal codes in the database", () => {
  const databases = useDatabases()

  /** A connection pool of its own, as another instance has. */
  const instance = (url: string) => PgClient.layer({ url: Redacted.make(url), maxConnections: 2 })

  /** The run's databases are copied with the codes in them. */
  const emptyDatabase = Effect.gen(function* () {
    const url = yield* Effect.promise(() => databases.create())
    yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`TRUNCATE postal_codes`).pipe(Effect.provide(instance(url)))
    return url
  })

  const contents = Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ codes: number; transactions: number }>`
      SELECT count(*)::int AS codes, count(DISTINCT xmin::text)::int AS transactions FROM postal_codes`
  ).pipe(Effect.map(([row]) => row))

  it.live("are loaded once and completely by one of four instances that start concurrently", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase
      yield* Effect.all(
        Array.from({ length: 4 }, () => Effect.provide(loadPostalCodes, instance(url))),
        { concurrency: 4 }
      )
      const loaded = yield* Effect.provide(contents, instance(url))
      assert.deepStrictEqual(loaded, { codes: CODES_IN_THE_DATA, transactions: 1 })
    })
  )

  it.live("are found by five digits with state and location; unknown codes are not found", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase
      yield* Effect.gen(function* () {
        const codes = yield* PostalCodes
        assert.deepStrictEqual(
          yield* codes.find("95814"),
          Option.some({ code: "95814", state: "CA", latitude: 38.580568, longitude: -121.49559 })
        )
        assert.deepStrictEqual(
          Option.map(yield* codes.find("06390"), ({ state }) => state),
          Option.some("NY")
        )
        for (const nothing of ["00000", "99999", "", "95814' OR '1'='1"]) {
          assert.isTrue(Option.isNone(yield* codes.find(nothing)), nothing)
        }
      }).pipe(Effect.provide(PostalCodes.layer.pipe(Layer.provide(instance(url)))))
    })
  )

  it.live("are not changed by a later start", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO postal_codes VALUES ('95814', 'CA', 1, 2)`
        yield* loadPostalCodes
        assert.deepStrictEqual(yield* contents, { codes: 1, transactions: 1 })
      }).pipe(Effect.provide(instance(url)))
    })
  )

  it.live("are loaded completely by the next start after one that failed halfway", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`ALTER TABLE postal_codes ADD CONSTRAINT halfway CHECK (code < '5')`
        assert.isTrue(Exit.isFailure(yield* Effect.exit(loadPostalCodes)))
        assert.deepStrictEqual(yield* contents, { codes: 0, transactions: 0 })
        yield* sql`ALTER TABLE postal_codes DROP CONSTRAINT halfway`
        yield* loadPostalCodes
        assert.deepStrictEqual(yield* contents, { codes: CODES_IN_THE_DATA, transactions: 1 })
      }).pipe(Effect.provide(instance(url)))
    })
  )
})
