import * as Database from "@edp/server/platform/Database"
import { DatabaseUnavailable } from "@edp/server/platform/sql/DatabaseUnavailable"
import { withoutTimeLimit } from "@edp/server/platform/sql/ResponseWatch"
import { query, transactionsOn } from "@edp/server/platform/sql/transaction"
import { ServiceUnavailable } from "@edp/domain/errors/ApiErrors"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { freePort } from "../../../support/freePort.ts"
import { useDatabases } from "../../../support/Databases.ts"
import { describePostgres } from "../../../support/PostgresServer.ts"
import { startMutedProxy } from "../../../support/peers/mutedProxy.ts"
import { listenAsPostgres, listenAsStranger, listenInSilence } from "../../../support/peers/fakePostgres.ts"
import { onPostgres, usePostgres } from "./postgres.ts"

const secret = "hunter2hunter2"

const refusal = (url: string) =>
  Effect.void.pipe(
    Effect.provide(Database.layer({ databaseUrl: Option.some(Redacted.make(url)), dataDir: "unused" })),
    Effect.flip,
    Effect.map(({ message }) => {
      assert.notInclude(message, secret)
      assert.notInclude(message, "\n")
      return message
    })
  )

describe("a server is reported as unusable if", () => {
  it.live("it is unreachable", () =>
    Effect.gen(function* () {
      const port = yield* Effect.promise(freePort)
      assert.strictEqual(
        yield* refusal(`postgres://edp:${secret}@127.0.0.1:${port}/edp`),
        `cannot reach PostgreSQL at 127.0.0.1:${port} for database "edp": connection refused`
      )
    })
  )

  it.live("its host does not exist", () =>
    Effect.gen(function* () {
      const message = yield* refusal(`postgres://edp:${secret}@nowhere.invalid/edp`)
      assert.match(
        message,
        /^cannot reach PostgreSQL at nowhere\.invalid:5432 for database "edp": (there is no|the host)/
      )
    })
  )

  it.live("it accepts the connection and never responds", () =>
    Effect.gen(function* () {
      const port = yield* Effect.promise(listenInSilence)
      const begun = performance.now()
      assert.strictEqual(
        yield* refusal(`postgres://edp:${secret}@127.0.0.1:${port}/edp`),
        `cannot reach PostgreSQL at 127.0.0.1:${port} for database "edp": no response within 5 seconds`
      )
      assert.isBelow(performance.now() - begun, 20_000)
    })
  )

  it.live("it is not PostgreSQL", () =>
    Effect.gen(function* () {
      const port = yield* Effect.promise(listenAsStranger)
      assert.strictEqual(
        yield* refusal(`postgres://edp:${secret}@127.0.0.1:${port}/edp`),
        `cannot reach PostgreSQL at 127.0.0.1:${port} for database "edp": the server there is not PostgreSQL`
      )
    })
  )

  it.live("it is too old", () =>
    Effect.gen(function* () {
      const port = yield* Effect.promise(() => listenAsPostgres("14.19 (Debian)", "140019"))
      assert.strictEqual(
        yield* refusal(`postgres://edp:${secret}@127.0.0.1:${port}/edp`),
        `PostgreSQL at 127.0.0.1:${port} is version 14.19 (Debian), but 15 or newer is needed`
      )
    })
  )

  it.live("its URL is invalid", () =>
    Effect.gen(function* () {
      for (const url of [`http://edp:${secret}@db/edp`, `postgres://edp:${secret}@:::/edp`, secret]) {
        assert.strictEqual(
          yield* refusal(url),
          "DATABASE_URL must look like postgres://user:password@host:5432/database"
        )
      }
    })
  )
})

describePostgres("a server that requires a password", () => {
  const server = usePostgres({ fsync: false, auth: "password" })
  const place = () => `127.0.0.1:${server().port}`

  it.live("rejects a wrong password", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* refusal(`postgres://edp:${secret}@${place()}/edp`),
        `PostgreSQL at ${place()} refused user "edp" for database "edp": password authentication failed for user "edp"`
      )
    })
  )

  it.live("rejects a missing password", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* refusal(`postgres://edp@${place()}/edp`),
        `PostgreSQL at ${place()} refused user "edp" for database "edp": it requires a password, and DATABASE_URL has none`
      )
    })
  )

  it.live("reports a missing database", () =>
    Effect.gen(function* () {
      const url = server().url.replace(/edp$/, "absent")
      assert.strictEqual(yield* refusal(url), `PostgreSQL at ${place()} has no database "absent"`)
    })
  )

  it.live("applies the session settings on every connection, regardless of the server's", () =>
    onPostgres(
      server().url,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        assert.strictEqual(sql.driver, "pg")
        const settings = sql`SELECT current_setting('statement_timeout') AS statement,
          current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('lock_timeout') AS lock,
          current_setting('timezone') AS zone,
          current_setting('jit') AS jit, current_setting('application_name') AS name, pg_sleep(0.1)::text AS pause`
        const all = yield* Effect.all([settings, settings, settings], { concurrency: 3 })
        assert.deepStrictEqual(
          all.flat(),
          Array.from({ length: 3 }, () => ({
            statement: "30s",
            idle: "8s",
            lock: "10s",
            zone: "UTC",
            jit: "off",
            name: "edp",
            pause: ""
          }))
        )
      })
    )
  )
})

describePostgres("a pool whose connections are all in use", () => {
  const databases = useDatabases()
  const both = (body: Effect.Effect<unknown>) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const begun = yield* Effect.all([Deferred.make<void>(), Deferred.make<void>()])
      const fibers = yield* Effect.forEach(begun, (deferred) =>
        Effect.forkChild(sql.withTransaction(Effect.andThen(Deferred.succeed(deferred, undefined), body)))
      )
      yield* Effect.forEach(begun, Deferred.await)
      return { sql, fibers }
    })

  it.live("rejects the next request after two seconds, and continues when a connection is free", () =>
    onPostgres(
      databases.url,
      Effect.gen(function* () {
        const { fibers, sql } = yield* both(Effect.never)
        const begun = performance.now()
        const exit = yield* Effect.exit(query(sql`SELECT 1`))
        assert.isAtLeast(performance.now() - begun, 1900)
        assert.isTrue(Exit.isFailure(exit) && Cause.squash(exit.cause) instanceof ServiceUnavailable)
        yield* Fiber.interruptAll(fibers)
        assert.deepStrictEqual(yield* sql`SELECT 1 AS n`, [{ n: 1 }])
      }),
      { poolSize: 2 }
    )
  )

  it.live("loses no connection to cancelled requests", () =>
    onPostgres(
      databases.url,
      Effect.gen(function* () {
        const finish = yield* Deferred.make<void>()
        const { fibers, sql } = yield* both(Deferred.await(finish))
        const waiting = yield* Effect.forEach(Array.from({ length: 20 }), () => Effect.forkChild(sql`SELECT 1`))
        yield* Effect.yieldNow
        yield* Fiber.interruptAll(waiting)
        yield* Deferred.succeed(finish, undefined)
        yield* Effect.forEach(fibers, Fiber.join)
        const pids = yield* Effect.all(
          Array.from({ length: 2 }, () => sql`SELECT pg_backend_pid() AS pid, pg_sleep(0.2)::text`),
          { concurrency: 2 }
        )
        assert.strictEqual(new Set(pids.flat().map(({ pid }) => pid)).size, 2)
      }),
      { poolSize: 2 }
    )
  )
})

describePostgres("a server that is the leader no longer", () => {
  const databases = useDatabases()
  const write = (sql: SqlClient.SqlClient) => sql`CREATE TABLE IF NOT EXISTS written ()`

  it.live("is unavailable for writes, and its connections are closed", () =>
    onPostgres(
      databases.url,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (const attempt of [query(write(sql)), transactionsOn(sql)(query(write(sql)))]) {
          // A session that refuses writes, as each one of a server in recovery.
          yield* sql`SET default_transaction_read_only = on`
          const failure = yield* Effect.flip(attempt)
          assert.isTrue(DatabaseUnavailable.is(failure), String(failure))
          yield* write(sql)
        }
      }),
      { poolSize: 1 }
    )
  )
})

describePostgres("a server whose responses are lost on connections that stay open", () => {
  const databases = useDatabases()
  const silence = 800
  const throughProxy = <A, E>(
    body: (sql: SqlClient.SqlClient, mute: () => void) => Effect.Effect<A, E>,
    options: { readonly multiplex?: boolean } = {}
  ) =>
    Effect.acquireUseRelease(
      Effect.promise(() => startMutedProxy(Number(new URL(databases.url).port))),
      ({ mute, port }) => {
        const url = new URL(databases.url)
        url.port = `${port}`
        return onPostgres(
          url.href,
          Effect.flatMap(SqlClient.SqlClient, (sql) => body(sql, mute)),
          { poolSize: 2, silence, ...options }
        )
      },
      ({ stop }) => Effect.promise(stop)
    )
  const isUnavailable = (exit: Exit.Exit<unknown, unknown>) =>
    assert.isTrue(Exit.isFailure(exit) && Cause.squash(exit.cause) instanceof ServiceUnavailable, String(exit))

  for (const multiplex of [false, true])
    it.live(
      `is unavailable to those statements, and serves the next ones on new connections, multiplexed: ${multiplex}`,
      () =>
        throughProxy(
          (sql, mute) =>
            Effect.gen(function* () {
              const one = query(sql`SELECT 1 AS n`)
              yield* Effect.all([one, one], { concurrency: 2 })
              mute()
              const transaction = transactionsOn(sql)(query(sql`SELECT 2 AS n`))
              const lost = yield* Effect.all([Effect.exit(one), Effect.exit(transaction)], { concurrency: 2 })
              lost.forEach(isUnavailable)
              assert.deepStrictEqual(yield* Effect.all([one, one], { concurrency: 2 }), [[{ n: 1 }], [{ n: 1 }]])
              assert.deepStrictEqual(yield* transaction, [{ n: 2 }])
            }),
          { multiplex }
        )
    )

  it.live("does not concern statements that may take as long as they need", () =>
    throughProxy((sql) =>
      Effect.gen(function* () {
        const pause = sql`SELECT pg_sleep(${(2 * silence) / 1000})::text AS slept`
        isUnavailable(yield* Effect.exit(query(pause)))
        const rows = yield* sql.withTransaction(withoutTimeLimit(sql, pause))
        assert.deepStrictEqual(rows, [{ slept: "" }])
      })
    )
  )
})
