import { cp } from "node:fs/promises"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { DeviceEnergy, type DeviceFigures } from "@edp/server/metrics/DeviceEnergy"
import { EnergyReadings } from "@edp/server/metrics/EnergyReadings"
import { EnergyLimits } from "@edp/server/metrics/EnergySpans"
import { EnergyRollups } from "@edp/server/metrics/EnergyRollups"
import { EnergySealingLive } from "@edp/server/metrics/EnergySealing"
import { ReadingRetention } from "@edp/server/readings/retention/ReadingRetention"
import { RetentionLimits } from "@edp/server/readings/retention/RetentionLimits"
import { RetentionRepository } from "@edp/server/readings/retention/RetentionRepository"
import { ServerConfig } from "@edp/server/platform/config/ServerConfig"
import * as EmbeddedDatabase from "@edp/server/platform/embedded/EmbeddedDatabase"
import { Ids } from "@edp/server/platform/Ids"
import * as Migrations from "@edp/server/platform/sql/Migrations"
import * as PostgresDatabase from "@edp/server/platform/sql/PostgresDatabase"
import { archive as archiveLayer } from "@edp/server/readings/layer"
import { KeptReadings } from "@edp/server/readings/retention/KeptReadings"
import { TelemetryRepository } from "@edp/server/readings/ingest/TelemetryRepository"
import { TelemetryWriter } from "@edp/server/readings/ingest/TelemetryWriter"
import { Clock, ConfigProvider, Effect, Layer, Logger, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, inject } from "vitest"
import { type GuardedFolder, guardedFolder } from "../../support/guardedFolder.ts"

type Services = TelemetryWriter | DeviceEnergy | EnergyRollups | ReadingRetention | SqlClient.SqlClient | Ids

/** The retention of readings in days. */
export const RETENTION = 30
const env = { EDP_TELEMETRY_RETENTION: `${RETENTION} days` }
const config = ServerConfig.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env }))))

const archive = archiveLayer.pipe(Layer.provide(config))

/** The services that write readings and read energies over one database, as an instance of the platform has them. */
export type Instance = ManagedRuntime.ManagedRuntime<Services, unknown>

const services = Layer.mergeAll(
  TelemetryWriter.layer.pipe(Layer.provide(TelemetryRepository.layer), Layer.provide(archive)),
  Layer.mergeAll(DeviceEnergy.layer, EnergyRollups.layer, ReadingRetention.layer).pipe(
    Layer.provide(EnergySealingLive),
    Layer.provide(EnergyReadings.layer),
    Layer.provide(KeptReadings.layer.pipe(Layer.provide(RetentionRepository.layer))),
    Layer.provide(Layer.mergeAll(RetentionRepository.layer, config, archive))
  )
).pipe(Layer.provideMerge(Ids.layer), Layer.provideMerge(Migrations.layer), Layer.provideMerge(Logger.layer([])))

/** Far below the real limits, so that a few readings already need several parts. */
const limits = Layer.merge(
  Layer.succeed(EnergyLimits, { devices: 2, readings: 7 }),
  Layer.succeed(RetentionLimits, { devices: 2, lag: 0 })
)

export const instanceOn = (url: string): Instance =>
  ManagedRuntime.make(
    services.pipe(
      Layer.provide(limits),
      Layer.provideMerge(PostgresDatabase.layer({ databaseUrl: Redacted.make(url), poolSize: 4 }))
    )
  )

/** An instance on the embedded database for the tests of one file. */
export const useEmbeddedInstance = ({ limited = false } = {}): (() => Instance) => {
  let folder: GuardedFolder
  let instance: Instance
  beforeAll(async () => {
    folder = await guardedFolder("edp-energy")
    await cp(inject("preparedFolder"), folder.path, { recursive: true })
    instance = ManagedRuntime.make(
      services.pipe(
        limited ? Layer.provide(limits) : (same) => same,
        Layer.provideMerge(EmbeddedDatabase.layer({ dataDir: folder.path }))
      )
    )
  })
  afterAll(async () => {
    await instance.dispose()
    await folder.remove()
  })
  return () => instance
}

/** A device of the type in a workspace of its own. */
export const device = (instance: Instance, type: DeviceType, staticState: object | null = null) =>
  instance.runPromise(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { next } = yield* Ids
      const [organization, workspace, id] = yield* Effect.all([next, next, next])
      yield* sql`INSERT INTO organizations VALUES (${organization}, 'Owner', now(), now())`
      yield* sql`INSERT INTO workspaces VALUES (${workspace}, ${organization}, 'Home', false, 'UTC', now(), now())`
      yield* sql`INSERT INTO manufacturers VALUES ('generic', 'Generic', '{inverter}', false, true, null, '15 minutes',
        now(), now()) ON CONFLICT DO NOTHING`
      yield* sql`INSERT INTO devices (id, workspace_id, origin_workspace_id, name, manufacturer, manufacturer_device_id,
          reference_id, model, type, static_state, commands, tags, direct, created_at, updated_at)
        VALUES (${id}, ${workspace}, ${workspace}, 'Device', 'generic', ${id}, ${id}, 'Model', ${type},
          ${staticState === null ? null : JSON.stringify(staticState)}::jsonb, '{}', '{}', true, now(), now())`
      return id
    })
  )

export interface Taken {
  readonly at: number
  readonly state: object
}

let readings = 0

/** Sends readings of a device the way all readings arrive. */
export const send = (instance: Instance, deviceId: string, type: DeviceType, taken: ReadonlyArray<Taken>) =>
  instance.runPromise(
    Effect.flatMap(TelemetryWriter, ({ write }) =>
      write(
        taken.map(({ at, state }) => ({
          deviceId,
          type,
          at,
          id: `c${`${process.pid}${++readings}`.padStart(24, "0")}`,
          state: JSON.stringify(state),
          reportedStatus: null,
          location: null
        }))
      )
    ).pipe(Effect.asVoid)
  )

export const read = async (
  instance: Instance,
  deviceId: string,
  bounds: ReadonlyArray<number>
): Promise<DeviceFigures | undefined> => {
  const [figures] = await instance.runPromise(
    Effect.flatMap(DeviceEnergy, (energy) => energy.read({ deviceIds: [deviceId], bounds }))
  )
  return figures
}

/** Rolls up a part of what is due, and returns the number of devices. */
export const rollSome = (instance: Instance) =>
  instance.runPromise(Effect.flatMap(EnergyRollups, (rollups) => rollups.rollSome))

export const rollAll = async (instance: Instance): Promise<void> => {
  if ((await rollSome(instance)) > 0) return rollAll(instance)
}

/** A clock that shows another time; pauses last as long as ever. */
export const clockAt = (now: number): Clock.Clock =>
  Object.assign(Object.create(Effect.runSync(Clock.Clock)), {
    currentTimeMillis: Effect.succeed(now),
    currentTimeMillisUnsafe: () => now
  })

/** Drops what is old enough at an instant; returns whether more can be dropped soon. */
export const dropAt = (instance: Instance, now: number): Promise<boolean> =>
  instance.runPromise(
    Effect.flatMap(ReadingRetention, ({ dropOld }) => dropOld).pipe(Effect.provideService(Clock.Clock, clockAt(now)))
  )

/** The bounds of buckets of equal length. */
export const everyOther = (from: number, length: number, buckets: number) =>
  Array.from({ length: buckets + 1 }, (_, at) => from + at * length)
