import { afterEach, describe, expect, test } from "vitest"
import { boot201, closeAll, rpcStation, sendCommand, startPlatform, until } from "./platform.ts"

afterEach(closeAll)

const now = () => new Date().toISOString()
const status = (evseId: number, connectorStatus: string) => ({
  timestamp: now(),
  connectorStatus,
  evseId,
  connectorId: 1
})

const event = (eventType: string, seqNo: number, more: object = {}, chargingState = "Charging") => ({
  eventType,
  timestamp: now(),
  triggerReason: "ChargingStateChanged",
  seqNo,
  transactionInfo: { transactionId: "tx-1", chargingState },
  evse: { id: 1, connectorId: 1 },
  ...more
})

const sample = (power: number) => ({
  meterValue: [
    {
      timestamp: now(),
      sampledValue: [
        { value: power, measurand: "Power.Active.Import", unitOfMeasure: { unit: "kW" } },
        { value: 231, measurand: "Voltage" }
      ]
    }
  ]
})

/** A station with two EVSEs; a cable is plugged into the first. */
const plugged = async (responses: Parameters<typeof rpcStation>[3] = {}) => {
  const platform = await startPlatform()
  const station = await rpcStation(platform, await platform.link(), "ocpp2.0.1", {
    SetVariables: ({ setVariableData }) => ({
      setVariableResult: setVariableData.map(({ component, variable }: any) => ({
        attributeStatus: "Accepted",
        component,
        variable
      }))
    }),
    ...responses
  })
  const boot = await station.call("BootNotification", boot201)
  await station.call("StatusNotification", status(1, "Occupied"))
  await station.call("StatusNotification", status(2, "Available"))
  return { platform, station, boot }
}

describe("a 2.0.1 station on another implementation of the protocol", () => {
  test("boots, reports its EVSEs, is configured, and charges from authorization to its end", async () => {
    const { boot, platform, station } = await plugged()
    expect(boot).toMatchObject({ status: "Accepted", interval: 300 })
    await until("the inventory is asked for", () => station.asked("GetBaseReport").length === 1)
    expect(station.asked("SetVariables")[0].setVariableData).toContainEqual({
      component: { name: "SampledDataCtrlr" },
      variable: { name: "TxUpdatedInterval" },
      attributeValue: "60"
    })
    expect(platform.devices().map(({ manufacturerDeviceId, name }) => [manufacturerDeviceId, name])).toEqual([
      ["CP-1/1", "Vendor Wallbox 22, connector 1"],
      ["CP-1/2", "Vendor Wallbox 22, connector 2"]
    ])
    expect(platform.state(1)).toEqual({ chargingState: "idle", isPluggedIn: true })
    expect(platform.state(2)).toEqual({ chargingState: "idle", isPluggedIn: false })

    const idToken = { idToken: "TAG", type: "ISO14443" }
    expect(await station.call("Authorize", { idToken })).toMatchObject({ idTokenInfo: { status: "Accepted" } })
    await station.call("TransactionEvent", event("Started", 0, { idToken }))
    await station.call("TransactionEvent", event("Updated", 1, sample(11)))
    expect(platform.state(1)).toMatchObject({ chargingState: "charging", chargerWattage: 11_000, chargerVoltage: 231 })
    await station.call("TransactionEvent", event("Ended", 2, {}, "EVConnected"))
    await station.call("StatusNotification", status(1, "Available"))
    expect(platform.state(1)).toEqual({ chargingState: "idle", isPluggedIn: false })
    expect(station.failures).toEqual([])
  })

  test("may ask whether a token charges before it responds to the command to start", async () => {
    let authorized: unknown
    const started = await plugged({
      RequestStartTransaction: async ({ idToken }) => {
        authorized = await started.station.call("Authorize", { idToken })
        return { status: "Accepted", transactionId: "tx-1" }
      }
    })
    const { platform, station } = started
    expect(await sendCommand(platform, "CP-1", "start-charging")).toMatchObject({ success: { status: "accepted" } })
    expect(authorized).toMatchObject({ idTokenInfo: { status: "Accepted" } })
    await station.call("TransactionEvent", event("Started", 0))
    expect(await sendCommand(platform, "CP-1", "stop-charging")).toMatchObject({ success: { status: "accepted" } })
    expect(station.asked("RequestStopTransaction")).toEqual([{ transactionId: "tx-1" }])
    expect(station.failures).toEqual([])
  })

  test("is paused for some time without the end of its transaction", async () => {
    const { platform, station } = await plugged()
    await station.call("TransactionEvent", event("Started", 0))
    const stopped = await sendCommand(platform, "CP-1", "stop-charging", { revertAfter: 600 })
    expect(stopped).toMatchObject({ success: { status: "accepted" } })
    expect(station.asked("SetChargingProfile")).toMatchObject([
      { evseId: 1, chargingProfile: { transactionId: "tx-1", chargingProfilePurpose: "TxProfile" } }
    ])
    await station.call("TransactionEvent", event("Updated", 1, {}, "SuspendedEVSE"))
    expect(platform.state(1)).toMatchObject({ chargingState: "idle", isPluggedIn: true })
    expect(station.asked("RequestStopTransaction")).toEqual([])
    expect(station.failures).toEqual([])
  })

  test("refuses a command with its reason", async () => {
    const { platform } = await plugged({
      RequestStartTransaction: () => ({ status: "Rejected", statusInfo: { reasonCode: "ReadOnly" } })
    })
    expect(await sendCommand(platform, "CP-1", "start-charging")).toMatchObject({
      failure: { failure: "refused", upstream: { errorCode: "ReadOnly", errorMessage: "Rejected" } }
    })
  })

  test("reports problems of its parts as alerts", async () => {
    const { platform, station } = await plugged()
    const problem = (actualValue: string) => ({
      generatedAt: now(),
      seqNo: 0,
      eventData: [
        {
          eventId: 1,
          timestamp: now(),
          trigger: "Alerting",
          actualValue,
          eventNotificationType: "HardWiredMonitor",
          component: { name: "RCD", evse: { id: 2 } },
          variable: { name: "Problem" }
        }
      ]
    })
    await station.call("NotifyEvent", problem("true"))
    await station.call("NotifyEvent", problem("false"))
    expect(platform.alerts().map(({ externalId, resolved, type }) => [externalId, type, resolved])).toEqual([
      ["CP-1/2:GroundFailure", "SAFETY", false],
      ["CP-1/2:GroundFailure", "SAFETY", true]
    ])
  })
})
