import { describe, expect, test } from "vitest"
import { iso, MINUTE, playStation, T0 } from "../../support/peers/ocppStation.ts"

/** Messages in the shape of the OCPP 2.0.1 edition 2 specification, part 2, and of what virtual charge points send. */
const boot = {
  reason: "PowerUp",
  chargingStation: { vendorName: "Vendor", model: "Wallbox 22", serialNumber: "SN-2", firmwareVersion: "2.0" }
}

const status = (connectorStatus: string, time = T0, evseId = 1, connectorId = 1) => ({
  timestamp: iso(time),
  connectorStatus,
  evseId,
  connectorId
})

const event = (
  eventType: string,
  seqNo: number,
  time: number,
  transactionInfo: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>> = {}
) => ({
  eventType,
  seqNo,
  timestamp: iso(time),
  triggerReason: "ChargingStateChanged",
  transactionInfo: { transactionId: "tx-a", ...transactionInfo },
  ...more
})

const meterValue = (time: number, watts: number, wattHours: number) => [
  {
    timestamp: iso(time),
    sampledValue: [
      { value: watts / 1000, measurand: "Power.Active.Import", unitOfMeasure: { unit: "W", multiplier: 3 } },
      { value: wattHours / 1000, unitOfMeasure: { unit: "kWh" } },
      { value: 230, measurand: "Voltage", phase: "L1-N" },
      { value: 0, measurand: "Voltage", phase: "L2-N" },
      { value: 16, measurand: "Current.Import", phase: "L1" }
    ]
  }
]

const booted = () => {
  const station = playStation("2.0.1")
  station.connect()
  station.call("BootNotification", boot)
  station.respondAll()
  station.call("StatusNotification", status("Occupied"))
  return station
}

const charging = () => {
  const station = booted()
  const started = event(
    "Started",
    0,
    T0,
    { chargingState: "Charging" },
    { evse: { id: 1 }, meterValue: meterValue(T0, 0, 500) }
  )
  station.call("TransactionEvent", started)
  return Object.assign(station, { started })
}

describe("a 2.0.1 station", () => {
  test("is configured by variables and asked for its inventory", () => {
    const station = playStation("2.0.1")
    station.connect()
    expect(station.call("BootNotification", boot).requests).toMatchObject([
      {
        action: "SetVariables",
        payload: { setVariableData: [{ attributeValue: "60", variable: { name: "TxUpdatedInterval" } }, {}] }
      }
    ])
    expect(station.respond({ setVariableResult: [] }).requests).toMatchObject([{ action: "GetBaseReport" }])
  })

  test("becomes a device for each EVSE of its inventory, with its rated power in W", () => {
    const station = booted()
    const item = (id: number, maxLimit: number, unit: string) => ({
      component: { name: "EVSE", evse: { id } },
      variable: { name: "Power" },
      variableAttribute: [{ value: "0" }],
      variableCharacteristics: { unit, maxLimit, dataType: "decimal", supportsMonitoring: false }
    })
    const report = {
      requestId: 1,
      seqNo: 0,
      generatedAt: iso(T0),
      reportData: [item(1, 22, "kW"), item(2, 11_000, "W")]
    }
    const { devices } = station.call("NotifyReport", report)
    expect(
      devices.map(({ manufacturerDeviceId, staticState }) => [manufacturerDeviceId, staticState.maxPower])
    ).toEqual([
      ["CP-1/1", 22_000],
      ["CP-1/2", 11_000]
    ])
  })

  test("takes powers in the unit of its inventory, watts before amperes", () => {
    const station = booted()
    const unit = {
      component: { name: "SmartChargingCtrlr" },
      variable: { name: "RateUnit" },
      variableAttribute: [{ type: "Actual", value: "A,W" }]
    }
    station.call("NotifyReport", { requestId: 1, seqNo: 0, generatedAt: iso(T0), reportData: [unit] })
    const { requests } = station.command("c1", "start-charging", { targetPowerW: 3000 })
    expect(requests).toMatchObject([
      {
        action: "RequestStartTransaction",
        payload: {
          chargingProfile: {
            chargingProfilePurpose: "TxProfile",
            chargingSchedule: [{ chargingRateUnit: "W", chargingSchedulePeriod: [{ startPeriod: 0, limit: 3000 }] }]
          }
        }
      }
    ])
  })

  test("reports a transaction from its first event to its last", () => {
    const station = charging()
    station.wait(MINUTE)
    const updated = event("Updated", 1, T0 + MINUTE, {}, { meterValue: meterValue(T0 + MINUTE, 3680, 561) })
    expect(station.call("TransactionEvent", updated).readings).toEqual([
      {
        manufacturerDeviceId: "CP-1/1",
        observedAt: T0 + MINUTE,
        state: {
          chargingState: "charging",
          isPluggedIn: true,
          chargerWattage: 3680,
          chargerVoltage: 230,
          chargerCurrent: 16,
          lifetimeEnergyCharged: 561
        }
      }
    ])
    const suspended = event("Updated", 2, T0 + MINUTE, { chargingState: "SuspendedEV" })
    expect(station.call("TransactionEvent", suspended).readings).toMatchObject([
      { state: { chargingState: "idle", isPluggedIn: true } }
    ])
    const ended = event("Ended", 3, T0 + MINUTE, { chargingState: "Idle", stoppedReason: "EVDisconnected" })
    expect(station.call("TransactionEvent", ended).readings.at(-1)).toMatchObject({
      state: { chargingState: "idle", isPluggedIn: false }
    })
    expect(station.session().transactions).toEqual([])
  })

  test("has events that it repeats, or sends after the last one, confirmed and left out", () => {
    const station = charging()
    expect(station.call("TransactionEvent", station.started)).toMatchObject({
      replies: [{ _tag: "CallResult" }],
      readings: []
    })
    station.call("TransactionEvent", event("Ended", 5, T0, { chargingState: "EVConnected" }))
    expect(station.call("TransactionEvent", event("Updated", 4, T0, { chargingState: "Charging" })).readings).toEqual(
      []
    )
    expect(station.call("TransactionEvent", station.started).readings).toEqual([])
    expect(station.session()).toMatchObject({ transactions: [], connectors: [{ status: "Finishing" }] })
  })

  test("has a transaction ended at its own EVSE when the last event names another one", () => {
    const station = charging()
    const elsewhere = event("Ended", 5, T0, { chargingState: "EVConnected" }, { evse: { id: 2 } })
    station.call("TransactionEvent", elsewhere)
    expect(station.session()).toMatchObject({ transactions: [], connectors: [{ number: 1, transactionId: null }] })
  })

  test("has a transaction adopted of which the first event is lost", () => {
    const station = booted()
    station.call("TransactionEvent", event("Updated", 7, T0, { chargingState: "Charging" }))
    expect(station.session().transactions).toMatchObject([{ id: "tx-a", connector: 1, startedAt: null, seqNo: 7 }])
    expect(station.command("c", "stop-charging").requests).toMatchObject([
      { action: "RequestStopTransaction", payload: { transactionId: "tx-a" } }
    ])
  })

  test("goes on with its transaction after a reboot", () => {
    const station = charging()
    station.disconnect()
    station.connect()
    station.call("BootNotification", { ...boot, reason: "PowerUp" })
    expect(station.session()).toMatchObject({ transactions: [{ id: "tx-a" }], connectors: [{ status: null }] })
    const resumed = event("Updated", 3, T0, { chargingState: "Charging" }, { evse: { id: 1 } })
    expect(station.call("TransactionEvent", resumed).readings).toMatchObject([{ state: { chargingState: "charging" } }])
  })

  test("is not reported as merely occupied while a transaction says more", () => {
    const station = charging()
    expect(station.call("StatusNotification", status("Occupied")).readings).toEqual([])
    expect(station.session().connectors).toMatchObject([{ status: "Charging" }])
  })

  test("keeps an EVSE occupied whose other socket is free", () => {
    const station = booted()
    expect(station.call("StatusNotification", status("Available", T0, 1, 2)).readings).toEqual([])
    expect(station.call("StatusNotification", status("Available", T0, 1, 1)).readings).toMatchObject([
      { state: { isPluggedIn: false } }
    ])
  })

  test("raises and resolves alerts by the problems of its components", () => {
    const station = booted()
    const problem = (actualValue: string) => ({
      generatedAt: iso(T0),
      seqNo: 0,
      eventData: [
        {
          eventId: 1,
          timestamp: iso(T0),
          trigger: "Alerting",
          actualValue,
          eventNotificationType: "HardWiredNotification",
          component: { name: "PowerContactor", evse: { id: 1 } },
          variable: { name: "Problem" },
          techCode: "E7"
        }
      ]
    })
    expect(station.call("NotifyEvent", problem("true")).alerts).toMatchObject([
      { status: "OPEN", type: "HARDWARE_FAULT", subtype: "CONTACTOR_FAULT", severity: "WARNING", providerCode: "E7" }
    ])
    expect(station.call("StatusNotification", status("Available")).alerts).toEqual([])
    expect(station.call("NotifyEvent", problem("false")).alerts).toMatchObject([{ status: "RESOLVED" }])
  })

  test("may call while a request of ours waits, and confirms a start by its event", () => {
    const station = booted()
    expect(station.command("c", "start-charging").requests).toMatchObject([
      { action: "RequestStartTransaction", payload: { evseId: 1, idToken: { idToken: "EDP", type: "Central" } } }
    ])
    const authorize = { idToken: { idToken: "EDP", type: "Central" } }
    expect(station.call("Authorize", authorize)).toMatchObject({
      replies: [{ payload: { idTokenInfo: { status: "Accepted" } } }],
      requests: []
    })
    expect(station.respond({ status: "Accepted", transactionId: "tx-a" }).outcomes).toMatchObject([
      { status: "delivered" }
    ])
    const waiting = event("Started", 0, T0, { chargingState: "EVConnected", remoteStartId: 1 }, { evse: { id: 1 } })
    expect(station.call("TransactionEvent", waiting).outcomes).toEqual([])
    const begun = event("Updated", 1, T0, { chargingState: "Charging" })
    expect(station.call("TransactionEvent", begun).outcomes).toMatchObject([{ commandId: "c", status: "completed" }])
  })

  test("confirms a stop by the end of the transaction", () => {
    const station = charging()
    station.command("c", "stop-charging")
    expect(station.respond({ status: "Accepted" }).outcomes).toMatchObject([{ status: "delivered" }])
    const ended = event("Ended", 1, T0, { chargingState: "EVConnected", stoppedReason: "Remote" })
    expect(station.call("TransactionEvent", ended).outcomes).toMatchObject([{ commandId: "c", status: "completed" }])
  })

  test("refuses with the reason code that it gives", () => {
    const station = booted()
    station.command("c", "start-charging")
    const rejected = { status: "Rejected", statusInfo: { reasonCode: "NotReady" } }
    expect(station.respond(rejected).outcomes).toMatchObject([
      { status: "failed", reason: "refused", upstream: { errorCode: "NotReady", errorMessage: "Rejected" } }
    ])
  })

  test("spells errors as 2.0.1 does", () => {
    const station = booted()
    expect(station.call("TransactionEvent", {}).replies).toMatchObject([{ code: "OccurrenceConstraintViolation" }])
    expect(station.call("MeterValues", { evseId: 1, meterValue: "x" }).replies).toMatchObject([
      { code: "TypeConstraintViolation" }
    ])
  })

  test("that returns with another version keeps its connectors and drops ids of transactions", () => {
    const station = charging()
    station.disconnect()
    station.take({ _tag: "Connected", version: "1.6" })
    expect(station.session()).toMatchObject({
      version: "1.6",
      transactions: [],
      connectors: [{ number: 1, transactionId: null, importedEnergy: 500 }]
    })
  })

  test("that names no charging state and does not count its events is known by its register and its power", () => {
    const station = booted()
    const tell = (eventType: string, time: number, wattHours: number, watts?: number) =>
      station.call("TransactionEvent", {
        ...event(eventType, 0, time, {}, { evse: { id: 1 } }),
        meterValue: [
          {
            timestamp: iso(time),
            sampledValue: [
              { value: wattHours },
              ...(watts === undefined ? [] : [{ value: watts, measurand: "Power.Active.Import" }])
            ]
          }
        ]
      })
    const states = (effects: ReturnType<typeof tell>) => effects.readings.map(({ state }) => state.chargingState)
    station.wait(5 * MINUTE)
    tell("Started", T0, 1000)
    expect(states(tell("Updated", T0 + MINUTE, 1100)).at(-1)).toBe("charging")
    // The same event once more, and one from before, whose register counts at its time.
    expect(tell("Updated", T0 + MINUTE, 1100).readings).toEqual([])
    expect(tell("Updated", T0 + MINUTE / 2, 1050).readings).toMatchObject([
      { observedAt: T0 + MINUTE / 2, state: { lifetimeEnergyCharged: 1050 } }
    ])
    expect(states(tell("Updated", T0 + 2 * MINUTE, 1100)).at(-1)).toBe("idle")
    expect(states(tell("Updated", T0 + 3 * MINUTE, 1100, 3000)).at(-1)).toBe("charging")
    expect(states(tell("Ended", T0 + 4 * MINUTE, 1200)).at(-1)).toBe("idle")
    expect(station.session().transactions).toEqual([])
  })
})
