import { afterEach, describe, expect, test } from "vitest"
import { boot16, closeAll, rpcStation, sendCommand, startPlatform, until } from "./platform.ts"

afterEach(closeAll)

let latest = 0
/** The present time, but always a later one: of a status and a measurement of one millisecond, the status counts as the newer one. */
const now = () => {
  latest = Math.max(Date.now(), latest + 10)
  return new Date(latest).toISOString()
}
const status = (connectorId: number, status: string, errorCode = "NoError") => ({
  connectorId,
  status,
  errorCode,
  timestamp: now()
})

/** A platform and a station that has booted with a cable plugged in, on the strict client of `ocpp-rpc`. */
const plugged = async (responses: Parameters<typeof rpcStation>[3] = {}) => {
  const platform = await startPlatform()
  const login = await platform.link()
  const station = await rpcStation(platform, login, "ocpp1.6", responses)
  const boot = await station.call("BootNotification", boot16)
  await station.call("StatusNotification", status(0, "Available"))
  await station.call("StatusNotification", status(1, "Preparing"))
  return { platform, login, station, boot }
}

const meter = (transactionId: number) => ({
  connectorId: 1,
  transactionId,
  meterValue: [
    {
      timestamp: now(),
      sampledValue: [
        { value: "1.12", measurand: "Energy.Active.Import.Register", unit: "kWh" },
        { value: "7.2", measurand: "Power.Active.Import", unit: "kW" },
        { value: "230.4", measurand: "Voltage", unit: "V" },
        { value: "31.2", measurand: "Current.Import", unit: "A" }
      ]
    }
  ]
})

describe("a 1.6 station on another implementation of the protocol", () => {
  test("boots, is configured, and charges from authorization to its end", async () => {
    const { boot, platform, station } = await plugged()
    expect(boot).toMatchObject({ status: "Accepted", interval: 300 })
    await until("the station is configured", () => station.asked("ChangeConfiguration").length === 2)
    expect(station.asked("ChangeConfiguration")).toContainEqual({ key: "MeterValueSampleInterval", value: "60" })
    expect(platform.devices()).toEqual([
      {
        manufacturerDeviceId: "CP-1/1",
        type: "charger",
        name: "Vendor Wallbox 11",
        model: "Wallbox 11",
        serialNumber: "SN-1",
        rawType: "connector",
        rawModel: "Wallbox 11",
        modelYear: null,
        staticState: null,
        commands: ["charger:set-operating-mode"],
        incompatible: null
      }
    ])
    expect(platform.state()).toEqual({ chargingState: "idle", isPluggedIn: true })

    expect(await station.call("Authorize", { idTag: "TAG" })).toMatchObject({ idTagInfo: { status: "Accepted" } })
    const { transactionId } = await station.call("StartTransaction", {
      connectorId: 1,
      idTag: "TAG",
      meterStart: 1000,
      timestamp: now()
    })
    expect(transactionId).toBe(1)
    await station.call("StatusNotification", status(1, "Charging"))
    await station.call("MeterValues", meter(transactionId))
    expect(platform.state()).toEqual({
      chargingState: "charging",
      isPluggedIn: true,
      chargerWattage: 7200,
      chargerVoltage: 230.4,
      chargerCurrent: 31.2,
      lifetimeEnergyCharged: 1120
    })
    expect(platform.reports.at(-1)!.report.activity).toBe("busy")

    await station.call("StopTransaction", {
      transactionId,
      meterStop: 1120,
      timestamp: now(),
      reason: "EVDisconnected"
    })
    await station.call("StatusNotification", status(1, "Finishing"))
    await station.call("StatusNotification", status(1, "Available"))
    expect(platform.state()).toEqual({ chargingState: "idle", isPluggedIn: false })
    expect(station.failures).toEqual([])
  })

  test("starts and stops charging on command", async () => {
    const { platform, station } = await plugged()
    expect(await sendCommand(platform, "CP-1", "start-charging")).toMatchObject({
      _tag: "Success",
      success: { status: "accepted", reason: null }
    })
    expect(station.asked("RemoteStartTransaction")).toEqual([{ connectorId: 1, idTag: "EDP" }])
    const { transactionId } = await station.call("StartTransaction", {
      connectorId: 1,
      idTag: "EDP",
      meterStart: 0,
      timestamp: now()
    })
    await station.call("StatusNotification", status(1, "Charging"))
    expect(await sendCommand(platform, "CP-1", "start-charging")).toMatchObject({
      success: { status: "completed", reason: "already_so" }
    })
    expect(await sendCommand(platform, "CP-1", "stop-charging")).toMatchObject({ success: { status: "accepted" } })
    expect(station.asked("RemoteStopTransaction")).toEqual([{ transactionId }])
    expect(station.failures).toEqual([])
  })

  test("starts with a power, takes another one while it charges, and goes back to the first", async () => {
    const configurationKey = [
      { key: "SupportedFeatureProfiles", readonly: true, value: "Core, SmartCharging" },
      { key: "ChargingScheduleAllowedChargingRateUnit", readonly: true, value: "Current,Power" }
    ]
    const { platform, station } = await plugged({ GetConfiguration: () => ({ configurationKey, unknownKey: [] }) })
    await until(
      "the station has told that it takes powers",
      () => platform.devices()[0]?.staticState !== null && platform.devices().length > 0
    )
    expect(platform.devices()).toMatchObject([{ staticState: { takesTargetPower: true, minPower: 1440 } }])
    const input = (targetPowerW: number) => ({ input: { operatingMode: "start-charging", targetPowerW } })
    expect(await sendCommand(platform, "CP-1", "start-charging", input(3000))).toMatchObject({
      success: { status: "accepted" }
    })
    const limit = (watts: number) => ({
      chargingProfilePurpose: "TxProfile",
      chargingSchedule: { chargingRateUnit: "W", chargingSchedulePeriod: [{ startPeriod: 0, limit: watts }] }
    })
    expect(station.asked("RemoteStartTransaction")).toMatchObject([
      { connectorId: 1, idTag: "EDP", chargingProfile: limit(3000) }
    ])
    await station.call("StartTransaction", { connectorId: 1, idTag: "EDP", meterStart: 0, timestamp: now() })
    await station.call("StatusNotification", status(1, "Charging"))
    const snapshots: Array<unknown> = []
    const { Effect } = await import("effect")
    const saveSnapshot = (snapshot: unknown) => Effect.sync(() => void snapshots.push(snapshot))
    await sendCommand(platform, "CP-1", "start-charging", { ...input(2000), revertAfter: 600, saveSnapshot })
    expect(snapshots).toEqual([{ operatingMode: "start-charging", targetPowerW: 3000 }])
    const device = { id: "device-1", manufacturerDeviceId: "CP-1/1", type: "charger" } as const
    const account = platform.accounts.get("CP-1")!
    await platform.run(platform.instance.restore!(account as never, { device, snapshot: snapshots[0], takenSince: [] }))
    expect(station.asked("SetChargingProfile")).toMatchObject([
      { connectorId: 1, csChargingProfiles: { transactionId: 1, ...limit(2000) } },
      { connectorId: 1, csChargingProfiles: { transactionId: 1, ...limit(3000) } }
    ])
    // Without a power the limit goes.
    expect(await sendCommand(platform, "CP-1", "start-charging")).toMatchObject({ success: { status: "accepted" } })
    expect(station.asked("ClearChargingProfile")).toHaveLength(1)
    expect(station.failures).toEqual([])
  })

  test("is stopped with the earlier settings in the snapshot, and restored to it", async () => {
    const { platform, station } = await plugged()
    await station.call("StartTransaction", { connectorId: 1, idTag: "TAG", meterStart: 0, timestamp: now() })
    await station.call("StatusNotification", status(1, "Charging"))
    const snapshots: Array<unknown> = []
    const { Effect } = await import("effect")
    const saveSnapshot = (snapshot: unknown) => Effect.sync(() => void snapshots.push(snapshot))
    await sendCommand(platform, "CP-1", "stop-charging", { revertAfter: 600, saveSnapshot })
    expect(snapshots).toEqual([{ operatingMode: "start-charging" }])
    expect(station.asked("SetChargingProfile")).toMatchObject([
      { connectorId: 1, csChargingProfiles: { transactionId: 1, chargingProfilePurpose: "TxProfile" } }
    ])
    await station.call("StatusNotification", status(1, "SuspendedEVSE"))
    expect(platform.state()).toMatchObject({ chargingState: "idle", isPluggedIn: true })
    const account = platform.accounts.get("CP-1")!
    const device = { id: "device-1", manufacturerDeviceId: "CP-1/1", type: "charger" } as const
    const restored = platform.instance.restore!(account as never, { device, snapshot: snapshots[0], takenSince: [] })
    expect(await platform.run(restored)).toMatchObject({ status: "accepted" })
    expect(station.asked("ClearChargingProfile")).toHaveLength(1)
    // The vehicle leaves: there is nothing left to restore.
    await station.call("StopTransaction", {
      transactionId: 1,
      meterStop: 10,
      timestamp: now(),
      reason: "EVDisconnected"
    })
    await station.call("StatusNotification", status(1, "Available"))
    expect(await platform.run(restored)).toMatchObject({ status: "completed", reason: "already_so" })
    expect(station.asked("RemoteStartTransaction")).toEqual([])
    expect(station.failures).toEqual([])
    const odd = platform.instance.restore!(account as never, {
      device,
      snapshot: { operatingMode: "dance" },
      takenSince: []
    })
    expect(await platform.run(Effect.flip(odd))).toMatchObject({ failure: "contract" })
  })

  test("has nothing stored for a mode that holds already", async () => {
    const { platform } = await plugged()
    const snapshots: Array<unknown> = []
    const { Effect } = await import("effect")
    const saveSnapshot = (snapshot: unknown) => Effect.sync(() => void snapshots.push(snapshot))
    expect(await sendCommand(platform, "CP-1", "stop-charging", { revertAfter: 600, saveSnapshot })).toMatchObject({
      success: { status: "completed", reason: "already_so" }
    })
    expect(snapshots).toEqual([])
  })

  test("fails a command with the station's own message, or without a call where it cannot succeed", async () => {
    const { platform, station } = await plugged({ RemoteStartTransaction: () => ({ status: "Rejected" }) })
    expect(await sendCommand(platform, "CP-1", "start-charging")).toMatchObject({
      _tag: "Failure",
      failure: { failure: "refused", commandReason: "refused", upstream: { errorCode: "Rejected" } }
    })
    await station.call("StatusNotification", status(1, "Available"))
    expect(await sendCommand(platform, "CP-1", "start-charging")).toMatchObject({
      failure: { failure: "refused", commandReason: "precondition_not_plugged_in" }
    })
    expect(station.asked("RemoteStartTransaction")).toHaveLength(1)
  })

  test("fails a command when the connection is lost before the response", async () => {
    const { platform, station } = await plugged({ RemoteStartTransaction: () => new Promise(() => {}) })
    const command = sendCommand(platform, "CP-1", "start-charging")
    await until("the command arrives", () => station.asked("RemoteStartTransaction").length === 1)
    await station.cut()
    expect(await command).toMatchObject({ _tag: "Failure", failure: { failure: "unreachable" } })
    expect(await sendCommand(platform, "CP-1", "start-charging")).toMatchObject({ failure: { failure: "unreachable" } })
  })

  test("raises an alert for a fault and resolves it", async () => {
    const { platform, station } = await plugged()
    await station.call("StatusNotification", { ...status(1, "Faulted", "GroundFailure"), info: "leak" })
    expect(platform.alerts()).toMatchObject([
      { externalId: "CP-1/1:GroundFailure", type: "SAFETY", severity: "CRITICAL", resolved: false, description: "leak" }
    ])
    expect(platform.state()).toEqual({ chargingState: "unknown" })
    await station.call("StatusNotification", status(1, "Available"))
    expect(platform.alerts().at(-1)).toMatchObject({ externalId: "CP-1/1:GroundFailure", resolved: true })
  })
})
