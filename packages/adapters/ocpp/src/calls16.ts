import { keptText } from "./decoding.ts"
import type { Action16, Call16 } from "./messages16.ts"
import { measured, register, samples16 } from "./measurements.ts"
import type { Payload } from "./frames.ts"
import type { ConnectorStatus, Session, Step } from "./Session.ts"
import {
  applyMeasured,
  applyStatus,
  endTransaction,
  byTime,
  findConnector,
  type MeasuredWhile,
  onlyConnector,
  openTransaction,
  stationTime,
  updateConnector,
  withSession
} from "./connectors.ts"
import { acceptBoot, acceptsToken, raiseFault, type Handled, handled, resolveFaults } from "./stationState.ts"

type Handler<A extends Action16> = (step: Step, call: Call16<A>, now: number) => Handled

const statuses: ReadonlyArray<string> = [
  "Available",
  "Preparing",
  "Charging",
  "SuspendedEV",
  "SuspendedEVSE",
  "Finishing",
  "Reserved",
  "Unavailable",
  "Faulted"
] satisfies ReadonlyArray<ConnectorStatus>

const isStatus = (status: string): status is ConnectorStatus => statuses.includes(status)

const tokenInfo = (session: Session, token: string): Payload => ({
  status: acceptsToken(session, token) ? "Accepted" : "Invalid"
})

const MAX_CODE = 50

const statusNotification: Handler<"StatusNotification"> = (step, call, now) => {
  const at = stationTime(call.timestamp, now)
  const { connectorId, errorCode, status } = call
  const known = findConnector(step.session, connectorId)
  if (known?.statusAt !== undefined && known.statusAt !== null && at < known.statusAt) return handled(step)
  const applied = connectorId > 0 && isStatus(status) ? applyStatus(step, connectorId, status, at) : step
  const faulted = status === "Faulted"
  const code = errorCode === "NoError" ? (faulted ? "OtherError" : null) : keptText(errorCode, MAX_CODE)
  // The status carries the one error that holds: any other of this connector has ended.
  const resolved = resolveFaults(applied, connectorId, code, at)
  if (code === null) return handled(resolved)
  return handled(
    raiseFault(resolved, connectorId, code, {
      stopsCharging: faulted,
      info: call.info ?? null,
      vendorCode: call.vendorErrorCode ?? null,
      occurredAt: at
    })
  )
}

const MAX_STARTS = 16
const MAX_CONTENT = 200

/** Repeated by a station that has seen no response; the same content always gets the same id. */
const startTransaction: Handler<"StartTransaction"> = (step, call, now) => {
  const { session } = step
  const content = keptText(`${call.connectorId} ${call.meterStart} ${call.timestamp} ${call.idTag}`, MAX_CONTENT)
  const repeated = session.starts.find((start) => start.content === content)
  const idTagInfo = tokenInfo(session, call.idTag)
  if (repeated !== undefined) return handled(step, { transactionId: Number(repeated.transactionId), idTagInfo })
  const number = session.nextTransactionId
  const id = String(number)
  const at = stationTime(call.timestamp, now)
  const counted = withSession(step, {
    nextTransactionId: number + 1,
    starts: [...session.starts, { content, transactionId: id }].slice(-MAX_STARTS)
  })
  const opened = openTransaction(counted, {
    id,
    connector: call.connectorId,
    startedAt: at,
    meterStart: register(call.meterStart),
    seqNo: null,
    eventAt: null,
    tellsState: true
  })
  const begun = { power: null, voltage: null, current: null, importedEnergy: register(call.meterStart) }
  return handled(applyMeasured(opened, call.connectorId, begun, at), { transactionId: number, idTagInfo })
}

/** Always accepted, even for a transaction that is not known: a station repeats it until it is. */
const stopTransaction: Handler<"StopTransaction"> = (step, call, now) => {
  const id = String(call.transactionId)
  const { session } = step
  const transaction = session.transactions.find((one) => one.id === id)
  const response = call.idTag === undefined ? {} : { idTagInfo: tokenInfo(session, call.idTag) }
  const at = stationTime(call.timestamp, now)
  const data = call.transactionData ?? []
  if (transaction !== undefined) {
    const measuredBefore = meterValues16(step, transaction.connector, data, now)
    return handled(endTransaction(measuredBefore, id, at, register(call.meterStop)), response)
  }
  // The values of a transaction that is not known are those of the station's meter, too.
  const only = onlyConnector(session)
  if (only === null) return handled(endTransaction(step, id, now, null), response)
  const end = { power: null, voltage: null, current: null, importedEnergy: register(call.meterStop) }
  const valued = applyMeasured(meterValues16(step, only, data, now, { ended: true }), only, end, at, {
    status: "Finishing",
    ended: true
  })
  return handled(endTransaction(valued, id, now, null), response)
}

const meterValues16 = (
  step: Step,
  connector: number,
  values: Call16<"MeterValues">["meterValue"],
  now: number,
  during: MeasuredWhile = {}
): Step =>
  byTime(values).reduce(
    (next, { sampledValue, timestamp }) =>
      applyMeasured(next, connector, measured(samples16(sampledValue)), stationTime(timestamp, now), during),
    step
  )

/** A transaction of which only its meter values are known, after our state was lost, is adopted, so that it can be stopped. */
const adoptTransaction = (step: Step, connector: number, transactionId: number | undefined): Step => {
  const { session } = step
  const id = String(transactionId)
  const isUnknown =
    transactionId !== undefined &&
    transactionId > 0 &&
    connector > 0 &&
    !session.ended.includes(id) &&
    !session.transactions.some((one) => one.id === id || one.connector === connector)
  if (!isUnknown) return step
  const counted = withSession(step, { nextTransactionId: Math.max(session.nextTransactionId, transactionId + 1) })
  return openTransaction(updateConnector(counted, connector, {}), {
    id,
    connector,
    startedAt: null,
    meterStart: null,
    seqNo: null,
    eventAt: null,
    tellsState: true
  })
}

export const handlers16: { readonly [A in Action16]: Handler<A> } = {
  BootNotification: (step, call, now) =>
    acceptBoot(
      step,
      {
        vendor: call.chargePointVendor,
        model: call.chargePointModel,
        serialNumber: call.chargePointSerialNumber ?? call.chargeBoxSerialNumber ?? null,
        firmwareVersion: call.firmwareVersion ?? null
      },
      now
    ),
  Heartbeat: (step, _, now) => handled(step, { currentTime: new Date(now).toISOString() }),
  StatusNotification: statusNotification,
  Authorize: (step, { idTag }) => handled(step, { idTagInfo: tokenInfo(step.session, idTag) }),
  StartTransaction: startTransaction,
  StopTransaction: stopTransaction,
  MeterValues: (step, call, now) =>
    handled(
      meterValues16(
        adoptTransaction(step, call.connectorId, call.transactionId),
        call.connectorId,
        call.meterValue,
        now,
        { ended: call.transactionId !== undefined && step.session.ended.includes(String(call.transactionId)) }
      )
    ),
  DataTransfer: (step) => handled(step, { status: "UnknownVendorId" }),
  FirmwareStatusNotification: (step) => handled(step),
  DiagnosticsStatusNotification: (step) => handled(step),
  SecurityEventNotification: (step) => handled(step),
  SignedFirmwareStatusNotification: (step) => handled(step),
  LogStatusNotification: (step) => handled(step)
}
