/** Migrates the database of its argument, as a starting instance does, and says which migrations it has applied. */
import * as Database from "@edp/server/platform/Database"
import * as Migrations from "@edp/server/platform/sql/Migrations"
import { Effect, Option, Redacted } from "effect"
import { once } from "node:events"
import { say } from "./output.ts"

const databaseUrl = Option.some(Redacted.make(process.argv[2]!))

await Effect.runPromise(
  Effect.gen(function* () {
    // Started from outside, so that several really start concurrently.
    const begin = once(process, "SIGUSR2")
    say("ready")
    yield* Effect.promise(() => begin)
    say(`applied ${JSON.stringify(yield* Migrations.run)}`)
  }).pipe(
    Effect.provide(Database.layer({ databaseUrl, dataDir: "unused" })),
    Effect.catch(({ message }) => Effect.sync(() => say(`refused: ${message}`)))
  )
)
