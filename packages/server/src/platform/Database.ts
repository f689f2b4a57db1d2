import type * as PgClient from "@effect/sql-pg/PgClient"
import { type Layer, Option, type Redacted } from "effect"
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
  /** Called once when the embedded database has failed for good. */
  readonly onFailure?: (error: StartError) => void
}

/** The database of the process. Nothing renames columns: SQL aliases them to the program's names. */
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
