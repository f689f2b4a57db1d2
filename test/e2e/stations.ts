import { expect } from "vitest"
import { boot16, type Login, rpcStation, type RpcStation } from "../adapters/ocpp/platform.ts"
import { callAt } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import type { SpawnedServer } from "../support/spawnServer.ts"

export const now = () => new Date().toISOString()
export const status = (status: string, timestamp = now()) => ({
  connectorId: 1,
  status,
  errorCode: "NoError",
  timestamp
})
export const socketUrl = ({ baseUrl }: Pick<SpawnedServer, "baseUrl">) => ({ url: baseUrl.replace("http", "ws") })

/**
 * Goes through the connect pages as a person does, while the station connects, at another instance if one is given. The person gets
 * a scoped key at the end.
 */
export const link = async (
  server: SpawnedServer,
  serverKey: string,
  stationId: string,
  dialled: SpawnedServer = server
) => {
  const location = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814", country: "USA" }
  const made = await callAt(server.baseUrl, "POST", "/v1/connections", {
    key: serverKey,
    body: {
      customerInfo: { firstName: "Ada", lastName: "Okafor", email: `${stationId}@example.com`, location },
      manufacturerFilters: { manufacturers: ["ocpp"] },
      referenceId: stationId,
      redirectUrl: "https://example.com/connected"
    }
  })
  expect(made.status).toBe(201)
  const pages = `${server.baseUrl}${new URL(made.body.url).pathname}`
  // The key goes to the browser that began the session, which its cookie tells.
  let cookie = ""
  const open = async (address: string, init: RequestInit = {}) => {
    const response = await fetch(address, { ...init, ...(cookie !== "" && { headers: { cookie } }) })
    const set = response.headers.getSetCookie().map((line) => line.split(";")[0]!)
    if (set.length > 0) cookie = set.join("; ")
    return response
  }
  const page = async () => (await open(pages)).text()
  const submit = async (step: string, fields: Readonly<Record<string, string>>) => {
    const response = await open(`${pages}/${step}`, { method: "POST", body: new URLSearchParams(fields) })
    expect(response.status).toBe(200)
    return response
  }
  await page()
  await submit("consent", { granted: "yes" })
  const instructions = await (await submit("form", { stationId })).text()
  const login: Login = { stationId, password: /\b[0-9a-f]{32}\b/.exec(instructions)![0] }
  const station = await rpcStation(socketUrl(dialled), login, "ocpp1.6")
  await station.call("BootNotification", boot16)
  await station.call("StatusNotification", status("Available"))
  await eventually("the page shows the connector", async () =>
    (await page()).includes(`${stationId}/1`) ? true : undefined
  )
  const finished = await submit("devices", { device: `${stationId}/1`, ...location })
  const back = new URL(finished.headers.get("refresh")!.replace(/^0; url=/u, ""))
  const scopedKey = back.searchParams.get("service_scoped_token")!
  return { login, station, scopedKey }
}

/** The station's only device. */
export const readDevice = async ({ baseUrl }: Pick<SpawnedServer, "baseUrl">, key: string, stationId: string) => {
  const { body, status, text } = await callAt(baseUrl, "GET", "/v1/devices?manufacturer=ocpp", { key })
  expect(status, text).toBe(200)
  return body.data.find((one: any) => one.manufacturerDeviceId === `${stationId}/1`)
}

type Instance = Pick<SpawnedServer, "baseUrl">

/** Commands for one station's device, over HTTP. */
export const commander = async (instance: Instance, key: string, stationId: string) => {
  const device = () => readDevice(instance, key, stationId)
  const { id } = await device()
  const read = async (commandId: string) =>
    (await callAt(instance.baseUrl, "GET", `/v1/commands/${commandId}`, { key })).body
  return {
    device,
    send: async (operatingMode: "start-charging" | "stop-charging", more: object = {}): Promise<string> => {
      const body = { type: "charger:set-operating-mode", input: { operatingMode }, ...more }
      const response = await callAt(instance.baseUrl, "POST", `/v1/devices/${id}/commands`, { key, body })
      expect(response).toMatchObject({ status: 201, body: { status: "pending" } })
      return response.body.id
    },
    read,
    reached: (commandId: string, wanted: string, patience?: number) =>
      eventually(
        `the command is ${wanted}`,
        async () => {
          const command = await read(commandId)
          return command.status === wanted ? command : undefined
        },
        patience
      ),
    showsState: (wanted: object) =>
      eventually("the state", async () => {
        const { state } = await device()
        return Object.entries(wanted).every(([field, value]) => state[field] === value) ? state : undefined
      })
  }
}

/** The messages of a station that has accepted a start, or a stop of the transaction. */
export const begin = async (station: RpcStation, time: () => string = now): Promise<number> => {
  const begun = { connectorId: 1, idTag: "EDP", meterStart: 0, timestamp: time() }
  const { transactionId } = await station.call("StartTransaction", begun)
  await station.call("StatusNotification", status("Charging", time()))
  return transactionId
}
export const end = async (station: RpcStation, transactionId: number, time: () => string = now) => {
  await station.call("StopTransaction", { transactionId, meterStop: 10, timestamp: time(), reason: "Remote" })
  await station.call("StatusNotification", status("Finishing", time()))
}
