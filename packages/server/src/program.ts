import "effect/schema/SchemaJITCompiler/enable"
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import {
  Cause,
  Console,
  Context,
  Deferred,
  Effect,
  Exit,
  Layer,
  Logger,
  Option,
  type Redacted,
  References,
  Schema,
  Scope
} from "effect"
import { SqlClient } from "effect/sql"
import { UpdateOrganization } from "@edp/domain/organizations/Organization"
import { CredentialReEncryption } from "./accounts/credentials/CredentialReEncryption.ts"
import { AdapterRegistry } from "./accounts/adapter-hosts/Adapters.ts"
import { builtInAdapters } from "./adapters/builtInAdapters.ts"
import { loadAdapters } from "./adapters/loadAdapters.ts"
import { SessionReEncryption } from "./connections/sessions/SessionReEncryption.ts"
import * as apiKeys from "./api-keys/layer.ts"
import { Sessions } from "./dashboard/sessions/Sessions.ts"
import * as dashboard from "./dashboard/layer.ts"
import { PublicationReEncryption } from "./home-assistant/PublicationReEncryption.ts"
import { ReEncryption, UrlSealing } from "./destinations/ReEncryption.ts"
import { GridReEncryption } from "./grid/GridReEncryption.ts"
import { SecretBox } from "./platform/secrets/SecretBox.ts"
import { EncryptionKeys, forgetOtherKeys, requireSameKeys } from "./platform/secrets/EncryptionKeys.ts"
import { type Credentials, createOrganization, makeFirstKeys, recoverKey } from "./app/first-start/firstKeys.ts"
import { dashboardLine, firstStart, firstStartLogged, laterStart } from "./app/first-start/banner.ts"
import { readLogFormat } from "./platform/observability/logEntry.ts"
import { logger, logLine } from "./platform/observability/logLines.ts"
import { collectWhenIdle, thisProcess } from "./platform/observability/idleMemory.ts"
import { handleStrayExceptions, processHasEnded } from "./platform/observability/strayExceptions.ts"
import { TracesLive } from "./platform/observability/Traces.ts"
import { ownSlot, supervisor } from "./platform/processes/ownSlot.ts"
import { ServerConfig } from "./platform/config/ServerConfig.ts"
import { ToldFigures } from "./app/MetricsEndpoint.ts"
import { ServerLive } from "./app/Server.ts"
import * as deviceModels from "./device-models/layer.ts"
import { services } from "./app/services.ts"
import { Workers } from "./app/Workers.ts"
import { failCallsUnderWay } from "./platform/outbound/contained.ts"
import * as Database from "./platform/Database.ts"
import { Ids } from "./platform/Ids.ts"
import { holdLeases } from "./platform/jobs/heldLeases.ts"
import { DatabaseUnavailable } from "./platform/sql/DatabaseUnavailable.ts"
import { copyDatabase } from "./platform/sql/copyDatabase.ts"
import * as Migrations from "./platform/sql/Migrations.ts"
import { StartError } from "./platform/StartError.ts"
import * as vtn from "./vtn/layer.ts"
import { workspaceTable } from "./workspaces/workspaceTable.ts"
import { requireFreePort } from "./platform/http/listening.ts"

/** Fails when only a restart helps: the database has stopped for good, or an exception has left an unknown state. */
const processEnd = Deferred.makeUnsafe<never, StartError>()

const DatabaseLive = Layer.unwrap(
  Effect.map(ServerConfig, ({ databaseUrl, dataDir, databasePool, databaseReadUrl, readLagSeconds }) =>
    Database.layer({
      databaseUrl,
      dataDir,
      poolSize: databasePool,
      replica: Option.getOrUndefined(Option.map(databaseReadUrl, (url) => ({ url, lagSeconds: readLagSeconds }))),
      onFailure: (error) => Deferred.doneUnsafe(processEnd, Effect.fail(error))
    })
  )
)

const Logs = Layer.unwrap(
  Effect.map(ServerConfig, ({ logFormat, logLevel }) =>
    Layer.merge(
      Logger.layer([logger(logFormat)]),
      Layer.succeed(References.MinimumLogLevel, logLevel === "debug" ? "Debug" : "Info")
    )
  )
)

const Ground = Layer.mergeAll(Ids.layer, Logs, TracesLive).pipe(Layer.provideMerge(ServerConfig.layer))

const logLines = (lines: ReadonlyArray<string>) =>
  Effect.forEach(lines, (line) => Effect.logInfo(line), { discard: true })

/** The ports of workspaces, manufacturers and API keys. */
const keysAndModels = Layer.mergeAll(apiKeys.ports, deviceModels.ports, vtn.ports)

/** Shows the first keys and the link to the dashboard on a terminal only, because other output is kept in logs. */
const announceStart = Effect.fnUntraced(function* (
  config: ServerConfig["Service"],
  credentials: Option.Option<Credentials>
) {
  if (process.stdout.isTTY && config.logFormat === "pretty") {
    const link = yield* Effect.provide(
      Effect.flatMap(Sessions, ({ startLink }) => startLink),
      Layer.provide(dashboard.sessions, keysAndModels)
    )
    if (Option.isSome(credentials)) return yield* Console.log(firstStart(config, credentials.value, link))
    yield* logLines(laterStart(config))
    return yield* Console.log(dashboardLine(config, link))
  }
  const lines = Option.isSome(credentials) ? firstStartLogged(config) : laterStart(config)
  yield* logLines([...lines, dashboardLine(config, undefined)])
})

/** Ends a start because of an uncaught exception, unless it came from a connection to another service. */
function failStart(error: unknown) {
  if (failCallsUnderWay(error)) return
  endWith(formatLine("FATAL", "The start failed with an exception that was not caught", Cause.pretty(Cause.die(error))))
}

/** Milliseconds that requests and jobs have to finish after an exception that was not caught. */
const endLimit = 30_000

/** Ends the service because of an exception that was not caught, so that a supervisor starts it again. */
function endProcess(error: unknown) {
  const [reason] = Cause.pretty(Cause.die(error)).split("\n", 1)
  const end = new StartError({ message: `the service ends because of an exception that was not caught: ${reason}` })
  if (!Deferred.doneUnsafe(processEnd, Effect.fail(end))) return
  setTimeout(() => endWith(explain(Cause.fail(end))), endLimit).unref()
}

/** The work of this process: one beside others may be a worker that leaves the ports to them. */
const Work = Layer.mergeAll(
  ownSlot?.listens === false ? Layer.empty : ServerLive,
  ownSlot === undefined ? Layer.empty : ToldFigures,
  Workers
)

const serve = Effect.gen(function* () {
  // The supervisor of several processes has looked for all.
  if (ownSlot === undefined) yield* requireFreePort
  const adapters = yield* Effect.flatMap(ServerConfig, (config) => loadAdapters(builtInAdapters, config.adapters))
  const service = Effect.fnUntraced(function* (outer: Scope.Scope) {
    yield* Migrations.run
    // Until the running jobs have ended.
    yield* Scope.provide(holdLeases, outer)
    yield* requireSameKeys
    yield* Effect.provide(UrlSealing, SecretBox.layer)
    const credentials = yield* makeFirstKeys
    yield* Layer.build(Work.pipe(Layer.provide(services)))
    yield* handleStrayExceptions(endProcess)
    process.off("uncaughtException", failStart)
    yield* Effect.forkScoped(collectWhenIdle(thisProcess()))
    const config = yield* ServerConfig
    const announces =
      ownSlot === undefined || (yield* Effect.promise(() => supervisor.ready(Option.isSome(credentials))))
    if (announces) yield* announceStart(config, credentials)
    return yield* Effect.never
  })
  // This scope closes before the database's, so that running requests can finish.
  yield* Effect.flatMap(Effect.scope, (outer) => Effect.scoped(service(outer))).pipe(
    Effect.scoped,
    Effect.raceFirst(Deferred.await(processEnd)),
    Effect.provideService(AdapterRegistry, adapters),
    Effect.provideService(processHasEnded, () => Deferred.isDoneUnsafe(processEnd)),
    Effect.provide(EncryptionKeys.layer),
    Effect.provide(DatabaseLive)
  )
})

const migrate = Effect.gen(function* () {
  const applied = yield* Migrations.run
  yield* Console.log(applied.length === 0 ? "The database is up to date" : `Applied migrations: ${applied.join(", ")}`)
}).pipe(Effect.provide(DatabaseLive))

const emptyDatabase = "the database is empty: start the server instead"

const recover = Effect.gen(function* () {
  yield* Migrations.run
  const key = yield* recoverKey
  if (Option.isNone(key)) return yield* new StartError({ message: emptyDatabase })
  yield* Console.log(`A new management key, shown once:\n\n  ${key.value}\n`)
}).pipe(Effect.provide(DatabaseLive))

const decodeName = Schema.decodeUnknownOption(UpdateOrganization.fields.name.schema)

const organization = Effect.gen(function* () {
  const name = decodeName(process.argv[3])
  if (Option.isNone(name)) {
    return yield* new StartError({ message: "create-organization takes a name of 1 to 100 characters" })
  }
  const made = yield* Effect.andThen(Migrations.run, createOrganization(name.value)).pipe(Effect.provide(DatabaseLive))
  if (Option.isNone(made)) return yield* new StartError({ message: emptyDatabase })
  const { managementKey, organizationId, workspaceId } = made.value
  yield* Console.log(
    `organization    ${organizationId}\nworkspace       ${workspaceId}\nmanagement key  ${managementKey}\n\nThe key is shown only once.`
  )
})

const reEncrypt = Effect.gen(function* () {
  yield* Migrations.run
  yield* requireSameKeys
  const count = yield* ReEncryption
  const linked = yield* CredentialReEncryption
  const links = yield* SessionReEncryption
  const vtns = yield* GridReEncryption
  const publications = yield* PublicationReEncryption
  yield* forgetOtherKeys
  yield* Console.log(
    `Every secret is encrypted with EDP_ENCRYPTION_KEY; those of ${count} destinations, ${linked} accounts, ${links} connect sessions, ${vtns} grid connections and ${publications} publications to Home Assistant were not before`
  )
}).pipe(Effect.provide(SecretBox.layer), Effect.provide(EncryptionKeys.layer), Effect.provide(DatabaseLive))

/** Copies the embedded database of the data folder, of a service that is stopped, into the empty database of DATABASE_URL. */
const copyToPostgres = Effect.gen(function* () {
  const { databaseUrl, dataDir } = yield* ServerConfig
  if (Option.isNone(databaseUrl)) return yield* new StartError({ message: "copy-to-postgres needs DATABASE_URL" })
  if (!existsSync(join(dataDir, "pgdata"))) {
    return yield* new StartError({ message: `there is no embedded database in ${dataDir}` })
  }
  const client = (url: Option.Option<Redacted.Redacted>) =>
    Effect.map(Layer.build(Database.layer({ databaseUrl: url, dataDir })), Context.get(SqlClient.SqlClient))
  const from = yield* client(Option.none())
  const to = yield* client(databaseUrl)
  for (const sql of [from, to]) yield* Effect.provideService(Migrations.run, SqlClient.SqlClient, sql)
  const isUsed = yield* Effect.orDie(workspaceTable(to).anyOrganization)
  if (isUsed.length > 0) return yield* new StartError({ message: "the database of DATABASE_URL is not empty" })
  const rows = yield* Effect.orDie(
    copyDatabase(from, to, (table, rows) =>
      Console.log(`${table.padEnd(28)} ${rows.toLocaleString("en-US").padStart(14)}`)
    )
  )
  yield* Console.log(
    `Copied ${rows.toLocaleString("en-US")} rows. Start the service with DATABASE_URL and the same EDP_DATA_DIR.`
  )
}).pipe(Effect.scoped)

const commands = new Map<string, Effect.Effect<void, StartError | DatabaseUnavailable, ServerConfig | Ids>>([
  ["serve", serve],
  ["migrate", migrate],
  ["recover-key", recover],
  ["re-encrypt", reEncrypt],
  ["copy-to-postgres", copyToPostgres],
  ["create-organization", organization]
])

const main = Effect.suspend(() => {
  const name = process.argv[2] ?? "serve"
  return (
    commands.get(name) ??
    new StartError({ message: `unknown command ${name}: use one of ${[...commands.keys()].join(", ")}` })
  )
}).pipe(
  Effect.catchIf(DatabaseUnavailable.is, ({ message }) => new StartError({ message })),
  Effect.provide(Ground)
)

const { EDP_LOG = "" } = process.env
/** The configured format of the log, also if the configuration is invalid. */
const format = readLogFormat(EDP_LOG.trim(), process.stdout.isTTY)

const formatLine = (level: "INFO" | "WARN" | "FATAL", message: string, cause?: string) =>
  `${logLine(format, { time: new Date().toISOString(), level, message, cause })}\n`

/** A StartError as one line; anything else is a bug and is explained by its cause. */
const explain = (cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  if (!(error instanceof StartError)) return formatLine("FATAL", "The program failed", Cause.pretty(cause))
  return format === "json" ? formatLine("FATAL", error.message) : `edp: ${error.message}\n`
}

/** Ends the process with a last text. A supervisor prints it, because several processes may fail for the same reason. */
function endWith(text: string) {
  if (ownSlot !== undefined) return void supervisor.failed(text).then(() => process.exit(1))
  process.stderr.write(text)
  process.exit(1)
}

process.removeAllListeners("warning")
process.on("warning", ({ name, message }) => process.stderr.write(formatLine("WARN", `${name}: ${message}`)))
process.on("uncaughtException", failStart)

let received = "an interruption"
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => (received = signal))

NodeRuntime.runMain(main, {
  disableErrorReporting: true,
  teardown: (exit, onExit) => {
    if (Exit.isSuccess(exit)) return onExit(0)
    if (Cause.hasInterruptsOnly(exit.cause)) {
      // The last line of the log: what ends without one was killed, or has failed. A supervisor writes it for all its processes.
      if (ownSlot === undefined) {
        process.stdout.write(formatLine("INFO", `The Energy Device Platform has stopped after ${received}`))
      }
      return onExit(0)
    }
    endWith(explain(exit.cause))
  }
})
