import * as EmbeddedDatabase from "@edp/server/platform/embedded/EmbeddedDatabase"
import { openPglite } from "@edp/server/platform/embedded/PgliteEngine"
import { PgliteBridge } from "@edp/server/platform/embedded/PgliteBridge"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Queue, Stream } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { setImmediate } from "node:timers/promises"
import type { Duplex } from "node:stream"
import { launchScript } from "./children/launchScript.ts"
import { useEmbeddedFolders } from "./embeddedFolders.ts"

const folders = useEmbeddedFolders()

const embedded = <A, E>(
  effect: Effect.Effect<A, E, SqlClient.SqlClient | PgClient.PgClient>,
  options: Omit<EmbeddedDatabase.EmbeddedOptions, "dataDir"> = {}
) =>
  Effect.flatMap(Effect.promise(folders.prepared), (dataDir) =>
    Effect.provide(effect, EmbeddedDatabase.layer({ dataDir, ...options }))
  )

const entries = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE entries (seq serial PRIMARY KEY, writer int NOT NULL, CONSTRAINT positive CHECK (writer >= 0))`
  const add = (writer: number) =>
    Effect.map(sql<{ seq: number }>`INSERT INTO entries (writer) VALUES (${writer}) RETURNING seq`, ([row]) => row!.seq)
  const writers = Effect.map(sql<{ writer: number }>`SELECT writer FROM entries ORDER BY seq`, (rows) =>
    rows.map(({ writer }) => writer)
  )
  return { sql, add, writers }
})

const breathe = Effect.promise(() => setImmediate())

const findReason = (error: unknown) => (SqlError.isSqlError(error) ? error.reason._tag : String(error))

describe("many clients of one embedded session", () => {
  it.live("a transaction never contains another client's statements", () =>
    embedded(
      Effect.gen(function* () {
        const { add, sql, writers } = yield* entries
        const transaction = (writer: number) =>
          sql.withTransaction(Effect.all([add(writer), breathe, add(writer), breathe, breathe, add(writer)]))
        const single = (writer: number) => Effect.andThen(breathe, add(writer))
        yield* Effect.forEach(
          Array.from({ length: 150 }, (_, index) => index),
          (index) =>
            Effect.asVoid<unknown, SqlError.SqlError, never>(index % 3 === 0 ? transaction(index) : single(index)),
          { concurrency: 50 }
        )
        const found = yield* writers
        assert.lengthOf(found, 50 * 3 + 100)
        for (let index = 0; index < 150; index += 3) {
          const first = found.indexOf(index)
          assert.deepStrictEqual(found.slice(first, first + 3), [index, index, index])
        }
      })
    )
  )

  it.live("an error inside a transaction rolls back only that transaction", () =>
    embedded(
      Effect.gen(function* () {
        const { add, sql, writers } = yield* entries
        const outcomes = yield* Effect.forEach(
          Array.from({ length: 60 }, (_, index) => index),
          (index) => Effect.result(sql.withTransaction(Effect.andThen(add(index), add(index % 2 === 0 ? index : -1)))),
          { concurrency: 20 }
        )
        const failures = outcomes
          .filter((outcome) => outcome._tag === "Failure")
          .map(({ failure }) => findReason(failure))
        assert.deepStrictEqual(
          failures,
          Array.from({ length: 30 }, () => "ConstraintError")
        )
        assert.deepStrictEqual(new Set(yield* writers), new Set(Array.from({ length: 30 }, (_, index) => 2 * index)))
      })
    )
  )

  it.live("a transaction that continues after an error cannot commit", () =>
    embedded(
      Effect.gen(function* () {
        const { add, sql, writers } = yield* entries
        const exit = yield* Effect.exit(sql.withTransaction(Effect.andThen(add(1), Effect.ignore(add(-1)))))
        assert.isTrue(Exit.isFailure(exit))
        assert.deepStrictEqual(yield* writers, [])
      })
    )
  )

  it.live("a savepoint rolls back only its part of the transaction", () =>
    embedded(
      Effect.gen(function* () {
        const { add, sql, writers } = yield* entries
        const part = sql.withTransaction(Effect.andThen(add(2), add(-1)))
        yield* sql.withTransaction(Effect.all([add(1), Effect.ignore(part), add(3)]))
        assert.deepStrictEqual(yield* writers, [1, 3])
      })
    )
  )

  it.live("an interrupted transaction is rolled back, and others continue", () =>
    embedded(
      Effect.gen(function* () {
        const { add, sql, writers } = yield* entries
        const begun = yield* Deferred.make<void>()
        const open = sql.withTransaction(Effect.all([add(1), Deferred.succeed(begun, undefined), Effect.never]))
        const fiber = yield* Effect.forkChild(open)
        yield* Deferred.await(begun)
        const other = yield* Effect.forkChild(add(2))
        yield* Fiber.interrupt(fiber)
        yield* Fiber.join(other)
        assert.deepStrictEqual(yield* writers, [2])
      })
    )
  )

  it.live("a statement that waits for a transaction can be cancelled", () =>
    embedded(
      Effect.gen(function* () {
        const { add, sql, writers } = yield* entries
        const begun = yield* Deferred.make<void>()
        const finish = yield* Deferred.make<void>()
        const open = yield* Effect.forkChild(
          sql.withTransaction(Effect.all([add(1), Deferred.succeed(begun, undefined), Deferred.await(finish), add(1)]))
        )
        yield* Deferred.await(begun)
        const waiting = yield* Effect.forEach([2, 3, 4], (writer) => Effect.forkChild(add(writer)))
        yield* breathe
        const asked = performance.now()
        yield* Fiber.interruptAll(waiting)
        // The driver gives up a connection whose statement does not end within 5 seconds.
        assert.isBelow(performance.now() - asked, 2500)
        yield* Deferred.succeed(finish, undefined)
        yield* Fiber.join(open)
        yield* Effect.forEach([5, 6, 7, 8], add, { concurrency: 4 })
        assert.deepStrictEqual((yield* writers).toSorted(), [1, 1, 5, 6, 7, 8])
      })
    )
  )

  it.live("an idle transaction is rolled back, so that others can continue", () =>
    embedded(
      Effect.gen(function* () {
        const { add, sql, writers } = yield* entries
        const begun = yield* Deferred.make<void>()
        const finish = yield* Deferred.make<void>()
        const idle = yield* Effect.forkChild(
          Effect.exit(
            sql.withTransaction(
              Effect.all([add(1), Deferred.succeed(begun, undefined), Deferred.await(finish), add(1)])
            )
          )
        )
        yield* Deferred.await(begun)
        yield* add(2)
        yield* Deferred.succeed(finish, undefined)
        assert.isTrue(Exit.isFailure(yield* Fiber.join(idle)))
        assert.deepStrictEqual(yield* writers, [2])
      }),
      { idleTransactionLimit: 100 }
    )
  )

  it.live("a request that arrives just as the last one ends is served", () =>
    embedded(
      Effect.gen(function* () {
        const { add } = yield* entries
        for (let hops = 0; hops < 12; hops++) {
          const pause = Effect.promise(async () => {
            for (let hop = 0; hop < hops; hop++) await undefined
          })
          for (let round = 0; round < 20; round++) yield* Effect.andThen(add(1), pause)
        }
      })
    )
  )

  it.live("timers run while statements are queued", () =>
    embedded(
      Effect.gen(function* () {
        const { add } = yield* entries
        let ticks = 0
        const timer = setInterval(() => (ticks += 1), 1)
        yield* Effect.forEach(Array.from({ length: 10_000 }), () => add(1), { concurrency: 64, discard: true })
        clearInterval(timer)
        assert.isAbove(ticks, 10)
      })
    )
  )

  it.live("statements that share a connection get their own results", () =>
    embedded(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const numbers = Array.from({ length: 500 }, (_, index) => index)
        const ask = (n: number): Effect.Effect<number, unknown> =>
          n % 10 === 3
            ? Effect.as(Effect.flip(sql`SELECT 1 / ${n - n}`), n)
            : Effect.map(sql<{ n: number }>`SELECT ${n}::int AS n`, ([row]) => row!.n)
        assert.deepStrictEqual(yield* Effect.forEach(numbers, ask, { concurrency: 100 }), numbers)
      }),
      { multiplex: true }
    )
  )

  it.live("a notification reaches the listener from any connection", () =>
    embedded(
      Effect.gen(function* () {
        const pg = yield* PgClient.PgClient
        const heard = yield* pg.listen("news")
        yield* Effect.forEach(["a", "b", "c", "d"], (text) => pg.notify("news", text), { concurrency: 4 })
        const payloads = yield* Effect.map(Queue.takeN(heard, 4), (all) => all.map(({ payload }) => payload))
        assert.deepStrictEqual(payloads.toSorted(), ["a", "b", "c", "d"])
      }).pipe(Effect.scoped)
    )
  )

  it.live("a stream that is interrupted leaves the connection usable", () =>
    embedded(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const numbers = sql<{ n: number }>`SELECT n FROM generate_series(1, 20000) AS n`.stream
        assert.strictEqual(yield* Stream.runCount(numbers), 20_000)
        const first = yield* Stream.runCollect(Stream.take(numbers, 3))
        assert.deepStrictEqual(
          first.map(({ n }) => n),
          [1, 2, 3]
        )
        const responses = yield* Effect.forEach([1, 2, 3, 4], (n) => sql<{ n: number }>`SELECT ${n}::int AS n`)
        assert.deepStrictEqual(
          responses.flat().map(({ n }) => n),
          [1, 2, 3, 4]
        )
      })
    )
  )

  it.live("large parameters and results arrive complete", () =>
    embedded(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const text = "0123456789".repeat(500_000)
        const [row] = yield* sql<{ same: string; length: number }>`SELECT ${text} AS same, length(${text}) AS length`
        assert.strictEqual(row!.length, 5_000_000)
        assert.isTrue(row!.same === text)
      })
    )
  )

  it.live("a text that resembles the engine's final message does not stop it", () =>
    embedded(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const text = "x\n2026-11-20 16:32:13.248 GMT [42] PANIC:  not this time\nAborted()"
        yield* sql`CREATE TABLE texts (text text PRIMARY KEY)`
        yield* sql`INSERT INTO texts VALUES (${text})`
        yield* Effect.flip(sql`INSERT INTO texts VALUES (${text})`)
        yield* Effect.flip(sql.unsafe(`SELECT * FROM missing -- ${text.replace("\nAborted()", "")}`))
        yield* sql`DO $$ BEGIN RAISE WARNING '2026-11-20 16:32:13.248 GMT [42] PANIC:  nor this time'; END $$`
        assert.deepStrictEqual(yield* sql`SELECT text FROM texts`, [{ text }])
      })
    )
  )

  it.live("an engine that stops fails every statement instead of hanging", () =>
    Effect.gen(function* () {
      const child = yield* Effect.promise(async () => launchScript("stoppedEngine.ts", await folders.prepared()))
      const guard = setTimeout(() => child.kill("SIGKILL"), 30_000)
      const { code } = yield* Effect.promise(() => child.exited)
      clearTimeout(guard)
      const lines = child.stdout().split("\n")
      assert.include(lines, "end: ConnectionError")
      assert.lengthOf(
        lines.filter((line) => line === "after: ConnectionError"),
        6
      )
      assert.include(lines, "closed")
      assert.strictEqual(code, 0)
    })
  )
})

describe("a client of the bridge", () => {
  const bridged = Effect.gen(function* () {
    const folder = yield* Effect.promise(folders.prepared)
    const engine = yield* openPglite(`${folder}/pgdata`)
    const options = { idleTransactionLimit: 60_000, onFailure: () => undefined }
    const bridge = yield* Effect.acquireRelease(
      Effect.sync(() => new PgliteBridge(engine, options)),
      (bridge) => Effect.promise(() => bridge.close())
    )
    const connect = Effect.gen(function* () {
      let line: Duplex | undefined
      const stream = () => (line = bridge.connect())
      const connection = yield* PgConnection.make({ stream, username: "postgres" })
      return { connection, line: line! }
    })
    return { bridge, connect }
  })

  it.live("reads a long response in pieces of 64 KB, so that its buffer stays small", () =>
    Effect.gen(function* () {
      const { connection, line } = yield* (yield* bridged).connect
      const pieces: Array<number> = []
      line.prependListener("data", (bytes: Buffer) => pieces.push(bytes.length))
      yield* connection.query("SELECT repeat('x', 1000000) AS text")
      assert.isAbove(
        pieces.reduce((sum, length) => sum + length, 0),
        1_000_000
      )
      assert.isAtMost(Math.max(...pieces), 65_536)
    }).pipe(Effect.scoped)
  )

  it.live("is rolled back when its client disconnects", () =>
    Effect.gen(function* () {
      const { connect } = yield* bridged
      const [leaving, staying] = [yield* connect, yield* connect]
      yield* staying.connection.query("CREATE TABLE kept (n int)")
      yield* leaving.connection.query("BEGIN")
      yield* leaving.connection.query("INSERT INTO kept VALUES (1)")
      const waiting = yield* Effect.forkChild(staying.connection.query("SELECT count(*)::int AS n FROM kept"))
      yield* breathe
      leaving.line.destroy()
      assert.deepStrictEqual((yield* Fiber.join(waiting)).rows, [{ n: 0 }])
    }).pipe(Effect.scoped)
  )

  it.live("leaves no prepared statements behind in the session", () =>
    Effect.gen(function* () {
      const { connect } = yield* bridged
      const staying = yield* connect
      const count = Effect.map(
        staying.connection.query("SELECT count(*)::int AS n FROM pg_prepared_statements", [], false),
        ({ rows }) => rows[0]!.n
      )
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { connection } = yield* connect
          for (let n = 0; n < 5; n++) yield* connection.query(`SELECT ${n}`)
          assert.strictEqual(yield* count, 5)
        })
      )
      assert.strictEqual(yield* count, 0)
    }).pipe(Effect.scoped)
  )

  it.live("disconnects in an open cycle after a Flush, and the others continue", () =>
    Effect.gen(function* () {
      const { bridge, connect } = yield* bridged
      const staying = yield* connect
      const half = bridge.connect()
      const answered = yield* Deferred.make<string>()
      half.on("data", (bytes: Buffer) => {
        if (bytes[0] === 0x31) Deferred.doneUnsafe(answered, Effect.succeed(bytes.toString("latin1", 0, 1)))
      })
      half.write(Buffer.from("\0\0\0\x08\0\x03\0\0", "latin1"))
      half.write(Buffer.from("P\0\0\0\x14half\0SELECT 1\0\0\0H\0\0\0\x04", "latin1"))
      assert.strictEqual(yield* Deferred.await(answered), "1")
      const waiting = yield* Effect.forkChild(staying.connection.query("SELECT 1 AS n"))
      yield* breathe
      half.destroy()
      assert.deepStrictEqual((yield* Fiber.join(waiting)).rows, [{ n: 1 }])
    }).pipe(Effect.scoped)
  )
})
