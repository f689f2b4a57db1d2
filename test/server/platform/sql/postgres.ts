import * as PostgresDatabase from "@edp/server/platform/sql/PostgresDatabase"
import type * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import { afterAll, beforeAll } from "vitest"
import { type PostgresOptions, type PostgresServer, startPostgres } from "../../../support/PostgresServer.ts"

/** A PostgreSQL server for the tests of one suite. */
export const usePostgres = (options: PostgresOptions = { fsync: false }): (() => PostgresServer) => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres(options)
  })
  afterAll(() => server.stop())
  return () => server
}

/** Runs the effect as an instance of the service does, with a pool of its own. */
export const onPostgres = <A, E>(
  url: string,
  effect: Effect.Effect<A, E, SqlClient.SqlClient | PgClient.PgClient>,
  options: Omit<PostgresDatabase.PostgresOptions, "databaseUrl"> = {}
) => Effect.provide(effect, PostgresDatabase.layer({ databaseUrl: Redacted.make(url), ...options }))
