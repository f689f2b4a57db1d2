/**
 * Opens the embedded database in the folder of its argument and says so. Then it writes one row after the other, by 8
 * writers at once and some in transactions, and says each number once its row is committed, until it is killed.
 */
import * as EmbeddedDatabase from "@edp/server/platform/embedded/EmbeddedDatabase"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { complain, say } from "./output.ts"

const write = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE IF NOT EXISTS written (n int PRIMARY KEY, text text NOT NULL)`
  const [last] = yield* sql<{ n: number }>`SELECT coalesce(max(n), 0) AS n FROM written`
  say("open")
  let next = last!.n
  const writeOne = Effect.suspend(() => {
    const n = ++next
    const insert = sql`INSERT INTO written (n, text) VALUES (${n}, ${"x".repeat(n % 3000)})`
    const whole = n % 2 === 0 ? insert : sql.withTransaction(Effect.andThen(sql`SELECT 1`, insert))
    return Effect.andThen(
      whole,
      Effect.sync(() => say(`wrote ${n}`))
    )
  })
  yield* Effect.all(
    Array.from({ length: 8 }, () => Effect.forever(writeOne)),
    { concurrency: "unbounded", discard: true }
  )
})

await Effect.runPromise(
  write.pipe(
    Effect.provide(EmbeddedDatabase.layer({ dataDir: process.argv[2]! })),
    Effect.catchTag("StartError", ({ message }) => Effect.sync(() => complain(message)))
  )
)
