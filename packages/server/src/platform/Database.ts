import type * as PgClient from "@effect/sql-pg/PgClient"
import { Context, type Layer, Option, type Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import type { StartError } from "./StartError.ts"
import * as EmbeddedDatabase from "./embedded/EmbeddedDatabase.ts"
import * as PostgresDatabase from "./sql/PostgresDatabase.ts"

export interface DatabaseOptions {
  /** None means the embedded database in the data folder. */
  readonly databaseUrl: Option.Option<Redacted.Redacted>
  readonly dataDir: string
  /** Connections to the server, 10 by default; the embedded database has its own number. */
  readonly poolSize?: number
  /** Told once when the embedded database can't go on in this process. */
  readonly onFailure?: (error: StartError) => void
}

/** The one database of a process. Columns are named in SQL as the program calls them: nothing renames them. */
export const layer = (options: DatabaseOptions): Layer.Layer<SqlClient.SqlClient | PgClient.PgClient, StartError> =>
  Option.match(options.databaseUrl, {
    onNone: () =>
      EmbeddedDatabase.layer({
        dataDir: options.dataDir,
        ...(options.onFailure !== undefined && { onFailure: options.onFailure })
      }),
    onSome: (databaseUrl) =>
      PostgresDatabase.layer({ databaseUrl, ...(options.poolSize !== undefined && { poolSize: options.poolSize }) })
  })

/** Tells whether the database has ended for good in this process, so that only another start of it helps. */
export const databaseHasEnded = Context.Reference<() => boolean>("@edp/server/databaseHasEnded", {
  defaultValue: () => () => false
})
