import { afterEach, describe, expect, test } from "vitest"
import { boot16, closeAll, sendCommand, startPlatform, until } from "./platform.ts"
import { type ServerRequest, simulatedStation } from "./simulatedStation.ts"

afterEach(closeAll)

const now = () => new Date().toISOString()
const status = (status: string) => ({ connectorId: 1, status, errorCode: "NoError", timestamp: now() })

describe("the charge point simulator of another author", () => {
  test("goes through a session that is started and stopped by commands", async () => {
    const platform = await startPlatform()
    const station = await simulatedStation(platform, await platform.link())
    const asked: Array<[string, unknown]> = []
    const accept = (name: string) => (request: ServerRequest) => {
      asked.push([name, request.payload])
      station.sendResponse(request.uniqueId, { status: "Accepted" })
    }
    station.answerChangeConfiguration(accept("ChangeConfiguration"))
    station.answerGetConfiguration(({ uniqueId }) => station.sendResponse(uniqueId, {}))
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

  test("leaves requests without a response that it does not know: a command fails, and the next one is sent", async () => {
    const platform = await startPlatform({ times: { response: 100 } })
    const station = await simulatedStation(platform, await platform.link())
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
