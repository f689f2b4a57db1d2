import { callAt } from "../../support/callAt.ts"
import type { Credentials } from "../../support/spawnServer.ts"
import type { Reading } from "./Importer.ts"

const hour = 3_600_000
const begin = Date.UTC(2024, 0, 1)

const makeReadings = (deviceId: string, count: number, state: (index: number) => Reading["state"]) =>
  Array.from({ length: count }, (_, index) => ({
    deviceId,
    timestamp: new Date(begin + index * hour).toISOString(),
    state: state(index)
  }))

/** A site with an inverter and a meter, and hourly readings of both to send. */
export const makeHome = async (
  baseUrl: string,
  { serverKey, manufacturerKey }: Credentials,
  readings: number
): Promise<ReadonlyArray<ReadonlyArray<Reading>>> => {
  const create = async (path: string, key: string, body: object) => {
    const response = await callAt(baseUrl, "POST", path, { key, body })
    if (response.status !== 201) throw new Error(`${path} answered ${response.status}: ${response.text}`)
    return response.body.id as string
  }
  const address = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }
  const siteId = await create("/v1/sites", serverKey, { address })
  const device = async (type: string) => {
    const models = await callAt(baseUrl, "GET", `/v1/device-models?manufacturer=generic&type=${type}`, {
      key: serverKey
    })
    const body = { manufacturerDeviceId: type, deviceModelId: models.body.data[0].id, siteId }
    return create("/devices", manufacturerKey, body)
  }
  return [
    makeReadings(await device("inverter"), readings, (n) => ({ power: n, lifetimeEnergyGenerated: n * 10 })),
    makeReadings(await device("meter"), readings, (n) => ({ power: 1 - n, importedEnergy: n }))
  ]
}

export interface Stored {
  readonly timestamp: string
  readonly state: Readonly<Record<string, number>>
}

/** The whole history of a device, oldest first, and the service's count. */
export const readHistory = async (baseUrl: string, key: string, deviceId: string) => {
  const path = `/v1/devices/${deviceId}/history?from=2023-01-01T00:00:00Z&to=2026-01-01T00:00:00Z&order=asc&perPage=100`
  // The server may close an idle connection just then. A read can be repeated.
  const read = (address: string) => {
    const attempt = () => callAt(baseUrl, "GET", address, { key })
    return attempt().catch(attempt)
  }
  const first = await read(path)
  const stored: Array<Stored> = []
  for (let response = first; ;) {
    if (response.status !== 200) throw new Error(`the history answered ${response.status}: ${response.text}`)
    for (const { id: _, createdAt: timestamp, ...state } of response.body.data) stored.push({ timestamp, state })
    const cursor = response.headers.get("x-next-cursor")
    if (cursor === null) return { stored, totalItems: first.body.totalItems as number }
    response = await read(`${path}&cursor=${cursor}`)
  }
}
