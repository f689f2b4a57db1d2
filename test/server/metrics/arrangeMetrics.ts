import type { MetricSeries } from "@edp/domain/metrics/MetricSeries"
import type { MetricName } from "@edp/domain/metrics/Metric"
import type { TestApp } from "../../support/TestApp.ts"
import { arrangeDevices } from "../devices/arrangeDevices.ts"

export type Query = Readonly<Record<string, string | ReadonlyArray<string>>>

export const HOUR = 3_600_000
export const at = Date.parse
export const iso = (instant: number) => new Date(instant).toISOString()

export const queryText = (query: Query) =>
  new URLSearchParams(
    Object.entries(query).flatMap(([name, values]) => [values].flat().map((value): [string, string] => [name, value]))
  ).toString()

/** A workspace, and the formulas to put devices and readings into it and to ask for metrics. */
export const arrangeMetrics = async (app: TestApp, organizationId?: string) => {
  const arranged = await arrangeDevices(app, organizationId)
  const { get, keys, workspaceId } = arranged

  const ask = (metric: MetricName, query: Query = {}) => get(`/v1/metrics/${metric}?${queryText(query)}`)
  const read = async (metric: MetricName, query: Query): Promise<MetricSeries> => {
    const { body, status, text } = await ask(metric, query)
    if (status !== 200) throw new Error(text)
    return body
  }
  return {
    ...arranged,
    ask,
    read,
    /** The values of a series, one after the other. */
    values: async (metric: MetricName, query: Query) => (await read(metric, query)).data.map(({ value }) => value),
    /** Creates this number of inverters without readings. */
    many: (devices: number) =>
      app.sql(
        (sql) => sql`INSERT INTO devices (id, workspace_id, origin_workspace_id, name, manufacturer,
            manufacturer_device_id, reference_id, model, type, commands, tags, direct, created_at, updated_at)
          SELECT 'c' || left(md5(random()::text), 24), ${workspaceId}, ${workspaceId}, 'One of many', 'generic',
            'many-' || gen_random_uuid(), 'user-1', 'Generic inverter', 'inverter', '{}', '{}', true, now(), now()
          FROM generate_series(1, ${devices}::int)`
      ),
    /** Sends readings as a manufacturer does: a state for each instant. */
    send: async (deviceId: string, states: ReadonlyArray<readonly [instant: string | number, state: object]>) => {
      for (let first = 0; first < states.length; first += 1000) {
        const readings = states
          .slice(first, first + 1000)
          .map(([instant, state]) => ({ timestamp: typeof instant === "string" ? instant : iso(instant), state }))
        const response = await app.call("POST", `/devices/${deviceId}/telemetry`, {
          key: keys.MANUFACTURER,
          body: { readings }
        })
        if (response.status !== 200) throw new Error(response.text)
      }
    }
  }
}

/** A minimal reading of each type with the given values. */
export const states = {
  battery: (more: object = {}) => ({
    chargingState: "idle",
    charge: 0,
    chargePercentage: 0,
    whConsumed: null,
    ...more
  }),
  car: (more: object = {}) => ({ chargingState: "idle", chargePercentage: 50, range: 100, ...more }),
  charger: (chargerWattage: number) => ({ chargingState: "charging", chargerWattage }),
  counted: (lifetimeEnergyGenerated: number) => ({ power: 0, lifetimeEnergyGenerated }),
  metered: (importedEnergy: number, exportedEnergy: number) => ({ power: 0, importedEnergy, exportedEnergy })
}
