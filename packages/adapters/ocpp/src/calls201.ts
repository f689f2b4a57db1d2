import type { Action201, Call201 } from "./messages201.ts"
import { measured, samples201 } from "./measurements.ts"
import type { Connector, ConnectorStatus, Step, Transaction } from "./Session.ts"
import {
  CHARGING_W,
  applyMeasured,
  applyStatus,
  endTransaction,
  byTime,
  findConnector,
  isPluggedIn,
  type MeasuredWhile,
  onlyConnector,
  openTransaction,
  stationTime,
  updateConnector,
  withSession
} from "./connectors.ts"
import { takeRateUnit } from "./chargerLimits.ts"
import { componentFault } from "./stationAlerts.ts"
import { acceptBoot, acceptsToken, type Handled, handled, raiseFault, resolveFault } from "./stationState.ts"

type Handler<A extends Action201> = (step: Step, call: Call201<A>, now: number) => Handled

/** The charging state of a transaction as the status of its EVSE. */
const chargingStates: Readonly<Record<string, ConnectorStatus>> = {
  Charging: "Charging",
  EVConnected: "Preparing",
  SuspendedEV: "SuspendedEV",
  SuspendedEVSE: "SuspendedEVSE",
  Idle: "Available"
}

const plainStatuses: Readonly<Record<string, ConnectorStatus>> = {
  Available: "Available",
  Occupied: "Occupied",
  Reserved: "Reserved",
  Unavailable: "Unavailable",
  Faulted: "Faulted"
}

/**
 * The status of one socket. Occupied says less than the charging state of a transaction and does not replace it. A free
 * socket says nothing of an EVSE whose other socket is in use.
 */
const statusNotification: Handler<"StatusNotification"> = (step, call, now) => {
  const at = stationTime(call.timestamp, now)
  const status = plainStatuses[call.connectorStatus]
  const known = findConnector(step.session, call.evseId)
  if (status === undefined || call.evseId === 0) return handled(step)
  if (known?.statusAt !== undefined && known.statusAt !== null && at < known.statusAt) return handled(step)
  const otherSocket = known?.plug !== undefined && known.plug !== null && known.plug !== call.connectorId
  if (otherSocket && status !== "Occupied") return handled(step)
  const saysMore = status === "Occupied" && known !== undefined && isPluggedIn(known.status) === true
  const plug = status === "Occupied" ? call.connectorId : null
  const plugged = updateConnector(step, call.evseId, { plug })
  const applied = saysMore ? plugged : applyStatus(plugged, call.evseId, status, at)
  if (status !== "Faulted") return handled(resolveFault(applied, call.evseId, "OtherError", at))
  const about = { stopsCharging: true, info: null, vendorCode: null, occurredAt: at }
  return handled(raiseFault(applied, call.evseId, "OtherError", about))
}

const meterValues201 = (
  step: Step,
  evse: number,
  values: Call201<"MeterValues">["meterValue"],
  now: number,
  during: MeasuredWhile = {}
): Step =>
  byTime(values).reduce(
    (next, { sampledValue, timestamp }) =>
      applyMeasured(next, evse, measured(samples201(sampledValue)), stationTime(timestamp, now), during),
    step
  )

const finishTransaction = (step: Step, id: string, evse: number, state: string | undefined, at: number): Step => {
  const ended = endTransaction(step, id, at, null)
  // The vehicle stays connected until the station reports a free socket.
  const status = state === "Idle" ? "Available" : "Finishing"
  const known = findConnector(ended.session, evse)
  return known === undefined || known.status === status || isPluggedIn(known.status) === false
    ? ended
    : applyStatus(ended, evse, status, at)
}

/** Whether the new values of a connector show that it charges: by its power, else by its register. Null: they do not tell. */
const isMeasuredCharging = (before: Connector | undefined, after: Connector | undefined): boolean | null => {
  if (after === undefined || after.measuredAt === (before?.measuredAt ?? null)) return null
  if (after.power !== null) return after.power > CHARGING_W
  const known = before?.importedEnergy ?? null
  return known === null || after.importedEnergy === null ? null : after.importedEnergy > known
}

/** The status of an EVSE after an event that names no charging state. */
const impliedStatus = (
  before: Connector | undefined,
  after: Connector | undefined,
  { tellsState }: Transaction
): ConnectorStatus | undefined => {
  const charges = tellsState ? null : isMeasuredCharging(before, after)
  if (charges === true) return "Charging"
  return charges === false && after?.status === "Charging" ? "Occupied" : undefined
}

/**
 * Stations repeat events that were not answered, and may send those of an offline time after newer ones. An event counts if
 * its sequence number is above the newest of its transaction, and the transaction has not ended. Some stations do not count:
 * there the time decides.
 */
const transactionEvent: Handler<"TransactionEvent"> = (step, call, now) => {
  const { session } = step
  const { chargingState, transactionId } = call.transactionInfo
  const response =
    call.idToken === undefined
      ? {}
      : { idTokenInfo: { status: acceptsToken(session, call.idToken.idToken) ? "Accepted" : "Invalid" } }
  const known = session.transactions.find(({ id }) => id === transactionId)
  // A transaction stays at its EVSE, whatever a later event names.
  const evse = known?.connector ?? call.evse?.id ?? onlyConnector(session)
  const at = stationTime(call.timestamp, now)
  const isOld = known !== undefined && known.eventAt !== null && at <= known.eventAt
  const repeated = known !== undefined && known.seqNo !== null && call.seqNo <= known.seqNo && isOld
  if (evse === null || evse === 0) return handled(step, response)
  const named = chargingState === undefined ? undefined : chargingStates[chargingState]
  const ending = call.eventType === "Ended" ? (named ?? "Finishing") : named
  const during: MeasuredWhile = ending === undefined ? {} : { status: ending }
  const ended = session.ended.includes(transactionId)
  // Its values count, also where the transaction has gone on or has ended: they have times of their own.
  if (repeated || ended)
    return handled(meterValues201(step, evse, call.meterValue ?? [], now, { ended, ...during }), response)
  const transaction: Transaction = {
    id: transactionId,
    connector: evse,
    startedAt: known?.startedAt ?? (call.eventType === "Started" ? at : null),
    meterStart: known?.meterStart ?? null,
    seqNo: Math.max(call.seqNo, known?.seqNo ?? 0),
    eventAt: Math.max(at, known?.eventAt ?? 0),
    tellsState: chargingState !== undefined || known?.tellsState === true
  }
  const opened = openTransaction(step, transaction)
  const values = meterValues201(opened, evse, call.meterValue ?? [], now, during)
  const begun =
    call.eventType === "Started"
      ? withSession(values, {
          transactions: values.session.transactions.map((one) =>
            one.id === transactionId
              ? { ...one, meterStart: findConnector(values.session, evse)?.importedEnergy ?? null }
              : one
          )
        })
      : values
  const status =
    chargingState === undefined
      ? impliedStatus(findConnector(session, evse), findConnector(begun.session, evse), transaction)
      : named
  if (call.eventType === "Ended")
    return handled(finishTransaction(begun, transactionId, evse, chargingState, at), response)
  return handled(
    status === undefined || findConnector(begun.session, evse)?.status === status
      ? begun
      : applyStatus(begun, evse, status, at),
    response
  )
}

/** The inventory: which EVSEs there are, their rated power (W, in `maxLimit` of EVSE.Power), and the unit of limits. */
const notifyReport: Handler<"NotifyReport"> = (step, call) =>
  handled(
    (call.reportData ?? []).reduce((next, { component, variable, variableAttribute, variableCharacteristics }) => {
      if (component.name === "SmartChargingCtrlr" && variable.name === "RateUnit") {
        return takeRateUnit(next, variableAttribute.find(({ type = "Actual" }) => type === "Actual")?.value)
      }
      const evse = component.evse?.id
      if (component.name !== "EVSE" || evse === undefined || evse === 0) return next
      const { maxLimit, unit = "W" } = variableCharacteristics ?? {}
      const factor = unit === "kW" ? 1000 : unit === "W" ? 1 : null
      const isPower = variable.name === "Power" && maxLimit !== undefined && factor !== null
      return updateConnector(next, evse, isPower ? { maxPower: maxLimit * factor } : {})
    }, step)
  )

/** Problems of components become alerts; other monitored values are left out. */
const notifyEvent: Handler<"NotifyEvent"> = (step, call, now) =>
  handled(
    call.eventData.reduce((next, event) => {
      const { component, variable } = event
      if (variable.name !== "Problem" && variable.name !== "Fault") return next
      const evse = component.evse?.id ?? 0
      const code = componentFault(component.name)
      const at = stationTime(event.timestamp, now)
      const ended = event.cleared === true || event.actualValue.toLowerCase() !== "true"
      if (ended) return resolveFault(next, evse, code, at)
      const info = event.techInfo ?? `${component.name} reports a problem`
      return raiseFault(next, evse, code, {
        stopsCharging: false,
        info,
        vendorCode: event.techCode ?? null,
        occurredAt: at
      })
    }, step)
  )

export const handlers201: { readonly [A in Action201]: Handler<A> } = {
  BootNotification: (step, { chargingStation }, now) =>
    acceptBoot(
      step,
      {
        vendor: chargingStation.vendorName,
        model: chargingStation.model,
        serialNumber: chargingStation.serialNumber ?? null,
        firmwareVersion: chargingStation.firmwareVersion ?? null
      },
      now
    ),
  Heartbeat: (step, _, now) => handled(step, { currentTime: new Date(now).toISOString() }),
  StatusNotification: statusNotification,
  Authorize: (step, { idToken }) =>
    handled(step, { idTokenInfo: { status: acceptsToken(step.session, idToken.idToken) ? "Accepted" : "Invalid" } }),
  TransactionEvent: transactionEvent,
  MeterValues: (step, call, now) => handled(meterValues201(step, call.evseId, call.meterValue, now)),
  NotifyReport: notifyReport,
  NotifyEvent: notifyEvent,
  DataTransfer: (step) => handled(step, { status: "UnknownVendorId" }),
  FirmwareStatusNotification: (step) => handled(step),
  LogStatusNotification: (step) => handled(step),
  SecurityEventNotification: (step) => handled(step)
}
