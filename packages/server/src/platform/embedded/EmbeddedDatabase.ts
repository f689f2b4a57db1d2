import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, type Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { resolve } from "node:path"
import { openDatabaseFolder, openFolder } from "./embeddedFolder.ts"
import { upkeep } from "./embeddedUpkeep.ts"
import { lockFolder } from "./folderLock.ts"
import { openPglite } from "./PgliteEngine.ts"
import { PgliteBridge } from "./PgliteBridge.ts"
import { makePooledClient } from "../sql/pooledClient.ts"
import { StartError } from "../StartError.ts"

export interface EmbeddedOptions {
  readonly dataDir: string
  /** They take turns in the one session that there is. */
  readonly connections?: number
  /** Whether statements of several fibers share a connection. */
  readonly multiplex?: boolean
  /** Milliseconds that an open transaction may ask for nothing while all others wait for it. */
  readonly idleTransactionLimit?: number
  /** Told once when the database can't go on in this process; without it the log says so. */
  readonly onFailure?: (error: StartError) => void
}

/** A PostgreSQL inside this process, with its files in `<dataDir>/pgdata`, behind the same client as a server. */
export const layer = (options: EmbeddedOptions): Layer.Layer<SqlClient.SqlClient | PgClient.PgClient, StartError> =>
  PgClient.layerFrom(open(options))

const open = Effect.fnUntraced(function* (options: EmbeddedOptions) {
  const folder = resolve(options.dataDir)
  yield* openFolder(folder)
  yield* lockFolder(folder)
  const engine = yield* openPglite(yield* openDatabaseFolder(folder))
  const runFork = Effect.runForkWith(yield* Effect.context())
  const onFailure = options.onFailure ?? ((error) => runFork(Effect.logFatal(error.message)))
  const bridge = yield* Effect.acquireRelease(
    Effect.sync(
      () =>
        new PgliteBridge(engine, {
          idleTransactionLimit: options.idleTransactionLimit ?? 60_000,
          onFailure: (error) => onFailure(stopped(folder, error))
        })
    ),
    (bridge) => Effect.promise(() => bridge.close())
  )
  const connections = options.connections ?? 4
  const client = yield* makePooledClient({
    driver: "pglite",
    stream: () => bridge.connect(),
    username: "postgres",
    database: "postgres",
    multiplex: options.multiplex ?? false,
    maxConnections: connections,
    // Dropping an idle one would save nothing and lose its prepared statements.
    minConnections: connections,
    idleTimeout: "1 day",
    transformJson: false
  }).pipe(Effect.mapError((error) => new StartError({ message: `cannot open the database in ${folder}: ${error}` })))
  yield* Effect.forkScoped(upkeep(client))
  return client
})

/** What ended the engine, for a person. A disk that is full ends it, because no change could be logged any more. */
const stopped = (folder: string, error: Error) => {
  const reason = error.cause instanceof Error ? error.cause.message : error.message
  const advice = /no space left|file too large|quota/i.test(reason) ? "make room and start again" : "start again"
  return new StartError({ message: `the database in ${folder} has stopped: ${reason}; ${advice}` })
}
