import type { ChargerReading } from "@edp/domain/devices/DeviceState"
import type { Measured } from "./measurements.ts"
import type {
  Connector,
  ConnectorStatus,
  Effects,
  Session,
  StationDevice,
  StationReading,
  Step,
  Transaction
} from "./Session.ts"

const MINUTE = 60_000
/** Earlier times come from a clock that was not set. */
const CLOCK_WAS_SET = Date.UTC(2020, 0, 1)
/** A value that later meter values leave out is reported again for this long. */
const MAX_AGE = 15 * MINUTE
/** A from which power and current of a meter tell its voltages, and V below which they are wrong. */
const STEADY_A = 5
const LEAST_VOLTAGE = 80
/** W from which a connector counts as charging when its status is not known. */
export const CHARGING_W = 50

/**
 * The time of a station's message in milliseconds, or `now` where it gives none that is plausible. No time is ahead of ours:
 * when the station sets its clock back, its next messages must not look old.
 */
export const stationTime = (text: string | undefined, now: number): number => {
  const time = text === undefined ? Number.NaN : Date.parse(text)
  return Number.isNaN(time) || time > now || time < CLOCK_WAS_SET ? now : time
}

export const withSession = (step: Step, patch: Partial<Session>): Step => ({
  ...step,
  session: { ...step.session, ...patch }
})

export const emit = (step: Step, effects: Partial<Effects>): Step => ({
  session: step.session,
  replies: [...step.replies, ...(effects.replies ?? [])],
  requests: [...step.requests, ...(effects.requests ?? [])],
  readings: [...step.readings, ...(effects.readings ?? [])],
  alerts: [...step.alerts, ...(effects.alerts ?? [])],
  devices: [...step.devices, ...(effects.devices ?? [])],
  outcomes: [...step.outcomes, ...(effects.outcomes ?? [])]
})

export const deviceId = (session: Session, connector: number) => `${session.settings.stationId}/${connector}`

export const findConnector = (session: Session, number: number) =>
  session.connectors.find((connector) => connector.number === number)

/** The number of the station's only connector; null if it has several, or none is known. */
export const onlyConnector = ({ connectors }: Session): number | null =>
  connectors.length === 1 ? connectors[0]!.number : null

/** Values that a message has apart from each other, but of one time. */
export const byTime = <Sample>(
  values: ReadonlyArray<{ readonly timestamp: string; readonly sampledValue: ReadonlyArray<Sample> }>
) =>
  Array.from(
    Map.groupBy(values, ({ timestamp }) => timestamp),
    ([timestamp, group]) => ({ timestamp, sampledValue: group.flatMap(({ sampledValue }) => sampledValue) })
  )

const newConnector = (number: number): Connector => ({
  number,
  status: null,
  statusAt: null,
  transactionId: null,
  power: null,
  voltage: null,
  current: null,
  measuredAt: null,
  importedEnergy: null,
  maxPower: null,
  alerts: [],
  plug: null,
  paused: false
})

/** The device of a connector. A station with several is one device a connector, with the serial number of the station. */
export const stationDevice = (session: Session, { maxPower, number }: Connector): StationDevice => ({
  manufacturerDeviceId: deviceId(session, number),
  connector: number,
  serialNumber: session.identity?.serialNumber ?? null,
  rawType: session.version === "1.6" ? "connector" : "EVSE",
  rawModel: session.identity?.model ?? null,
  staticState: {
    protocol: `OCPP ${session.version}`,
    ...(session.identity === null ? {} : { vendor: session.identity.vendor }),
    ...((session.identity?.firmwareVersion ?? null) === null
      ? {}
      : { firmwareVersion: session.identity!.firmwareVersion! }),
    ...(maxPower === null ? {} : { maxPower })
  }
})

/** Changes a connector; one that was not known becomes a device. Connector 0 is the station and no device. */
export const updateConnector = (step: Step, number: number, patch: Partial<Connector>): Step => {
  if (number === 0) return step
  const { session } = step
  const known = findConnector(session, number)
  const next = { ...(known ?? newConnector(number)), ...patch }
  const others = session.connectors.filter((connector) => connector.number !== number)
  const changed = withSession(step, {
    connectors: [...others, next].toSorted((one, other) => one.number - other.number)
  })
  const described = known === undefined || known.maxPower !== next.maxPower
  return described ? emit(changed, { devices: [stationDevice(changed.session, next)] }) : changed
}

const pluggedIn = new Set<ConnectorStatus>([
  "Preparing",
  "Charging",
  "SuspendedEV",
  "SuspendedEVSE",
  "Finishing",
  "Occupied"
])
const unplugged = new Set<ConnectorStatus>(["Available", "Reserved"])

/** Whether a cable is plugged in; null if the status does not say. */
export const isPluggedIn = (status: ConnectorStatus | null): boolean | null =>
  status !== null && pluggedIn.has(status) ? true : status !== null && unplugged.has(status) ? false : null

const chargingState = (
  status: ConnectorStatus | null,
  power: number | null
): (typeof ChargerReading.Type)["chargingState"] => {
  if (status === "Charging") return "charging"
  if (isPluggedIn(status) !== null) return "idle"
  return status === null && power !== null && power > CHARGING_W ? "charging" : "unknown"
}

interface Shown extends Pick<Connector, "number" | "status" | "power" | "voltage" | "current"> {
  /** Wh, only what was measured at the reading's own time: energies are computed from it. */
  readonly register: number | null
}

const reading = (session: Session, shown: Shown, observedAt: number): StationReading => {
  const plugged = isPluggedIn(shown.status)
  return {
    manufacturerDeviceId: deviceId(session, shown.number),
    observedAt,
    state: {
      chargingState: chargingState(shown.status, shown.power),
      ...(plugged === null ? {} : { isPluggedIn: plugged }),
      ...(shown.voltage === null ? {} : { chargerVoltage: shown.voltage }),
      ...(shown.current === null ? {} : { chargerCurrent: shown.current }),
      ...(shown.power === null ? {} : { chargerWattage: shown.power }),
      ...(shown.register === null ? {} : { lifetimeEnergyCharged: shown.register })
    }
  }
}

/**
 * A reading of a status comes a millisecond after its event: stations count whole seconds, two readings of one time are one, and
 * the one that must not be lost is that of the meter, such as the register at the beginning of a transaction.
 */
const afterStatus = ({ lastMessageAt }: Session, at: number) => (at < (lastMessageAt ?? at) ? at + 1 : at)

/** A reading of a connector as it is known since an event that measured nothing. */
export const emitReading = (step: Step, number: number, at: number): Step => {
  const connector = findConnector(step.session, number)
  if (connector === undefined) return step
  const { session } = step
  return emit(step, { readings: [reading(session, { ...connector, register: null }, afterStatus(session, at))] })
}

/** Statuses that only a transaction has. */
const inTransaction = new Set<ConnectorStatus>(["Charging", "SuspendedEV", "SuspendedEVSE"])

/** Whether measured values show that a connector charges: by its power, else by its register. Null: they do not tell. */
const showsCharging = ({ importedEnergy, power }: Measured, known: Connector | undefined, at: number) => {
  if (power !== null) return power > CHARGING_W
  const before = known?.registerAt === undefined || known.registerAt >= at ? null : known.importedEnergy
  return importedEnergy === null || before === null ? null : importedEnergy > before
}

/**
 * The status of a connector at a time of which values were measured. Statuses are lost while a station is offline, and its queued
 * messages arrive after newer ones: in a transaction a cable is plugged in, and the values indicate whether it charges. Without a
 * value that decides, a transaction charges.
 */
const statusAt = (
  known: Connector | undefined,
  at: number,
  values: Measured,
  transaction: Pick<Transaction, "startedAt"> | undefined
): ConnectorStatus | null => {
  const isKnown = known !== undefined && known.statusAt !== null && known.statusAt <= at
  const status = isKnown ? known.status : null
  if (transaction === undefined) return status
  const isTold = isKnown && known.statusAt! >= (transaction.startedAt ?? at) && isPluggedIn(status) !== null
  if (isTold && inTransaction.has(status!)) return status
  const isStart = transaction.startedAt === at
  const charges = isStart && values.power === null ? null : showsCharging(values, known, at)
  if (charges !== null) return charges ? "Charging" : "SuspendedEV"
  return isTold || isPluggedIn(status) === true ? status : "Charging"
}

/**
 * The connectors as they are known now, for a time at which the station was heard of. Values that were measured long before
 * are left out, and so are connectors whose status is not known.
 */
export const currentReadings = (session: Session, at: number): ReadonlyArray<StationReading> =>
  session.connectors
    .filter(({ status }) => status !== null)
    .map((connector) => {
      const fresh = connector.measuredAt !== null && at - connector.measuredAt <= MAX_AGE
      return reading(session, { ...connector, ...(fresh ? {} : notMeasured), register: null }, at)
    })

const notMeasured = { power: null, voltage: null, current: null }

/**
 * A new status. One that is older than the known status is left out: stations send what they queued while offline. Values
 * that were measured while charging are not reported with a later status.
 */
export const applyStatus = (step: Step, number: number, status: ConnectorStatus, at: number): Step => {
  const known = findConnector(step.session, number)
  if (known !== undefined && known.statusAt !== null && at < known.statusAt) return step
  const patch = {
    status,
    statusAt: at,
    statusSeenAt: step.session.lastMessageAt,
    ...(status === "Charging" ? {} : notMeasured)
  }
  return emitReading(updateConnector(step, number, patch), number, at)
}

/**
 * The time of a register where a reading of its time was sent without it: a millisecond outside of the values that power was
 * measured between, because power counts where no register does.
 */
const aside = (at: number, isStart: boolean) => (isStart ? at - 1 : at + 1)

/** The circumstances of measured values, as their message gives them. */
export interface MeasuredWhile {
  /** The status of the connector at that time, where the message names it. */
  readonly status?: ConnectorStatus
  /** They belong to a transaction that is not open any more. */
  readonly ended?: boolean
}

/** New measured values. Those of an earlier time than the known ones become a reading and leave the current state alone. */
export const applyMeasured = (
  step: Step,
  number: number,
  values: Measured,
  at: number,
  { ended = false, status: named }: MeasuredWhile = {}
): Step => {
  const measured = [values.power, values.voltage, values.current, values.importedEnergy]
  if (number === 0 || measured.every((value) => value === null)) return step
  const { session } = step
  const known = findConnector(session, number)
  const open = session.transactions.find(
    ({ connector, startedAt }) => connector === number && (startedAt === null || startedAt <= at)
  )
  const status = named ?? statusAt(known, at, values, open ?? (ended ? { startedAt: null } : undefined))
  const isAgain = known?.measuredAt === at
  const isEarlier = known !== undefined && known.measuredAt !== null && at < known.measuredAt
  if (ended && isAgain && known.registerAt === at && known.importedEnergy === values.importedEnergy) return step
  if (ended || isEarlier) {
    const late = { number, status, ...values, register: values.importedEnergy }
    return emit(step, { readings: [reading(session, late, at)] })
  }
  const fresh = known !== undefined && known.measuredAt !== null && at - known.measuredAt <= MAX_AGE
  const next = {
    power: values.power ?? (fresh ? known.power : null),
    voltage: values.voltage ?? (fresh ? known.voltage : null),
    current: values.current ?? (fresh ? known.current : null),
    importedEnergy: values.importedEnergy ?? known?.importedEnergy ?? null
  }
  // Small currents are measured badly.
  const ratio = next.current !== null && next.current >= STEADY_A && next.power !== null ? next.power / next.current : 0
  const learned = ratio >= LEAST_VOLTAGE ? { wattsPerAmpere: Math.round(ratio) } : {}
  const repeated =
    isAgain &&
    known.power === next.power &&
    known.voltage === next.voltage &&
    known.current === next.current &&
    known.importedEnergy === next.importedEnergy &&
    (values.importedEnergy === null || known.registerAt === at)
  if (repeated) return step
  const registered = values.importedEnergy === null ? {} : { registerAt: at }
  const updated = updateConnector(step, number, { ...next, ...learned, ...registered, measuredAt: at })
  const isSent = values.importedEnergy !== null && isAgain && known.registerAt !== at
  const isStart = open?.startedAt === at
  const register = values.importedEnergy ?? (isAgain && known.registerAt === at ? known.importedEnergy : null)
  return emit(updated, {
    readings: [reading(updated.session, { number, status, ...next, register }, isSent ? aside(at, isStart) : at)]
  })
}

const MAX_ENDED = 64

/** Opens a transaction. An earlier one of the same connector has ended unseen: a connector has one at a time. */
export const openTransaction = (step: Step, transaction: Transaction): Step => {
  const { session } = step
  const superseded = session.transactions.filter(
    ({ connector, id }) => connector === transaction.connector && id !== transaction.id
  )
  const others = session.transactions.filter(
    ({ connector, id }) => connector !== transaction.connector && id !== transaction.id
  )
  const opened = withSession(step, {
    transactions: [...others, transaction],
    ended: [...session.ended, ...superseded.map(({ id }) => id)].slice(-MAX_ENDED)
  })
  return updateConnector(opened, transaction.connector, { transactionId: transaction.id })
}

/** Ends a transaction at a time, with the register (Wh) where it is known. A connector that was charging is finishing. */
export const endTransaction = (step: Step, id: string, at: number, importedEnergy: number | null): Step => {
  const { session } = step
  const transaction = session.transactions.find((one) => one.id === id)
  const ended = withSession(step, {
    transactions: session.transactions.filter((one) => one.id !== id),
    ended: session.ended.includes(id) ? session.ended : [...session.ended, id].slice(-MAX_ENDED)
  })
  if (transaction === undefined) return ended
  const connector = findConnector(session, transaction.connector)
  if (connector === undefined || connector.transactionId !== id) return ended
  const late = connector.statusAt !== null && at < connector.statusAt
  const stopped = connector.status === "Charging" && !late ? ({ status: "Finishing", statusAt: at } as const) : {}
  const newest = connector.measuredAt === null || at >= connector.measuredAt
  const register = newest && importedEnergy !== null ? { importedEnergy, registerAt: at, measuredAt: at } : {}
  const freed = updateConnector(ended, connector.number, {
    transactionId: null,
    limit: null,
    ...notMeasured,
    ...stopped,
    ...register,
    ...(connector.pausedTransaction === id ? { paused: false, pausedTransaction: null } : {})
  })
  const shown = findConnector(freed.session, connector.number)!
  const isTold = shown.statusAt !== null && shown.statusAt <= at && shown.statusAt >= (transaction.startedAt ?? 0)
  // The vehicle stays connected until the station says something else.
  const status = isTold && isPluggedIn(shown.status) !== null ? shown.status : "Finishing"
  const known = { ...shown, ...notMeasured, status, register: importedEnergy }
  const isSent = connector.measuredAt === at && connector.registerAt !== at
  const time = importedEnergy === null ? afterStatus(session, at) : isSent ? aside(at, false) : at
  return emit(freed, { readings: [reading(freed.session, known, time)] })
}
