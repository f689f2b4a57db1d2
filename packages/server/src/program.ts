import "effect/schema/SchemaJITCompiler/enable"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Console, Deferred, Effect, Exit, Layer, Logger, Option, Schema } from "effect"
import { UpdateOrganization } from "@edp/domain/organizations/Organization"
import { CredentialReEncryption } from "./accounts/CredentialReEncryption.ts"
import * as accounts from "./accounts/layer.ts"
import { SessionReEncryption } from "./connections/SessionReEncryption.ts"
import * as connections from "./connections/layer.ts"
import { Sessions } from "./dashboard/Sessions.ts"
import * as dashboard from "./dashboard/layer.ts"
import { ReEncryption } from "./destinations/ReEncryption.ts"
import { EncryptionKeys, forgetOtherKeys, requireSameKeys } from "./platform/secrets/EncryptionKeys.ts"
import { type Credentials, createOrganization, makeFirstKeys, recoverKey } from "./app/first-start/firstKeys.ts"
import { dashboardLine, firstStart, firstStartLogged, laterStart } from "./app/first-start/banner.ts"
import { stopWithLauncher } from "./app/first-start/launcher.ts"
import { logger, logLine } from "./platform/observability/logLines.ts"
import { collectWhenIdle, thisProcess } from "./platform/observability/idleMemory.ts"
import { surviveStrayExceptions } from "./platform/observability/strayExceptions.ts"
import { TracesLive } from "./platform/observability/Traces.ts"
import { ServerConfig } from "./platform/config/ServerConfig.ts"
import { ServerLive } from "./app/Server.ts"
import * as destinations from "./destinations/layer.ts"
import { Workers } from "./app/Workers.ts"
import * as Database from "./platform/Database.ts"
import { databaseHasEnded } from "./platform/Database.ts"
import { Ids } from "./platform/Ids.ts"
import * as Migrations from "./platform/sql/Migrations.ts"
import { StartError } from "./platform/StartError.ts"
import { requireFreePort } from "./platform/http/listening.ts"

/** Fails when the database has stopped for good in this process, which must be restarted. */
const databaseEnd = Deferred.makeUnsafe<never, StartError>()

const DatabaseLive = Layer.unwrap(
  Effect.map(ServerConfig, ({ databaseUrl, dataDir, databasePool }) =>
    Database.layer({
      databaseUrl,
      dataDir,
      poolSize: databasePool,
      onFailure: (error) => Deferred.doneUnsafe(databaseEnd, Effect.fail(error))
    })
  )
)

const Logs = Layer.unwrap(Effect.map(ServerConfig, ({ logFormat }) => Logger.layer([logger(logFormat)])))

const Ground = Layer.mergeAll(Ids.layer, Logs, TracesLive).pipe(Layer.provideMerge(ServerConfig.layer))

const logLines = (lines: ReadonlyArray<string>) =>
  Effect.forEach(lines, (line) => Effect.logInfo(line), { discard: true })

/** Shows the first keys and the link to the dashboard on a terminal only, because other output is kept in logs. */
const announceStart = Effect.fnUntraced(function* (
  config: ServerConfig["Service"],
  credentials: Option.Option<Credentials>
) {
  if (process.stdout.isTTY && config.logFormat === "pretty") {
    const link = yield* Effect.provide(
      Effect.flatMap(Sessions, ({ startLink }) => startLink),
      dashboard.sessions
    )
    if (Option.isSome(credentials)) return yield* Console.log(firstStart(config, credentials.value, link))
    yield* logLines(laterStart(config))
    return yield* Console.log(dashboardLine(config, link))
  }
  const lines = Option.isSome(credentials) ? firstStartLogged(config) : laterStart(config)
  yield* logLines([...lines, dashboardLine(config, undefined)])
})

/** Ends a start because of an uncaught exception. */
function failStart(error: unknown) {
  print("FATAL", "The start failed with an exception that was not caught", Cause.pretty(Cause.die(error)))
  process.exit(1)
}

const serve = Effect.gen(function* () {
  yield* Effect.forkChild(stopWithLauncher)
  yield* requireFreePort
  const service = Effect.gen(function* () {
    yield* Migrations.run
    yield* requireSameKeys
    yield* Effect.provide(
      Effect.flatMap(ReEncryption, ({ sealUrls }) => sealUrls),
      destinations.reEncryption
    )
    const credentials = yield* makeFirstKeys
    yield* Layer.build(Layer.merge(ServerLive, Workers))
    yield* surviveStrayExceptions
    process.off("uncaughtException", failStart)
    yield* Effect.forkScoped(collectWhenIdle(thisProcess()))
    const config = yield* ServerConfig
    yield* announceStart(config, credentials)
    return yield* Effect.never
  })
  // This scope closes before the database's, so that running requests can finish.
  yield* service.pipe(
    Effect.scoped,
    Effect.raceFirst(Deferred.await(databaseEnd)),
    Effect.provideService(databaseHasEnded, () => Deferred.isDoneUnsafe(databaseEnd)),
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
  const count = yield* (yield* ReEncryption).run
  const linked = yield* (yield* CredentialReEncryption).run
  const links = yield* (yield* SessionReEncryption).run
  yield* forgetOtherKeys
  yield* Console.log(
    `Every secret is encrypted with EDP_ENCRYPTION_KEY; those of ${count} destinations, ${linked} accounts and ${links} connect sessions were not before`
  )
}).pipe(
  Effect.provide(Layer.mergeAll(destinations.reEncryption, accounts.reEncryption, connections.reEncryption)),
  Effect.provide(EncryptionKeys.layer),
  Effect.provide(DatabaseLive)
)

const commands = new Map<string, Effect.Effect<void, StartError, ServerConfig | Ids>>([
  ["serve", serve],
  ["migrate", migrate],
  ["recover-key", recover],
  ["re-encrypt", reEncrypt],
  ["create-organization", organization]
])

const main = Effect.suspend(() => {
  const name = process.argv[2] ?? "serve"
  return (
    commands.get(name) ??
    new StartError({ message: `unknown command ${name}: use one of ${[...commands.keys()].join(", ")}` })
  )
}).pipe(Effect.provide(Ground))

const { EDP_LOG = "" } = process.env
/** The configured format of the log, also if the configuration is invalid. */
const isJson = EDP_LOG.trim() === "" ? !process.stdout.isTTY : EDP_LOG.trim() === "json"

const print = (level: "WARN" | "FATAL", message: string, cause?: string) =>
  process.stderr.write(
    `${logLine(isJson ? "json" : "pretty", { time: new Date().toISOString(), level, message, cause })}\n`
  )

/** Prints a StartError as one line; anything else is a bug and is printed with its cause. */
const explain = (cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  if (!(error instanceof StartError)) return print("FATAL", "The program failed", Cause.pretty(cause))
  return isJson ? print("FATAL", error.message) : process.stderr.write(`edp: ${error.message}\n`)
}

process.removeAllListeners("warning")
process.on("warning", ({ name, message }) => print("WARN", `${name}: ${message}`))
process.on("uncaughtException", failStart)

NodeRuntime.runMain(main, {
  disableErrorReporting: true,
  teardown: (exit, onExit) => {
    if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return onExit(0)
    explain(exit.cause)
    onExit(1)
  }
})
