import { ChargerReading } from "@edp/domain/devices/DeviceState"
import type { OcppVersion } from "@edp/adapter-ocpp/frames"
import { Arbitrary, Effect, Schema } from "effect"
import { expect, test } from "vitest"
import { iso, playStation, T0 } from "../../support/peers/ocppStation.ts"

const isReading = Schema.is(ChargerReading)

const number = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 }))
/** Seconds before or after the present, so that messages come out of order. */
const seconds = Schema.Int.check(Schema.isBetween({ minimum: -900, maximum: 900 }))
const statuses = ["Available", "Preparing", "Occupied", "Charging", "SuspendedEV", "Faulted", "Odd"]

/** A happening at a station; `kind` decides which fields count. */
const Happening = Schema.Struct({
  kind: Schema.Literals([
    "boot",
    "status",
    "start",
    "stop",
    "meter",
    "event",
    "lose",
    "wait",
    "go",
    "halt",
    "response"
  ]),
  connector: number,
  transaction: number,
  seconds,
  status: Schema.Literals(statuses),
  value: Schema.Finite,
  eventType: Schema.Literals(["Started", "Updated", "Ended"])
})
const Story = Schema.Array(Happening).check(Schema.isMaxLength(25))

type Station = ReturnType<typeof playStation>

const happen = (version: OcppVersion, station: Station, one: typeof Happening.Type, n: number) => {
  const timestamp = iso(T0 + one.seconds * 1000)
  const number = version === "1.6" ? { connectorId: one.connector } : { evseId: one.connector, connectorId: 1 }
  const value = version === "1.6" ? String(one.value) : one.value
  const meterValue = [
    {
      timestamp,
      sampledValue: [{ value }, { value, measurand: "Power.Active.Import" }, { value, measurand: "Voltage" }]
    }
  ]
  switch (one.kind) {
    case "boot":
      return station.call("BootNotification", {
        chargePointVendor: "V",
        chargePointModel: "M",
        reason: "PowerUp",
        chargingStation: { vendorName: "V", model: "M" }
      })
    case "status":
      return station.call("StatusNotification", {
        ...number,
        status: one.status,
        connectorStatus: one.status,
        errorCode: one.status === "Faulted" ? "GroundFailure" : "NoError",
        timestamp
      })
    case "start":
      return station.call("StartTransaction", { ...number, idTag: "T", meterStart: one.value, timestamp })
    case "stop":
      return station.call("StopTransaction", { transactionId: one.transaction, meterStop: one.value, timestamp })
    case "meter":
      return station.call("MeterValues", { ...number, transactionId: one.transaction, meterValue })
    case "event":
      return station.call("TransactionEvent", {
        eventType: one.eventType,
        timestamp,
        triggerReason: "Trigger",
        seqNo: n,
        transactionInfo: { transactionId: `tx-${one.transaction}`, chargingState: one.status },
        evse: { id: one.connector },
        meterValue
      })
    case "lose":
      station.disconnect()
      return station.connect()
    case "wait":
      station.wait(31_000)
      return station.take({ _tag: "Tick" })
    case "go":
      return station.command(`c-${n}`, "start-charging", { connector: one.connector })
    case "halt":
      return station.command(`c-${n}`, "stop-charging", {
        connector: one.connector,
        ...(n % 2 === 0 ? {} : { revertAfter: 600 })
      })
    case "response":
      return station.session().pending === null ? null : station.respond({ status: "Accepted" })
  }
}

test.each(["1.6", "2.0.1"] as const)("any story of a %s station keeps its session consistent", (version) => {
  const result = Effect.runSync(
    Arbitrary.checkEffect(
      Arbitrary.schema(Story),
      (story) => {
        const station = playStation(version)
        station.connect()
        const ends = new Map<string, number>()
        return story.every((one, n) => {
          const effects = happen(version, station, one, n)
          const { commands, connectors, pending, transactions } = station.session()
          for (const { commandId, status } of effects?.outcomes ?? [])
            if (status !== "delivered") ends.set(commandId, (ends.get(commandId) ?? 0) + 1)
          const open = new Set(transactions.map(({ id }) => id))
          return (
            (effects?.readings ?? []).every(({ state }) => isReading(state)) &&
            (effects?.requests.length ?? 0) <= 1 &&
            // Each call of the station gets one response.
            (["lose", "wait", "go", "halt", "response"].includes(one.kind) || effects?.replies.length === 1) &&
            [...ends.values()].every((count) => count === 1) &&
            commands.every(({ id }) => !ends.has(id)) &&
            connectors.every(({ transactionId }) => transactionId === null || open.has(transactionId)) &&
            new Set(transactions.map(({ connector }) => connector)).size === transactions.length &&
            connectors.every(
              (connector, n) => connector.number > 0 && (n === 0 || connector.number > connectors[n - 1]!.number)
            ) &&
            (pending === null || station.session().connected)
          )
        })
      },
      { runs: 200 }
    )
  )
  expect(Arbitrary.formatCheckFailure(result)).toBeUndefined()
})
