import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, type Layer, Option, type Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import type { StartError } from "./StartError.ts"
import * as EmbeddedDatabase from "./embedded/EmbeddedDatabase.ts"
import { withReplica } from "./replicas/readReplica.ts"
import * as PostgresDatabase from "./sql/PostgresDatabase.ts"

export interface DatabaseOptions {
  /** None means the embedded database in the data folder. */
  readonly databaseUrl: Option.Option<Redacted.Redacted>
  readonly dataDir: string
  /** Connections to the server, 10 by default; the embedded database has its own number. */
  readonly poolSize?: number
  /** A replica of the server for reads, with the most seconds that it may lag. */
  readonly replica?: { readonly url: Redacted.Redacted; readonly lagSeconds: number } | undefined
  /** Called once when the embedded database has failed for good. */
  readonly onFailure?: (error: StartError) => void
}

const openPostgres = Effect.fnUntraced(function* (
  databaseUrl: Redacted.Redacted,
  { poolSize, replica }: Pick<DatabaseOptions, "poolSize" | "replica">
) {
  const pool = poolSize === undefined ? {} : { poolSize }
  const client = yield* PostgresDatabase.open({ databaseUrl, ...pool })
  if (replica === undefined) return client
  const readOnly = PostgresDatabase.toReadOnlyPool({ databaseUrl: replica.url, ...pool })
  return yield* withReplica(client, readOnly, replica.lagSeconds)
})

/** The database of the process. Nothing renames columns: SQL aliases them to the program's names. */
export const layer = (options: DatabaseOptions): Layer.Layer<SqlClient.SqlClient | PgClient.PgClient, StartError> =>
  Option.match(options.databaseUrl, {
    onNone: () =>
      EmbeddedDatabase.layer({
        dataDir: options.dataDir,
        ...(options.onFailure !== undefined && { onFailure: options.onFailure })
      }),
    onSome: (databaseUrl) => PgClient.layerFrom(openPostgres(databaseUrl, options))
  })
