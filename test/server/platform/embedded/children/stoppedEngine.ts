/** Makes the engine of an embedded database end, as a full disk does, and says how later statements fare. */
import * as EmbeddedDatabase from "@edp/server/platform/embedded/EmbeddedDatabase"
import { Cause, Effect, Exit } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { say } from "./output.ts"

const findReason = (exit: Exit.Exit<unknown, SqlError.SqlError>) => {
  if (Exit.isSuccess(exit)) return "success"
  const error = Cause.squash(exit.cause)
  return SqlError.isSqlError(error) ? error.reason._tag : String(error)
}

await Effect.runPromise(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // PostgreSQL ends the session over this, and PGlite's engine with it.
    const fatal = sql.withTransaction(
      Effect.all([
        sql`SET LOCAL idle_in_transaction_session_timeout = '20ms'`,
        Effect.sleep("200 millis"),
        sql`SELECT 1`
      ])
    )
    say(`end: ${findReason(yield* Effect.exit(fatal))}`)
    for (let attempt = 0; attempt < 6; attempt++) say(`after: ${findReason(yield* Effect.exit(sql`SELECT 1`))}`)
  }).pipe(Effect.provide(EmbeddedDatabase.layer({ dataDir: process.argv[2]! })))
)
say("closed")
