import type { DeviceObservation } from "@edp/adapter-kit/Account"
import { confirms } from "@edp/adapter-ocpp/chargerCommands"
import { describe, expect, test } from "vitest"
import { iso, MINUTE, playStation, T0 } from "../../support/peers/ocppStation.ts"

/** Messages in the shape of the OCPP 1.6 edition 2 specification and of what virtual charge points send. */
const boot = {
  chargePointVendor: "Vendor",
  chargePointModel: "Wallbox 11",
  chargePointSerialNumber: "SN-1",
  firmwareVersion: "1.2.3"
}

const status = (time: number, status: string, errorCode = "NoError") => ({
  connectorId: 1,
  status,
  errorCode,
  timestamp: iso(time)
})

const sampled = (time: number, ...values: ReadonlyArray<Readonly<Record<string, string>>>) => ({
  timestamp: iso(time),
  sampledValue: values
})

/** A station that has booted, with a cable plugged in. */
const booted = () => {
  const station = playStation("1.6")
  station.connect()
  station.call("BootNotification", boot)
  station.respondAll()
  station.call("StatusNotification", status(T0, "Preparing"))
  return station
}

/** A station in a transaction that charges with 7.2 kW. */
const charging = () => {
  const station = booted()
  const start = { connectorId: 1, idTag: "TAG", meterStart: 1000, timestamp: iso(station.now()) }
  const { replies } = station.call("StartTransaction", start)
  station.call("StatusNotification", status(station.now(), "Charging"))
  station.wait(MINUTE)
  station.call("MeterValues", {
    connectorId: 1,
    transactionId: 1,
    meterValue: [
      sampled(
        station.now(),
        { value: "1.12", unit: "kWh" },
        { value: "7.2", measurand: "Power.Active.Import", unit: "kW" },
        { value: "230.4", measurand: "Voltage", unit: "V" },
        { value: "31.2", measurand: "Current.Import", unit: "A" }
      )
    ]
  })
  return Object.assign(station, { start, startReply: replies[0] })
}

describe("a 1.6 station", () => {
  test("is accepted, described and configured after its boot, one request at a time", () => {
    const station = playStation("1.6")
    expect(station.connect().requests).toEqual([])
    const { replies, requests } = station.call("BootNotification", boot)
    expect(replies).toEqual([
      { _tag: "CallResult", id: "s-1", payload: { currentTime: iso(T0), interval: 300, status: "Accepted" } }
    ])
    expect(requests.map(({ action, payload }) => [action, payload])).toEqual([
      ["ChangeConfiguration", { key: "MeterValueSampleInterval", value: "60" }]
    ])
    const next = station.respond({ status: "Accepted" })
    expect(next.requests.map(({ payload }) => payload.key)).toEqual(["MeterValuesSampledData"])
    const { devices, readings } = station.call("StatusNotification", status(T0, "Available"))
    expect(devices).toEqual([
      {
        manufacturerDeviceId: "CP-1/1",
        connector: 1,
        serialNumber: "SN-1",
        rawType: "connector",
        rawModel: "Wallbox 11",
        staticState: { protocol: "OCPP 1.6", vendor: "Vendor", firmwareVersion: "1.2.3" }
      }
    ])
    expect(readings).toEqual([
      {
        manufacturerDeviceId: "CP-1/1",
        observedAt: T0,
        state: { chargingState: "idle", isPluggedIn: false }
      }
    ])
    expect(station.call("StatusNotification", { ...status(T0, "Available"), connectorId: 0 }).devices).toEqual([])
  })

  test("reports a session in W, V, A and Wh, and no power once it has stopped", () => {
    const station = booted()
    const start = { connectorId: 1, idTag: "TAG", meterStart: 1000, timestamp: iso(T0) }
    expect(station.call("StartTransaction", start).replies[0]).toMatchObject({
      payload: { transactionId: 1, idTagInfo: { status: "Accepted" } }
    })
    station.call("StatusNotification", status(T0, "Charging"))
    station.wait(MINUTE)
    const values = [
      { value: "1.12", unit: "kWh" },
      { value: "2400", measurand: "Power.Active.Import", phase: "L1" },
      { value: "2400", measurand: "Power.Active.Import", phase: "L2" },
      { value: "2400", measurand: "Power.Active.Import", phase: "L3" },
      { value: "229", measurand: "Voltage", phase: "L1-N" },
      { value: "231", measurand: "Voltage", phase: "L2-N" },
      { value: "400", measurand: "Voltage", phase: "L1-L2" },
      { value: "10.5", measurand: "Current.Import", phase: "L1" },
      { value: "10.4", measurand: "Current.Import", phase: "L2" },
      { value: "55", measurand: "SoC", unit: "Percent", location: "EV" }
    ]
    const { readings } = station.call("MeterValues", {
      connectorId: 1,
      transactionId: 1,
      meterValue: [sampled(station.now(), ...values)]
    })
    expect(readings).toEqual([
      {
        manufacturerDeviceId: "CP-1/1",
        observedAt: T0 + MINUTE,
        state: {
          chargingState: "charging",
          isPluggedIn: true,
          chargerWattage: 7200,
          chargerVoltage: 230,
          chargerCurrent: 10.5,
          lifetimeEnergyCharged: 1120
        }
      }
    ])
    station.wait(MINUTE)
    const stop = { transactionId: 1, meterStop: 1240, timestamp: iso(station.now()), reason: "EVDisconnected" }
    expect(station.call("StopTransaction", stop).readings).toEqual([
      {
        manufacturerDeviceId: "CP-1/1",
        observedAt: T0 + 2 * MINUTE,
        state: { chargingState: "idle", isPluggedIn: true, lifetimeEnergyCharged: 1240 }
      }
    ])
    expect(station.session().transactions).toEqual([])
  })

  test("leaves out measured values that a message does not have, rather than reporting zero", () => {
    const station = booted()
    const { readings } = station.call("MeterValues", {
      connectorId: 1,
      meterValue: [sampled(T0, { value: "", measurand: "Voltage" }, { value: "500", unit: "Wh" })]
    })
    expect(readings.map(({ state }) => state)).toEqual([
      { chargingState: "idle", isPluggedIn: true, lifetimeEnergyCharged: 500 }
    ])
  })

  test("gets the same transaction for a StartTransaction that it repeats after a reconnect", () => {
    const station = charging()
    station.disconnect()
    station.connect()
    expect(station.call("StartTransaction", station.start).replies[0]).toMatchObject({ payload: { transactionId: 1 } })
    expect(station.session().transactions).toHaveLength(1)
    expect(station.session().nextTransactionId).toBe(2)
  })

  test("has each StopTransaction accepted, repeated and unknown ones too", () => {
    const station = charging()
    const stop = { transactionId: 1, meterStop: 1240, timestamp: iso(station.now()) }
    station.call("StopTransaction", stop)
    const repeated = station.call("StopTransaction", stop)
    const unknown = station.call("StopTransaction", { ...stop, transactionId: 4711 })
    expect(repeated).toMatchObject({ replies: [{ _tag: "CallResult" }], readings: [] })
    expect(unknown).toMatchObject({ replies: [{ _tag: "CallResult" }], readings: [] })
  })

  test("keeps its transaction and its register through a reboot in the middle", () => {
    const station = charging()
    station.disconnect()
    station.wait(MINUTE)
    station.connect()
    station.call("BootNotification", boot)
    station.respondAll()
    expect(station.session().transactions).toMatchObject([{ id: "1", meterStart: 1000 }])
    expect(station.session().connectors).toMatchObject([{ transactionId: "1", importedEnergy: 1120, power: null }])
    const stop = { transactionId: 1, meterStop: 1150, timestamp: iso(station.now()), reason: "PowerLoss" }
    const { readings } = station.call("StopTransaction", stop)
    expect(readings).toMatchObject([
      { state: { chargingState: "idle", isPluggedIn: true, lifetimeEnergyCharged: 1150 } }
    ])
    expect(station.session().connectors).toMatchObject([{ transactionId: null }])
  })

  test("keeps its newest status when queued older messages arrive", () => {
    const station = charging()
    const late = station.call("StatusNotification", status(T0 - MINUTE, "Available"))
    expect(late.readings).toEqual([])
    expect(station.session().connectors).toMatchObject([{ status: "Charging" }])
    const { readings } = station.call("MeterValues", {
      connectorId: 1,
      meterValue: [sampled(T0 - MINUTE, { value: "900" }, { value: "3600", measurand: "Power.Active.Import" })]
    })
    expect(readings).toMatchObject([
      {
        observedAt: T0 - MINUTE,
        state: { chargingState: "charging", chargerWattage: 3600, lifetimeEnergyCharged: 900 }
      }
    ])
    expect(station.session().connectors).toMatchObject([{ power: 7200, importedEnergy: 1120 }])
  })

  test("has a meter value that it repeats reported once", () => {
    const station = booted()
    const values = { connectorId: 1, meterValue: [sampled(T0, { value: "500" })] }
    expect(station.call("MeterValues", values).readings).toHaveLength(1)
    expect(station.call("MeterValues", values).readings).toHaveLength(0)
  })

  test("has a transaction adopted that is known by its meter values alone, so that it can be stopped", () => {
    const station = booted()
    station.call("MeterValues", { connectorId: 1, transactionId: 77, meterValue: [sampled(T0, { value: "500" })] })
    expect(station.command("c", "stop-charging").requests).toMatchObject([
      { action: "RemoteStopTransaction", payload: { transactionId: 77 } }
    ])
    expect(station.session().nextTransactionId).toBe(78)
  })

  test("has times that its clock cannot know replaced by ours", () => {
    const station = booted()
    for (const timestamp of ["1970-01-01T00:00:05Z", "2090-01-01T00:00:00Z", "yesterday"]) {
      const { readings } = station.call("StatusNotification", { ...status(T0, "Available"), timestamp })
      expect(readings).toMatchObject([{ observedAt: T0 }])
    }
  })

  test("is understood when it sets back a clock that was ahead", () => {
    const station = booted()
    station.call("StatusNotification", status(T0 + 4 * MINUTE, "Charging"))
    station.wait(1000)
    expect(station.call("StatusNotification", status(T0 + 1000, "Available")).readings).toMatchObject([
      { observedAt: T0 + 1000, state: { isPluggedIn: false } }
    ])
  })

  test("raises an alert once, and resolves it when the connector is well", () => {
    const station = booted()
    const raised = station.call("StatusNotification", { ...status(T0, "Faulted", "GroundFailure"), info: "RCD" })
    expect(raised.alerts).toEqual([
      {
        externalId: "CP-1/1:GroundFailure",
        manufacturerDeviceId: "CP-1/1",
        status: "OPEN",
        type: "SAFETY",
        subtype: null,
        severity: "CRITICAL",
        title: "Ground fault at the charger",
        description: "RCD",
        providerCode: "GroundFailure",
        occurredAt: T0
      }
    ])
    expect(raised.readings).toMatchObject([{ state: { chargingState: "unknown" } }])
    expect(station.call("StatusNotification", status(T0, "Faulted", "GroundFailure")).alerts).toEqual([])
    expect(station.call("StatusNotification", status(T0, "Available")).alerts).toMatchObject([
      { externalId: "CP-1/1:GroundFailure", status: "RESOLVED" }
    ])
  })

  test("is asked for its status after a reconnect, and for its identity if it never booted", () => {
    const station = booted()
    station.disconnect()
    expect(station.connect().requests).toMatchObject([
      { action: "TriggerMessage", payload: { requestedMessage: "StatusNotification" } }
    ])
    const running = playStation("1.6")
    running.connect()
    expect(running.call("Heartbeat", {}).requests).toMatchObject([
      { action: "TriggerMessage", payload: { requestedMessage: "BootNotification" } }
    ])
  })

  test("gets errors that name what is wrong", () => {
    const station = booted()
    const error = (action: string, payload: unknown) => station.call(action, payload).replies[0]
    expect(error("MakeCoffee", {})).toMatchObject({ code: "NotImplemented" })
    expect(error("StartTransaction", { connectorId: 1 })).toMatchObject({ code: "OccurenceConstraintViolation" })
    expect(error("Authorize", { idTag: 5 })).toMatchObject({ code: "TypeConstraintViolation" })
    expect(error("StatusNotification", { ...status(T0, "Available"), connectorId: -1 })).toMatchObject({
      code: "PropertyConstraintViolation"
    })
    expect(error("BootNotification", { ...boot, firmwareVersion: null })).toMatchObject({ _tag: "CallResult" })
  })

  test("cannot make its stored state grow without bound", () => {
    const station = booted()
    const long = "x".repeat(10_000)
    for (let n = 1; n <= 300; n++) {
      station.call("BootNotification", { ...boot, chargePointModel: long })
      station.call("StatusNotification", { ...status(T0, "Faulted", `E${n}${long}`), connectorId: n, info: long })
      station.call("StartTransaction", { connectorId: n, idTag: `${n}${long}`, meterStart: n, timestamp: iso(T0) })
      station.command(`c-${n}`, "start-charging")
    }
    expect(station.session().connectors).toHaveLength(64)
    expect(JSON.stringify(station.session()).length).toBeLessThan(100_000)
  })

  test("that is not registered may announce itself and nothing else", () => {
    const station = playStation("1.6", { registered: false })
    station.connect()
    expect(station.call("BootNotification", boot)).toMatchObject({
      replies: [{ payload: { status: "Pending" } }],
      requests: []
    })
    expect(station.call("Authorize", { idTag: "TAG" }).replies).toMatchObject([{ code: "SecurityError" }])
  })

  test("may charge with accepted tokens and with ours", () => {
    const station = playStation("1.6", { acceptedTokens: ["ABCD"] })
    station.connect()
    const respond = (idTag: string) => station.call("Authorize", { idTag }).replies[0]
    expect(respond("abcd")).toMatchObject({ payload: { idTagInfo: { status: "Accepted" } } })
    expect(respond("EDP")).toMatchObject({ payload: { idTagInfo: { status: "Accepted" } } })
    expect(respond("OTHER")).toMatchObject({ payload: { idTagInfo: { status: "Invalid" } } })
  })

  test("is asked to charge after an outage, unless it says since that no cable is in", () => {
    const away = () => {
      const station = booted()
      station.call("StatusNotification", status(T0, "Available"))
      station.disconnect()
      station.wait(6 * MINUTE)
      station.connect()
      return station
    }
    const station = away()
    expect(station.command("c-1", "start-charging").outcomes).toEqual([])
    station.respondAll()
    expect(station.session().commands).toMatchObject([{ id: "c-1", mode: "start-charging" }])
    const unplugged = away()
    unplugged.call("StatusNotification", status(T0, "Available"))
    expect(unplugged.command("c-2", "start-charging")).toMatchObject({
      requests: [],
      outcomes: [{ status: "failed", reason: "precondition_not_plugged_in" }]
    })
  })

  test("ends an earlier transaction of a connector that begins another", () => {
    const station = charging()
    station.call("StartTransaction", { ...station.start, timestamp: iso(station.now()) })
    expect(station.session().transactions.map(({ id }) => id)).toEqual(["2"])
    expect(station.session().connectors).toMatchObject([{ transactionId: "2" }])
  })
})

describe("commands to a 1.6 station", () => {
  test("complete by the station's state and not by its acceptance", () => {
    const station = booted()
    expect(station.command("c1", "start-charging").requests).toMatchObject([
      { action: "RemoteStartTransaction", payload: { connectorId: 1, idTag: "EDP" } }
    ])
    expect(station.respond({ status: "Accepted" }).outcomes).toEqual([
      { commandId: "c1", status: "delivered", reason: null, upstream: null }
    ])
    const start = { connectorId: 1, idTag: "EDP", meterStart: 0, timestamp: iso(T0) }
    expect(station.call("StartTransaction", start).outcomes).toEqual([])
    expect(station.call("StatusNotification", status(T0, "Charging")).outcomes).toMatchObject([
      { commandId: "c1", status: "completed" }
    ])
    expect(station.command("c2", "stop-charging").requests).toMatchObject([
      { action: "RemoteStopTransaction", payload: { transactionId: 1 } }
    ])
    const stop = { transactionId: 1, meterStop: 10, timestamp: iso(T0) }
    // The confirmation comes before the acceptance and settles the command.
    expect(station.call("StopTransaction", stop).outcomes).toMatchObject([{ commandId: "c2", status: "completed" }])
    expect(station.respond({ status: "Accepted" }).outcomes).toEqual([])
  })

  test("are confirmed by a reading of the time at which it arrived where the station's clock is behind", () => {
    const station = booted()
    const behind = () => iso(station.now() - MINUTE)
    station.wait(2 * MINUTE)
    station.command("c1", "start-charging")
    station.respond({ status: "Accepted" })
    station.call("StartTransaction", { connectorId: 1, idTag: "EDP", meterStart: 0, timestamp: behind() })
    const charging = station.call("StatusNotification", { ...status(T0, "Charging"), timestamp: behind() })
    // A status follows a millisecond after its event.
    expect(charging.readings.map(({ observedAt }) => observedAt)).toEqual([station.now() - MINUTE + 1, station.now()])
    expect(charging.readings.at(-1)).toMatchObject({ state: { chargingState: "charging", isPluggedIn: true } })
    station.command("c2", "stop-charging")
    station.respond({ status: "Accepted" })
    const stopped = station.call("StopTransaction", { transactionId: 1, meterStop: 10, timestamp: behind() })
    expect(stopped.readings.at(-1)).toMatchObject({ observedAt: station.now(), state: { chargingState: "idle" } })
    // Later readings have the station's own time again.
    const finished = station.call("StatusNotification", { ...status(T0, "Finishing"), timestamp: behind() })
    expect(finished.readings.map(({ observedAt }) => observedAt)).toEqual([station.now() - MINUTE + 1])
  })

  test("are not sent where their precondition is known to be unmet or the state is so already", () => {
    const station = booted()
    station.call("StatusNotification", status(T0, "Available"))
    const unplugged = station.command("c1", "start-charging")
    expect(unplugged).toMatchObject({
      requests: [],
      outcomes: [{ status: "failed", reason: "precondition_not_plugged_in" }]
    })
    const stopped = station.command("c2", "stop-charging")
    expect(stopped).toMatchObject({ requests: [], outcomes: [{ status: "completed", reason: "already_so" }] })
  })

  /** A station that charges and has told in which units it takes limits. */
  const limitable = (profiles: string, units: string) => {
    const station = charging()
    station.call("BootNotification", boot)
    station.respond({ status: "Accepted" })
    station.respond({ status: "Accepted" })
    const { devices } = station.respond({
      configurationKey: [
        { key: "SupportedFeatureProfiles", readonly: true, value: profiles },
        { key: "ChargingScheduleAllowedChargingRateUnit", readonly: true, value: units }
      ]
    })
    station.call("StatusNotification", status(station.now(), "Charging"))
    return Object.assign(station, { described: devices })
  }
  const meter = (time: number, watts: number) => ({
    connectorId: 1,
    transactionId: 1,
    meterValue: [sampled(time, { value: String(watts), measurand: "Power.Active.Import", unit: "W" })]
  })

  test("with a power are confirmed once the station has accepted the limit and its meter shows it", () => {
    const station = limitable("Core,SmartCharging", "Power")
    expect(station.described).toHaveLength(1)
    const { outcomes, requests } = station.command("c1", "start-charging", { targetPowerW: 3000 })
    expect(outcomes).toEqual([])
    expect(requests).toMatchObject([
      { action: "SetChargingProfile", payload: { csChargingProfiles: { transactionId: 1 } } }
    ])
    expect(station.respond({ status: "Accepted" }).outcomes).toMatchObject([{ commandId: "c1", status: "delivered" }])
    station.wait(MINUTE)
    expect(station.call("MeterValues", meter(station.now(), 7200)).outcomes).toEqual([])
    station.wait(MINUTE)
    expect(station.call("MeterValues", meter(station.now(), 2990)).outcomes).toMatchObject([
      { commandId: "c1", status: "completed" }
    ])
    expect(station.command("c2", "start-charging", { targetPowerW: 3000 })).toMatchObject({
      requests: [],
      outcomes: [{ status: "completed", reason: "already_so" }]
    })
    // The profile ends with its transaction.
    const stop = { transactionId: 1, meterStop: 2000, timestamp: iso(station.now()) }
    station.call("StopTransaction", stop)
    expect(station.session().connectors[0]!.limit).toBeNull()
  })

  test("with a power are limits in amperes of the measured voltage where the station takes no watts", () => {
    const station = limitable("Core,SmartCharging", "Current")
    const { requests } = station.command("c1", "start-charging", { targetPowerW: 3000 })
    // 7,200 W at 31.2 A are 231 W per ampere.
    expect(requests).toMatchObject([
      {
        payload: {
          csChargingProfiles: {
            chargingSchedule: { chargingRateUnit: "A", chargingSchedulePeriod: [{ startPeriod: 0, limit: 12.9 }] }
          }
        }
      }
    ])
  })

  test("with a power keep the limit from before when the station refuses", () => {
    const station = limitable("SmartCharging", "Power")
    station.command("c1", "start-charging", { targetPowerW: 3000 })
    station.respond({ status: "Accepted" })
    station.command("c2", "start-charging", { targetPowerW: 2000 })
    expect(station.session().connectors[0]!.limit).toBe(2000)
    expect(station.respond({ status: "Rejected" }).outcomes).toMatchObject([{ commandId: "c2", status: "failed" }])
    expect(station.session().connectors[0]!.limit).toBe(3000)
  })

  test("with a power are refused by a station without charging profiles", () => {
    const station = limitable("Core,Reservation", "Power")
    expect(station.described).toEqual([])
    expect(station.command("c1", "start-charging", { targetPowerW: 3000 })).toMatchObject({
      requests: [],
      outcomes: [{ status: "failed", reason: "precondition_unmet" }]
    })
  })

  test("fail with the station's message when it refuses", () => {
    const station = booted()
    station.command("c1", "start-charging")
    expect(station.respond({ status: "Rejected" }).outcomes).toMatchObject([
      { status: "failed", reason: "refused", upstream: { errorCode: "Rejected" } }
    ])
    station.command("c2", "start-charging")
    const error = JSON.stringify([4, station.session().pending!.call.id, "NotSupported", "No remote start", {}])
    expect(station.say(error).outcomes).toMatchObject([
      { reason: "refused", upstream: { errorCode: "NotSupported", errorMessage: "No remote start" } }
    ])
  })

  test("fail as unreachable when the station is away, leaves or does not respond", () => {
    const away = playStation("1.6")
    expect(away.command("c", "start-charging").outcomes).toMatchObject([{ reason: "unreachable" }])
    const leaving = booted()
    leaving.command("c", "start-charging")
    expect(leaving.disconnect().outcomes).toMatchObject([{ commandId: "c", status: "failed", reason: "unreachable" }])
    const hung = booted()
    hung.command("c", "start-charging")
    hung.wait(30_000)
    expect(hung.take({ _tag: "Tick" }).outcomes).toEqual([])
    hung.wait(1)
    expect(hung.take({ _tag: "Tick" }).outcomes).toMatchObject([{ commandId: "c", reason: "unreachable" }])
  })

  test("stay open over a lost connection once they were delivered", () => {
    const station = charging()
    station.command("c", "stop-charging")
    station.respond({ status: "Accepted" })
    expect(station.disconnect().outcomes).toEqual([])
    station.connect()
    const stop = { transactionId: 1, meterStop: 1300, timestamp: iso(station.now()) }
    expect(station.call("StopTransaction", stop).outcomes).toMatchObject([{ commandId: "c", status: "completed" }])
  })

  test("fail when the state contradicts them", () => {
    const station = booted()
    station.command("c", "start-charging")
    station.respond({ status: "Accepted" })
    expect(station.call("StatusNotification", status(T0, "Faulted", "InternalError")).outcomes).toMatchObject([
      { commandId: "c", status: "failed", reason: "contradicted_by_state" }
    ])
  })

  test("limit a station that charges without transactions to 0 A, and lift the limit again", () => {
    const station = booted()
    station.call("StatusNotification", status(T0, "Charging"))
    expect(station.command("c1", "stop-charging").requests).toMatchObject([
      {
        action: "SetChargingProfile",
        payload: {
          csChargingProfiles: { chargingSchedule: { chargingSchedulePeriod: [{ startPeriod: 0, limit: 0 }] } }
        }
      }
    ])
    station.respond({ status: "Accepted" })
    expect(station.call("StatusNotification", status(T0, "SuspendedEVSE")).outcomes).toMatchObject([
      { commandId: "c1", status: "completed" }
    ])
    expect(station.command("c2", "start-charging").requests).toMatchObject([{ action: "ClearChargingProfile" }])
  })

  test("pause a transaction that is to go on after some time, at which the station goes on by itself", () => {
    const station = charging()
    expect(station.command("c1", "stop-charging", { revertAfter: 600 }).requests).toMatchObject([
      {
        action: "SetChargingProfile",
        payload: {
          connectorId: 1,
          csChargingProfiles: {
            transactionId: 1,
            chargingProfilePurpose: "TxProfile",
            validTo: iso(station.now() + 600_000),
            chargingSchedule: { chargingSchedulePeriod: [{ startPeriod: 0, limit: 0 }] }
          }
        }
      }
    ])
    expect(station.respond({ status: "Accepted" }).outcomes).toMatchObject([{ status: "delivered" }])
    expect(station.call("StatusNotification", status(station.now(), "SuspendedEVSE")).outcomes).toMatchObject([
      { commandId: "c1", status: "completed" }
    ])
    // The limit ends by itself or is lifted, whichever comes first.
    expect(station.command("c2", "start-charging").requests).toMatchObject([{ action: "ClearChargingProfile" }])
    expect(station.respond({ status: "Unknown" }).outcomes).toMatchObject([{ commandId: "c2", status: "delivered" }])
    expect(station.call("StatusNotification", status(station.now(), "Charging")).outcomes).toMatchObject([
      { commandId: "c2", status: "completed" }
    ])
    // The limit ends with its transaction, so the next one is started.
    station.command("c3", "stop-charging", { revertAfter: 600 })
    station.respond({ status: "Accepted" })
    station.call("StopTransaction", { transactionId: 1, meterStop: 1300, timestamp: iso(station.now()) })
    station.call("StatusNotification", status(station.now(), "Preparing"))
    expect(station.command("c4", "start-charging").requests).toMatchObject([{ action: "RemoteStartTransaction" }])
  })

  test("end a transaction for some time at a station that can't be limited", () => {
    const station = charging()
    station.command("c", "stop-charging", { revertAfter: 600 })
    const error = JSON.stringify([4, station.session().pending!.call.id, "NotSupported", "", {}])
    expect(station.say(error)).toMatchObject({
      requests: [{ action: "RemoteStopTransaction", payload: { transactionId: 1 } }],
      outcomes: []
    })
    expect(station.respond({ status: "Accepted" }).outcomes).toMatchObject([{ commandId: "c", status: "delivered" }])
    const stop = { transactionId: 1, meterStop: 1300, timestamp: iso(station.now()) }
    expect(station.call("StopTransaction", stop).outcomes).toMatchObject([{ commandId: "c", status: "completed" }])
  })

  test("are repeated later while the station is about to do the opposite", () => {
    const station = booted()
    station.command("c1", "start-charging")
    station.respond({ status: "Accepted" })
    // The station is idle still, and will charge in a moment.
    const early = station.command("c2", "stop-charging")
    expect(early).toMatchObject({ requests: [], outcomes: [{ status: "failed", reason: "unreachable" }] })
    station.wait(60_000)
    expect(station.command("c2", "stop-charging").outcomes).toMatchObject([
      { status: "completed", reason: "already_so" }
    ])
  })

  test("that were given up are confirmed by the state when the station carries them out late", () => {
    const station = booted()
    const { requests } = station.command("c", "start-charging")
    station.wait(30_001)
    expect(station.take({ _tag: "Tick" }).outcomes).toMatchObject([{ commandId: "c", reason: "unreachable" }])
    expect(station.say(JSON.stringify([3, requests[0]!.id, { status: "Accepted" }])).outcomes).toEqual([])
    const { readings } = station.call("StatusNotification", status(station.now(), "Charging"))
    const input = { operatingMode: "start-charging" }
    const observation = { manufacturerDeviceId: "CP-1/1", state: readings.at(-1)!.state } as DeviceObservation
    expect(confirms({ type: "charger:set-operating-mode", input }, observation, null)).toBe("met")
    // The same command again finds it done.
    expect(station.command("c", "start-charging")).toMatchObject({
      requests: [],
      outcomes: [{ commandId: "c", status: "completed", reason: "already_so" }]
    })
  })

  test("change nothing where the settings from before were not stored", () => {
    const station = charging()
    const { outcomes, requests } = station.command("c", "stop-charging", { revertAfter: 600, unsaved: true })
    expect({ outcomes, requests }).toMatchObject({ requests: [], outcomes: [{ reason: "unreachable" }] })
  })

  test("each get an outcome, however many there are", () => {
    const station = booted()
    const failed = Array.from({ length: 60 }, (_, n) => station.command(`c-${n}`, "start-charging")).flatMap(
      ({ outcomes }) => outcomes
    )
    const open = station.session().commands
    expect(failed.every(({ reason }) => reason === "unreachable")).toBe(true)
    expect(failed.length + open.length).toBe(60)
    expect(station.disconnect().outcomes).toHaveLength(open.length)
  })

  test("go before the configuration that waits", () => {
    const station = playStation("1.6")
    station.connect()
    station.call("StatusNotification", status(T0, "Preparing"))
    station.call("BootNotification", boot)
    station.call("StatusNotification", status(T0, "Preparing"))
    expect(station.command("c", "start-charging").requests).toEqual([])
    expect(station.respond({ status: "Accepted" }).requests).toMatchObject([{ action: "RemoteStartTransaction" }])
  })
})
