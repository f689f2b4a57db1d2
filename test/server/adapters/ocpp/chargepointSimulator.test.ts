import { createRequire } from "node:module"
import { afterEach, describe, expect, test } from "vitest"
import { atEnd, boot16, closeAll, type Login, type Platform, sendCommand, startPlatform, until } from "./platform.ts"

/** The part of `em-ocpp-chargepoint-simulator` that is used here. It has no types. */
interface Chargepoint {
  readonly sendBootnotification: (payload: object) => Promise<{ readonly status: string }>
  readonly sendStatusNotification: (payload: object) => Promise<unknown>
  readonly sendHeartbeat: () => Promise<{ readonly currentTime: string }>
  readonly sendAuthorize: (payload: object) => Promise<{ readonly idTagInfo: { readonly status: string } }>
  readonly startTransaction: (payload: object) => Promise<{ readonly transactionId: number }>
  readonly meterValues: (payload: object) => Promise<unknown>
  readonly stopTransaction: (payload: object) => Promise<unknown>
  readonly answerRemoteStartTransaction: (answer: (request: ServerRequest) => void) => void
  readonly answerRemoteStopTransaction: (answer: (request: ServerRequest) => void) => void
  readonly answerChangeConfiguration: (answer: (request: ServerRequest) => void) => void
  readonly answerTriggerMessage: (message: string, answer: (request: ServerRequest) => void) => void
  readonly sendResponse: (id: string, payload: object) => void
  readonly close: () => void
}
interface ServerRequest {
  readonly uniqueId: string
  readonly payload: any
}

const { chargepointFactory } = createRequire(import.meta.url)(
  "em-ocpp-chargepoint-simulator/build/src/chargepoint.js"
) as { readonly chargepointFactory: (url: string, name?: string) => Promise<Chargepoint> }

afterEach(closeAll)

const connect = async ({ url }: Platform, { password, stationId }: Login) => {
  const station = await chargepointFactory(`${url.replace("//", `//${stationId}:${password}@`)}/ocpp/${stationId}`)
  atEnd(() => station.close())
  return station
}

const now = () => new Date().toISOString()
const status = (status: string) => ({ connectorId: 1, status, errorCode: "NoError", timestamp: now() })

describe("the charge point simulator of another author", () => {
  test("goes through a session that is started and stopped by commands", async () => {
    const platform = await startPlatform()
    const station = await connect(platform, await platform.link())
    const asked: Array<[string, unknown]> = []
    const accept = (name: string) => (request: ServerRequest) => {
      asked.push([name, request.payload])
      station.sendResponse(request.uniqueId, { status: "Accepted" })
    }
    station.answerChangeConfiguration(accept("ChangeConfiguration"))
    station.answerRemoteStartTransaction(accept("RemoteStartTransaction"))
    station.answerRemoteStopTransaction(accept("RemoteStopTransaction"))
    expect(await station.sendBootnotification(boot16)).toMatchObject({ status: "Accepted" })
    expect(Date.parse((await station.sendHeartbeat()).currentTime)).toBeGreaterThan(Date.now() - 60_000)
    await station.sendStatusNotification(status("Preparing"))
    await until("the configuration", () => asked.length === 2)

    expect(await sendCommand(platform, "CP-1", "start-charging")).toMatchObject({ success: { status: "accepted" } })
    expect(asked.at(-1)).toEqual(["RemoteStartTransaction", { connectorId: 1, idTag: "EDP" }])
    expect(await station.sendAuthorize({ idTag: "EDP" })).toMatchObject({ idTagInfo: { status: "Accepted" } })
    const { transactionId } = await station.startTransaction({
      connectorId: 1,
      idTag: "EDP",
      meterStart: 1377,
      timestamp: now()
    })
    await station.sendStatusNotification(status("Charging"))
    const sampledValue = [{ value: "1387" }, { value: "6900", measurand: "Power.Active.Import" }]
    await station.meterValues({ connectorId: 1, transactionId, meterValue: [{ timestamp: now(), sampledValue }] })
    expect(platform.state()).toMatchObject({ chargingState: "charging", chargerWattage: 6900 })

    expect(await sendCommand(platform, "CP-1", "stop-charging")).toMatchObject({ success: { status: "accepted" } })
    expect(asked.at(-1)).toEqual(["RemoteStopTransaction", { transactionId }])
    await station.stopTransaction({ transactionId, meterStop: 1399, timestamp: now(), reason: "Remote" })
    await station.sendStatusNotification(status("Available"))
    expect(platform.state()).toEqual({ chargingState: "idle", isPluggedIn: false })
  })

  test("leaves requests without an answer that it does not know: a command fails, and the next one is sent", async () => {
    const platform = await startPlatform({ times: { answer: 100 } })
    const station = await connect(platform, await platform.link())
    await station.sendBootnotification(boot16)
    await station.sendStatusNotification(status("Preparing"))
    expect(await sendCommand(platform, "CP-1", "start-charging")).toMatchObject({
      _tag: "Failure",
      failure: { failure: "unreachable" }
    })
    station.answerRemoteStartTransaction(({ uniqueId }) => station.sendResponse(uniqueId, { status: "Accepted" }))
    expect(await sendCommand(platform, "CP-1", "start-charging")).toMatchObject({ success: { status: "accepted" } })
  })
})
