import { DuplicateName } from "@edp/domain/errors/ApiErrors"
import { DatabaseUnavailable } from "@edp/server/platform/sql/DatabaseUnavailable"
import { inTransaction, InTransaction, query, uniqueTo } from "@edp/server/platform/sql/transaction"
import { assert, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { Client } from "pg"
import { eventually } from "../../../support/eventually.ts"
import { describePostgres } from "../../../support/PostgresServer.ts"
import { onPostgres, usePostgres } from "./postgres.ts"

const findDefect = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.isFailure(exit) && Cause.hasDies(exit.cause) ? Cause.squash(exit.cause) : undefined

const findFailure = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.isFailure(exit) && !Cause.hasDies(exit.cause) ? Cause.squash(exit.cause) : undefined

describePostgres("a transaction", () => {
  const server = usePostgres()

  const onAccounts = <A, E>(effect: (sql: SqlClient.SqlClient) => Effect.Effect<A, E, SqlClient.SqlClient>) =>
    Effect.flatMap(
      Effect.promise(() => server().createDatabase()),
      (url) =>
        onPostgres(
          url,
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            yield* sql`CREATE TABLE accounts (name text CONSTRAINT accounts_name_key PRIMARY KEY, amount int NOT NULL)`
            yield* sql`INSERT INTO accounts VALUES ('a', 0), ('b', 0)`
            return yield* effect(sql)
          })
        )
    )
  const amounts = (sql: SqlClient.SqlClient) =>
    Effect.map(sql<{ amount: number }>`SELECT amount FROM accounts ORDER BY name`, (rows) =>
      rows.map(({ amount }) => amount)
    )
  const add = (sql: SqlClient.SqlClient, name: string) =>
    query(sql`UPDATE accounts SET amount = amount + 1 WHERE name = ${name}`)

  /** Waits until the server has ended a session. */
  const ended = async (pid: number) => {
    const client = new Client({ connectionString: server().adminUrl })
    await client.connect()
    await eventually("the session is gone", async () => {
      const { rowCount } = await client.query("SELECT FROM pg_stat_activity WHERE pid = $1", [pid])
      return rowCount === 0 ? true : undefined
    })
    await client.end()
  }

  it.live("that deadlocks is retried, so that both succeed", () =>
    onAccounts((sql) =>
      Effect.gen(function* () {
        let runs = 0
        const [aTaken, bTaken] = yield* Effect.all([Deferred.make<void>(), Deferred.make<void>()])
        const move = (first: string, taken: Deferred.Deferred<void>, second: string, other: Deferred.Deferred<void>) =>
          inTransaction(
            Effect.gen(function* () {
              runs += 1
              yield* add(sql, first)
              yield* Deferred.succeed(taken, undefined)
              yield* Deferred.await(other)
              yield* add(sql, second)
            })
          )
        yield* Effect.all([move("a", aTaken, "b", bTaken), move("b", bTaken, "a", aTaken)], { concurrency: 2 })
        assert.deepStrictEqual(yield* amounts(sql), [2, 2])
        assert.isAbove(runs, 2)
      })
    )
  )

  it.live("with a single conflicting statement is retried at most three times", () =>
    onAccounts((sql) =>
      Effect.gen(function* () {
        let runs = 0
        const statement = (conflicts: number) =>
          Effect.suspend(() => {
            runs += 1
            return runs <= conflicts
              ? sql.unsafe(`DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40P01'; END $$`)
              : sql`UPDATE accounts SET amount = amount + 1`
          })
        yield* query(statement(3))
        assert.deepStrictEqual([runs, yield* amounts(sql)], [4, [1, 1]])
        runs = 0
        assert.instanceOf(findFailure(yield* Effect.exit(query(statement(4)))), DatabaseUnavailable)
        assert.strictEqual(runs, 4)
      })
    )
  )

  it.live("with a conflict in a nested one is retried as a whole", () =>
    onAccounts((sql) =>
      Effect.gen(function* () {
        let runs = 0
        const conflict = sql`DO $$ BEGIN RAISE EXCEPTION 'conflict' USING ERRCODE = '40001'; END $$`
        yield* inTransaction(
          Effect.gen(function* () {
            runs += 1
            yield* add(sql, "a")
            yield* inTransaction(Effect.andThen(add(sql, "b"), runs < 3 ? query(conflict) : Effect.void))
          })
        )
        assert.strictEqual(runs, 3)
        assert.deepStrictEqual(yield* amounts(sql), [1, 1])
      })
    )
  )

  it.live("that keeps conflicting is SERVICE_UNAVAILABLE after three retries", () =>
    onAccounts((sql) =>
      Effect.gen(function* () {
        let runs = 0
        const conflict = Effect.suspend(() => {
          runs += 1
          return sql`DO $$ BEGIN RAISE EXCEPTION 'conflict' USING ERRCODE = '40P01'; END $$`
        })
        assert.instanceOf(findFailure(yield* Effect.exit(inTransaction(conflict))), DatabaseUnavailable)
        assert.strictEqual(runs, 4)
      })
    )
  )

  it.live("that fails with a domain error is rolled back", () =>
    onAccounts((sql) =>
      Effect.gen(function* () {
        const failing = inTransaction(Effect.andThen(add(sql, "a"), Effect.fail(new DuplicateName({}))))
        assert.instanceOf(yield* Effect.flip(failing), DuplicateName)
        assert.deepStrictEqual(yield* amounts(sql), [0, 0])
      })
    )
  )

  it.live("rolls back only a nested one whose error is handled", () =>
    onAccounts((sql) =>
      Effect.gen(function* () {
        const insert = query(
          uniqueTo("accounts_name_key", () => new DuplicateName({}))(sql`INSERT INTO accounts VALUES ('a', 5)`)
        )
        const nested = inTransaction(Effect.andThen(add(sql, "b"), insert))
        yield* inTransaction(
          Effect.gen(function* () {
            yield* add(sql, "a")
            assert.instanceOf(yield* Effect.flip(nested), DuplicateName)
          })
        )
        assert.deepStrictEqual(yield* amounts(sql), [1, 0])
      })
    )
  )

  it.live("is recognised as such", () =>
    onAccounts(() =>
      Effect.gen(function* () {
        assert.isFalse(yield* InTransaction)
        assert.isTrue(yield* inTransaction(InTransaction))
      })
    )
  )

  it.live("that violates an unexpected constraint is a defect", () =>
    onAccounts((sql) =>
      Effect.gen(function* () {
        const insert = sql`INSERT INTO accounts VALUES ('a', 5)`
        for (const attempt of [query(insert), inTransaction(insert), inTransaction(query(insert))]) {
          const defect = findDefect(yield* Effect.exit(attempt))
          assert.strictEqual(SqlError.isSqlError(defect) ? defect.reason._tag : defect, "UniqueViolation")
        }
        const other = uniqueTo("another_key", () => new DuplicateName({}))(insert)
        assert.isTrue(SqlError.isSqlError(findDefect(yield* Effect.exit(query(other)))))
      })
    )
  )

  it.live("that loses its server is SERVICE_UNAVAILABLE, and the next one works", () =>
    onAccounts((sql) =>
      Effect.gen(function* () {
        const begun = yield* Deferred.make<void>()
        const restarted = yield* Deferred.make<void>()
        const open = yield* Effect.forkChild(
          Effect.exit(
            inTransaction(
              Effect.all([add(sql, "a"), Deferred.succeed(begun, undefined), Deferred.await(restarted), add(sql, "b")])
            )
          )
        )
        yield* Deferred.await(begun)
        yield* Effect.promise(() => server().restart())
        yield* Deferred.succeed(restarted, undefined)
        assert.instanceOf(findFailure(yield* Fiber.join(open)), DatabaseUnavailable)
        assert.deepStrictEqual(yield* amounts(sql), [0, 0])
      })
    )
  )

  it.live("that is idle for too long is ended by the server: SERVICE_UNAVAILABLE, rolled back", () =>
    onAccounts((sql) =>
      Effect.gen(function* () {
        const idle = Effect.gen(function* () {
          yield* sql`SET LOCAL idle_in_transaction_session_timeout = '20ms'`
          yield* add(sql, "a")
          const [session] = yield* sql<{ readonly pid: number }>`SELECT pg_backend_pid() AS pid`
          yield* Effect.promise(() => ended(session!.pid))
        })
        for (const late of [Effect.void, add(sql, "b")]) {
          const exit = yield* Effect.exit(inTransaction(Effect.andThen(idle, late)))
          assert.instanceOf(findFailure(exit), DatabaseUnavailable)
          assert.deepStrictEqual(yield* amounts(sql), [0, 0])
        }
        assert.deepStrictEqual(yield* query(sql`SELECT 1 AS n`), [{ n: 1 }])
      })
    )
  )

  it.live("without a server is SERVICE_UNAVAILABLE, like a statement, until the server is back", () =>
    onAccounts((sql) =>
      Effect.gen(function* () {
        yield* Effect.promise(() => server().kill9())
        for (const attempt of [query(sql`SELECT 1`), inTransaction(sql`SELECT 1`)]) {
          assert.instanceOf(findFailure(yield* Effect.exit(attempt)), DatabaseUnavailable)
        }
        yield* Effect.promise(() => server().restart())
        assert.deepStrictEqual(yield* query(sql`SELECT 1 AS n`), [{ n: 1 }])
      })
    )
  )

  it.live("that waits too long for a lock is SERVICE_UNAVAILABLE", () =>
    onAccounts((sql) =>
      Effect.gen(function* () {
        const taken = yield* Deferred.make<void>()
        const holder = yield* Effect.forkChild(
          inTransaction(Effect.all([add(sql, "a"), Deferred.succeed(taken, undefined), Effect.never]))
        )
        yield* Deferred.await(taken)
        const exit = yield* Effect.exit(
          inTransaction(Effect.andThen(sql`SET LOCAL lock_timeout = '20ms'`, add(sql, "a")))
        )
        yield* Fiber.interrupt(holder)
        assert.instanceOf(findFailure(exit), DatabaseUnavailable)
      })
    )
  )
})
