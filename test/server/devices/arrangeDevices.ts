import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { ApiKeyType } from "@edp/domain/auth/ApiKeyType"
import { Ids } from "@edp/server/platform/Ids"
import { Effect } from "effect"
import { expect } from "vitest"
import { type OpenApiOracle, openApiOracle } from "../../support/OpenApiOracle.ts"
import { seedSite } from "../../support/Seed.ts"
import type { TestApp, TestWorkspace } from "../../support/TestApp.ts"

export const nobody = `c${"0".repeat(24)}`
export const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** The fields of a device that a test sets; by default it is an inverter of `generic`. */
export interface GivenDevice {
  readonly siteId?: string | null
  readonly name?: string
  readonly manufacturer?: string
  readonly manufacturerDeviceId?: string
  readonly serialNumber?: string | null
  readonly referenceId?: string
  readonly model?: string
  readonly type?: DeviceType
  readonly staticState?: object | null
  readonly commands?: ReadonlyArray<string>
  readonly tags?: ReadonlyArray<string>
  readonly direct?: boolean
  readonly disconnectedAt?: Date | null
}

export interface GivenReading {
  readonly at: Date
  readonly state?: object
  readonly status?: string | null
  readonly latitude?: number
  readonly longitude?: number
}

const oracles = new WeakMap<TestApp, Promise<OpenApiOracle>>()

const makeOracle = (app: TestApp) => {
  const oracle =
    oracles.get(app) ?? app.call("GET", "/v1/docs/swagger.json").then(({ text }) => openApiOracle(JSON.parse(text)))
  oracles.set(app, oracle)
  return oracle
}

const json = (value: object | null | undefined) =>
  value === null || value === undefined ? null : JSON.stringify(value)

const insertDevice = async (app: TestApp, workspaceId: string, given: GivenDevice) => {
  const id = await app.run(Effect.flatMap(Ids, (ids) => ids.next))
  await app.sql(
    (sql) => sql`INSERT INTO devices (id, workspace_id, origin_workspace_id, site_id, name, manufacturer,
        manufacturer_device_id, serial_number, reference_id, model, type, static_state, commands, tags, direct,
        connected_at, disconnected_at, created_at, updated_at)
      VALUES (${id}, ${workspaceId}, ${workspaceId}, ${given.siteId ?? null}, ${given.name ?? "Roof"},
        ${given.manufacturer ?? "generic"}, ${given.manufacturerDeviceId ?? `INV-${id}`}, ${given.serialNumber ?? null},
        ${given.referenceId ?? "user-1"}, ${given.model ?? "Generic inverter"}, ${given.type ?? "inverter"},
        ${json(given.staticState)}::jsonb, ${given.commands ?? []}::text[], ${given.tags ?? []}::text[],
        ${given.direct ?? true}, '2026-01-01T00:00:00Z', ${given.disconnectedAt ?? null}, '2026-01-01T00:00:00Z',
        '2026-01-01T00:00:00Z')`
  )
  return id
}

/** Stores readings as the ingest does: the newest is also the device's current state. */
const insertReadings = async (app: TestApp, deviceId: string, readings: ReadonlyArray<GivenReading>) => {
  const sorted = readings.toSorted((one, other) => one.at.getTime() - other.at.getTime())
  const months = new Set(sorted.map(({ at }) => `${at.toISOString().slice(0, 7)}-01`))
  for (const month of months) await app.sql((sql) => sql`SELECT ensure_readings_partition(${month}::date)`)
  const rows = await app.run(
    Effect.map(Ids, (ids) => sorted.map((reading) => ({ ...reading, id: ids.nextAt(Date.now()) })))
  )
  const given = JSON.stringify(rows.map(({ id, at, state = { power: 1 } }) => ({ id, at, state })))
  await app.sql(
    (sql) => sql`INSERT INTO readings (device_id, at, id, state) SELECT ${deviceId}, at, id, state
      FROM jsonb_to_recordset(${given}::jsonb) AS given (at timestamptz, id text, state jsonb)`
  )
  const newest = rows.at(-1)!
  await app.sql(
    (sql) => sql`INSERT INTO device_states
        (device_id, reading_id, at, first_at, state, reported_status, latitude, longitude)
      VALUES (${deviceId}, ${newest.id}, ${newest.at}, ${rows[0]!.at}, ${JSON.stringify(newest.state ?? { power: 1 })}::jsonb,
        ${newest.status ?? null}, ${newest.latitude ?? null}, ${newest.longitude ?? null})`
  )
  return rows.map(({ id }) => id)
}

/** A workspace, and the ways to put devices and readings into it and to ask for them. */
export const arrangeDevices = async (app: TestApp, organizationId?: string, workspace?: TestWorkspace) => {
  const place = workspace ?? (await app.workspace(organizationId))
  const oracle = await makeOracle(app)

  /** Every response is held against the OpenAPI document. */
  const call = async (method: string, path: string, body?: unknown, type: ApiKeyType = "SERVER") => {
    const response = await app.call(method, path, { key: place.keys[type], ...(body === undefined ? {} : { body }) })
    oracle.check(method, path, response.status, response.headers, response.text)
    return response
  }
  const get = (path: string, type?: ApiKeyType) => call("GET", path, undefined, type)
  return {
    ...place,
    call,
    get,
    site: (fields: object = {}): Promise<any> => seedSite(app, place.keys.SERVER, fields),
    device: (given: GivenDevice = {}) => insertDevice(app, place.workspaceId, given),
    read: (deviceId: string, ...readings: ReadonlyArray<GivenReading>) => insertReadings(app, deviceId, readings),
    /** The ids of a list, in its order; fails when it is not a list. */
    ids: async (query: string, type?: ApiKeyType): Promise<ReadonlyArray<string>> => {
      const response = await get(`/v1/devices?${query}`, type)
      expect(response.status).toBe(200)
      return response.body.data.map(({ id }: { readonly id: string }) => id)
    },
    protect: () =>
      app.sql((sql) => sql`UPDATE workspaces SET deletion_protection = true WHERE id = ${place.workspaceId}`)
  }
}
