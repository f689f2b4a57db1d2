import { cp } from "node:fs/promises"
import { Ids } from "@edp/server/platform/Ids"
import * as EmbeddedDatabase from "@edp/server/platform/embedded/EmbeddedDatabase"
import * as Migrations from "@edp/server/platform/sql/Migrations"
import * as PostgresDatabase from "@edp/server/platform/sql/PostgresDatabase"
import { ServerConfig } from "@edp/server/platform/config/ServerConfig"
import { archive as archiveLayer } from "@edp/server/readings/layer"
import type { ResolvedReading } from "@edp/server/readings/ingest/readingBatch"
import { TelemetryRepository } from "@edp/server/readings/ingest/TelemetryRepository"
import { TelemetryWriter } from "@edp/server/readings/ingest/TelemetryWriter"
import { ConfigProvider, Effect, Layer, Logger, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, inject } from "vitest"
import { type GuardedFolder, guardedFolder } from "../../../support/guardedFolder.ts"

type Services = TelemetryWriter | SqlClient.SqlClient | Ids

/** A telemetry writer and its database, as one instance of the service has them. */
export type Instance = ManagedRuntime.ManagedRuntime<Services, unknown>

const writer = TelemetryWriter.layer.pipe(
  Layer.provide(TelemetryRepository.layer),
  Layer.provide(archiveLayer),
  Layer.provide(ServerConfig.layer),
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: {} }))),
  Layer.provideMerge(Ids.layer),
  Layer.provideMerge(Migrations.layer),
  Layer.provideMerge(Logger.layer([]))
)

export const instanceOn = (url: string): Instance =>
  ManagedRuntime.make(
    writer.pipe(Layer.provideMerge(PostgresDatabase.layer({ databaseUrl: Redacted.make(url), poolSize: 4 })))
  )

/** An instance on the embedded database for the tests of one file. */
export const useEmbeddedInstance = (): (() => Instance) => {
  let folder: GuardedFolder
  let instance: Instance
  beforeAll(async () => {
    folder = await guardedFolder("edp-telemetry")
    await cp(inject("preparedFolder"), folder.path, { recursive: true })
    instance = ManagedRuntime.make(writer.pipe(Layer.provideMerge(EmbeddedDatabase.layer({ dataDir: folder.path }))))
  })
  afterAll(async () => {
    await instance.dispose()
    await folder.remove()
  })
  return () => instance
}

/** So many direct inverters in a workspace of their own. */
export const fleet = (instance: Instance, devices: number) =>
  instance.runPromise(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { next } = yield* Ids
      const [organization, workspace] = yield* Effect.all([next, next])
      yield* sql`INSERT INTO organizations VALUES (${organization}, 'Owner', now(), now())`
      yield* sql`INSERT INTO workspaces VALUES (${workspace}, ${organization}, 'Home', false, 'UTC', now(), now())`
      yield* sql`INSERT INTO manufacturers VALUES ('generic', 'Generic', '{inverter}', false, true, null, '15 minutes',
        now(), now()) ON CONFLICT DO NOTHING`
      const ids = yield* Effect.all(Array.from({ length: devices }, () => next))
      yield* sql`INSERT INTO devices (id, workspace_id, origin_workspace_id, name, manufacturer, manufacturer_device_id,
          reference_id, model, type, commands, tags, direct, created_at, updated_at)
        SELECT id, ${workspace}, ${workspace}, 'Roof', 'generic', id, id, 'Inverter', 'inverter', '{}', '{}', true, now(),
          now() FROM unnest(${ids}::text[]) AS fleet (id)`
      return ids
    })
  )

let readings = 0

/** A reading at the given milliseconds, with a unique id. */
export const reading = (
  deviceId: string,
  at: number,
  state: object = { power: 1 },
  rest: Partial<ResolvedReading> = {}
): ResolvedReading => ({
  deviceId,
  type: "inverter",
  at,
  id: `c${`${process.pid}${++readings}`.padStart(24, "0")}`,
  state: JSON.stringify(state),
  reportedStatus: null,
  location: null,
  ...rest
})

/** Writes the readings and responds with what became of each, and the newest of each of their devices. */
export const write = (instance: Instance, offered: ReadonlyArray<ResolvedReading>, separable = false) =>
  instance.runPromise(
    Effect.gen(function* () {
      const { outcomes, latest } = yield* (yield* TelemetryWriter).write(offered, { separable })
      return { outcomes, latest: (deviceId: string) => latest(deviceId) }
    })
  )

export interface StoredState {
  readonly readingId: string
  readonly at: number
  readonly firstAt: number
  readonly state: object
  readonly status: string | null
  readonly latitude: number | null
  readonly longitude: number | null
}

/** The current state of a device, as it is stored. */
export const readState = (instance: Instance, deviceId: string) =>
  instance.runPromise(
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql<StoredState>`SELECT reading_id AS "readingId", (extract(epoch FROM at) * 1000)::float8 AS at,
          (extract(epoch FROM first_at) * 1000)::float8 AS "firstAt", state, reported_status AS status, latitude,
          longitude FROM device_states WHERE device_id = ${deviceId}`
    ).pipe(Effect.map(([row]) => row))
  )

/** The times and states of a device's readings, the oldest first. */
export const readHistory = (instance: Instance, deviceId: string) =>
  instance.runPromise(
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql<{ readonly at: number; readonly state: object }>`
        SELECT (extract(epoch FROM at) * 1000)::float8 AS at, state FROM readings WHERE device_id = ${deviceId}
        ORDER BY readings.at`
    )
  )

/** How many transactions have stored the readings of the devices. */
export const readCommits = (instance: Instance, devices: ReadonlyArray<string>) =>
  instance.runPromise(
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql<{ readonly commits: number }>`SELECT count(DISTINCT xmin::text)::int AS commits FROM readings
        WHERE device_id = ANY(${devices}::text[])`
    ).pipe(Effect.map(([row]) => row!.commits))
  )
