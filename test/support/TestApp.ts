import { randomBytes } from "node:crypto"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { generateKey } from "@edp/domain/auth/keyFormat"
import type { ApiKeyType } from "@edp/domain/auth/ApiKeyType"
import { keyHash, keyPrefix } from "@edp/server/api-keys/KeyAuthenticator"
import { AccessLog } from "@edp/server/platform/http/AccessLog"
import type { CollectionsOfDevices } from "@edp/server/devices/CollectionsPort"
import type { SiteChanges } from "@edp/server/devices/SiteChanges"
import type { EnergyRollups } from "@edp/server/metrics/EnergyRollups"
import type { RollupRunner } from "@edp/server/metrics/RollupRunner"
import type { FleetSums } from "@edp/server/metrics/FleetSums"
import type { ReadingsMover } from "@edp/server/readings/moving/ReadingsMover"
import type { ReadingRetention } from "@edp/server/readings/retention/ReadingRetention"
import type { WorkspaceRemoval } from "@edp/server/readings/retention/WorkspaceRemoval"
import { App, listenOn } from "@edp/server/app/Server"
import { ServerConfig } from "@edp/server/platform/config/ServerConfig"
import { EncryptionKeys } from "@edp/server/platform/secrets/EncryptionKeys"
import type { AccountRunner } from "@edp/server/accounts/AccountRunner"
import type { Accounts } from "@edp/server/accounts/Accounts"
import type { BatchWatch } from "@edp/server/commands/batches/BatchWatch"
import type { Confirmations } from "@edp/server/commands/confirmation/Confirmations"
import type { CommandIssuer } from "@edp/server/commands/issuing/CommandIssuer"
import type { CommandOutcomes } from "@edp/server/commands/CommandOutcomes"
import type { SiteLimits } from "@edp/server/commands/site-limits/SiteLimits"
import type { CommandReverts } from "@edp/server/commands/forced-modes/CommandReverts"
import type { CommandRunner } from "@edp/server/commands/CommandRunner"
import { AdapterRegistry, type Adapters } from "@edp/server/accounts/adapter-hosts/Adapters"
import type { AnyManufacturerAdapter } from "@edp/adapter-kit/ManufacturerAdapter"
import type { ConnectFlow } from "@edp/server/connections/flow/ConnectFlow"
import type { ConnectSessions } from "@edp/server/connections/sessions/ConnectSessions"
import type { Sessions } from "@edp/server/dashboard/sessions/Sessions"
import type { CandidateSweep } from "@edp/server/enrollments/CandidateSweep"
import type { EmailConfirmations } from "@edp/server/enrollments/email/EmailConfirmations"
import type { EnrolledSites } from "@edp/server/enrollments/enrolled-sites/EnrolledSites"
import type { PublicationRunner } from "@edp/server/home-assistant/PublicationRunner"
import type { EnrollmentIntake } from "@edp/server/enrollments/intake/EnrollmentIntake"
import { EventOutbox } from "@edp/server/platform/outbox/EventOutbox"
import type { Dispatches } from "@edp/server/dispatches/Dispatches"
import type { DispatchRunner } from "@edp/server/dispatches/DispatchRunner"
import type { GridPollRunner } from "@edp/server/grid/GridPollRunner"
import type { NotificationRunner } from "@edp/server/vtn/notifications/NotificationRunner"
import type { GridBrokerRunner } from "@edp/server/grid/notifications/GridBrokerRunner"
import type { ProgramDays } from "@edp/server/dispatches/program-reports/ProgramDays"
import type { SiteResults } from "@edp/server/dispatches/reports/SiteResults"
import type { ProgramInstances } from "@edp/server/programs/ProgramInstances"
import type { HistoryDeletion } from "@edp/server/readings/retention/HistoryDeletion"
import type { ScheduleRunner } from "@edp/server/schedules/ScheduleRunner"
import type { Schedules } from "@edp/server/schedules/Schedules"
import { services } from "@edp/server/app/services"
import * as Database from "@edp/server/platform/Database"
import { Ids } from "@edp/server/platform/Ids"
import * as Migrations from "@edp/server/platform/sql/Migrations"
import { Clock, ConfigProvider, Effect, Layer, Logger, ManagedRuntime } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, inject } from "vitest"
import { type Reply, callAt, type CallOptions } from "./callAt.ts"
import { front } from "./front.ts"
import { sharedEncryptionKey } from "./spawnServer.ts"

export interface TestAppOptions {
  /** Settings of the server, as environment variables. */
  readonly env?: Readonly<Record<string, string>>
  /** A PostgreSQL database instead of the embedded one; called when the app starts. */
  readonly databaseUrl?: () => string | Promise<string>
  /** The archive of readings; called when the app starts. */
  readonly clickHouseUrl?: () => string | Promise<string>
  /** Adapters instead of the built-in ones. */
  readonly adapters?: ReadonlyArray<AnyManufacturerAdapter>
  /** The time of the server; the database keeps its own. */
  readonly clock?: Clock.Clock
  /** A separate app without settings, for tests that read or change state outside of workspaces. */
  readonly own?: boolean
}

export interface TestWorkspace {
  readonly organizationId: string
  readonly workspaceId: string
  /** A key of each type; MANUFACTURER covers `generic` and `simulator`, SCOPED the reference `user-1`. */
  readonly keys: Readonly<Record<ApiKeyType, string>>
}

export type TestResponse = Reply

export type Running =
  | AccountRunner
  | BatchWatch
  | CandidateSweep
  | CollectionsOfDevices
  | CommandIssuer
  | Confirmations
  | CommandOutcomes
  | CommandReverts
  | CommandRunner
  | Accounts
  | Adapters
  | ServerConfig
  | ServerConfig
  | SqlClient.SqlClient
  | HttpServer.HttpServer
  | Ids
  | EnergyRollups
  | EmailConfirmations
  | EnrolledSites
  | EnrollmentIntake
  | FleetSums
  | HistoryDeletion
  | ProgramInstances
  | Dispatches
  | DispatchRunner
  | GridPollRunner
  | GridBrokerRunner
  | NotificationRunner
  | ProgramDays
  | PublicationRunner
  | SiteResults
  | ReadingRetention
  | WorkspaceRemoval
  | ReadingsMover
  | RollupRunner
  | ScheduleRunner
  | Schedules
  | SiteChanges
  | SiteLimits
  | ConnectFlow
  | ConnectSessions
  | Sessions

const keyTypes: ReadonlyArray<ApiKeyType> = [
  "SERVER",
  "API",
  "SCOPED",
  "CONNECT",
  "MANUFACTURER",
  "MANAGEMENT",
  "OPENADR_BL",
  "OPENADR_VEN"
]
const manufacturers = ["generic", "simulator"]
const unlimited = JSON.stringify({ read: 1_000_000, write: 1_000_000, bulk: 1_000_000 })

const makeLayer = (
  env: Readonly<Record<string, string>>,
  adapters: ReadonlyArray<AnyManufacturerAdapter> | undefined,
  clock: Clock.Clock | undefined
) => {
  const database = Layer.unwrap(
    Effect.map(ServerConfig, ({ databaseUrl, dataDir }) => Database.layer({ databaseUrl, dataDir }))
  )
  const server = listenOn({ port: 0, host: "127.0.0.1" })
  return App.pipe(
    Layer.provideMerge(Layer.merge(services, EventOutbox.layer)),
    Layer.provide(EncryptionKeys.layer),
    Layer.provide(Layer.effectDiscard(Migrations.run)),
    Layer.provideMerge(server),
    Layer.provideMerge(database),
    Layer.provideMerge(Ids.layer),
    Layer.provide(AccessLog.layerSilent),
    Layer.provide(Logger.layer([])),
    Layer.provideMerge(ServerConfig.layer),
    Layer.provide(adapters === undefined ? Layer.empty : Layer.succeed(AdapterRegistry, adapters)),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env }))),
    Layer.provideMerge(clock === undefined ? Layer.empty : Layer.succeed(Clock.Clock, clock))
  )
}

/** The whole server in this process, with its own port and database. */
export class TestApp {
  private runtime: ManagedRuntime.ManagedRuntime<any, any> | undefined
  private readonly folder: string
  url = ""

  constructor(parent = tmpdir()) {
    this.folder = mkdtempSync(join(parent, "edp-test-"))
  }

  async start(options: TestAppOptions = {}) {
    const url = await options.databaseUrl?.()
    const archive = await options.clickHouseUrl?.()
    if (url === undefined) cpSync(inject("preparedFolder"), this.folder, { recursive: true })
    this.runtime = ManagedRuntime.make(
      makeLayer(
        {
          EDP_DATA_DIR: this.folder,
          // Each test has its own organization, and many create models of `generic`.
          EDP_SHARED_CATALOGUE_WRITES: "any",
          ...(url !== undefined && { DATABASE_URL: url, EDP_ENCRYPTION_KEY: sharedEncryptionKey }),
          ...(archive !== undefined && { EDP_CLICKHOUSE_URL: archive }),
          ...options.env
        },
        options.adapters,
        options.clock
      )
    )
    const { address } = await this.run(HttpServer.HttpServer)
    this.url = await front.of(`http://127.0.0.1:${(address as { readonly port: number }).port}`)
  }

  async stop() {
    await this.runtime?.dispose()
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** Runs an effect against the server's own services, such as its database. */
  run<A, E>(effect: Effect.Effect<A, E, Running>): Promise<A> {
    return this.runtime!.runPromise(effect as Effect.Effect<A, E, never>)
  }

  /** Rows of a statement against the server's database. */
  sql<Row extends object>(statement: (sql: SqlClient.SqlClient) => Effect.Effect<ReadonlyArray<Row>, unknown>) {
    return this.run(Effect.flatMap(SqlClient.SqlClient, statement))
  }

  call(method: string, path: string, options: CallOptions = {}): Promise<TestResponse> {
    return callAt(this.url, method, path, options)
  }

  /** Inserts a key without rate limits into the database. SCOPED keys cannot be created through the API. */
  async key(
    place: { readonly organizationId: string; readonly workspaceId: string },
    type: ApiKeyType,
    options: {
      readonly limited?: boolean
      readonly scope?: ReadonlyArray<string>
      /** The only devices of a SCOPED key. */
      readonly deviceIds?: ReadonlyArray<string>
      readonly expiresAt?: Date
    } = {}
  ): Promise<{ readonly id: string; readonly key: string }> {
    const key = generateKey(type, randomBytes)
    const id = await this.run(Effect.flatMap(Ids, (ids) => ids.next))
    const scope = type === "MANUFACTURER" ? (options.scope ?? manufacturers) : null
    await this.sql(
      (sql) => sql`INSERT INTO api_keys (id, organization_id, workspace_id, name, type, key_hash, key_prefix, owner_id,
        manufacturer_scope, scope_reference_id, scope_device_ids, rate_limits, expires_at, created_at)
        VALUES (${id}, ${place.organizationId}, ${place.workspaceId}, ${type}, ${type}, ${keyHash(key)},
          ${keyPrefix(key)}, ${type === "MANAGEMENT" ? "owner-1" : null}, ${scope}::text[],
          ${type === "SCOPED" ? "user-1" : null}, ${options.deviceIds ?? null}::text[], ${options.limited === true ? null : unlimited}::jsonb,
          ${options.expiresAt ?? null}, now())`
    )
    return { id, key }
  }

  /** Inserts a workspace with a key of each type, in a new organization unless one is given. */
  async workspace(organizationId?: string): Promise<TestWorkspace> {
    const [organization, workspaceId, ...keyIds] = await this.run(
      Effect.flatMap(Ids, (ids) => Effect.replicateEffect(ids.next, 2 + keyTypes.length))
    )
    const owner = organizationId ?? organization!
    const keys = keyTypes.map((type, index) => ({ id: keyIds[index]!, type, key: generateKey(type, randomBytes) }))
    const rows = keys.map(({ id, type, key }) => ({
      id,
      type,
      hash: `\\x${Buffer.from(keyHash(key)).toString("hex")}`,
      prefix: keyPrefix(key),
      owner: type === "MANAGEMENT" ? "owner-1" : null,
      manufacturers: type === "MANUFACTURER" ? manufacturers : null,
      reference: type === "SCOPED" ? "user-1" : null
    }))
    await this.sql(
      (sql) => sql`WITH organization AS (
          INSERT INTO organizations SELECT ${owner}, ${`Organization ${owner}`}, now(), now()
            WHERE ${organizationId === undefined}
        ), workspace AS (
          INSERT INTO workspaces VALUES (${workspaceId}, ${owner}, ${`Workspace ${workspaceId}`}, false, 'UTC', now(), now())
        )
        INSERT INTO api_keys (id, organization_id, workspace_id, name, type, key_hash, key_prefix, owner_id,
          manufacturer_scope, scope_reference_id, rate_limits, created_at)
        SELECT id, ${owner}, ${workspaceId}, type, type, hash, prefix, owner, manufacturers, reference, ${unlimited}::jsonb, now()
          FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
            AS key (id text, type text, hash bytea, prefix text, owner text, manufacturers text[], reference text)`
    )
    return {
      organizationId: owner,
      workspaceId: workspaceId!,
      keys: Object.fromEntries(keys.map(({ type, key }) => [type, key])) as Record<ApiKeyType, string>
    }
  }
}

/** The files of a worker share this app; each test has its own workspace. It ends with the worker, its folder with the run. */
let shared: { readonly app: TestApp; readonly started: Promise<void> } | undefined

const startShared = () => {
  const app = new TestApp(inject("workersFolder"))
  return { app, started: app.start() }
}

const useSharedApp = () => {
  beforeAll(() => (shared ??= startShared()).started)
  return (shared ??= startShared()).app
}

/** The app of a test file: without options the worker's shared one, otherwise a separate one that stops after the file's tests. */
export const useTestApp = (options: TestAppOptions = {}): TestApp => {
  if (Object.keys(options).length === 0) return useSharedApp()
  const app = new TestApp()
  beforeAll(() => app.start(options))
  afterAll(() => app.stop())
  return app
}
