import type { AccountReport, AdapterAlert, DeviceObservation, DiscoveredDevice } from "@edp/adapter-kit/Account"
import { powerStatic } from "./chargerLimits.ts"
import { currentReadings, deviceId } from "./connectors.ts"
import type { Connector, Session, StationReading } from "./Session.ts"
import type { StationAlert } from "./stationAlerts.ts"

/** The commands of every charger. */
export const chargerCommands = ["charger:set-operating-mode"] as const

const deviceName = ({ connectors, identity, settings }: Session, { number }: Connector): string => {
  const station = identity === null ? `Charging station ${settings.stationId}` : `${identity.vendor} ${identity.model}`
  return connectors.length > 1 ? `${station}, connector ${number}` : station
}

/** All connectors of a station as devices. */
export const stationDevices = (session: Session): ReadonlyArray<DiscoveredDevice> =>
  session.connectors.map((connector) => ({
    manufacturerDeviceId: deviceId(session, connector.number),
    type: "charger",
    name: deviceName(session, connector),
    model: session.identity?.model ?? "OCPP charging station",
    serialNumber: session.identity?.serialNumber ?? null,
    rawType: session.version === "1.6" ? "connector" : "EVSE",
    rawModel: session.identity?.model ?? null,
    modelYear: null,
    staticState: powerStatic(session, connector),
    commands: chargerCommands,
    incompatible: null
  }))

const observation = ({ manufacturerDeviceId, observedAt, state }: StationReading): DeviceObservation => ({
  manufacturerDeviceId,
  observedAt,
  state,
  asleep: false,
  coordinates: null,
  staticState: null,
  commands: null,
  interventions: null,
  problems: []
})

const adapterAlert = (alert: StationAlert): AdapterAlert => ({
  manufacturerDeviceId: alert.manufacturerDeviceId,
  externalId: alert.externalId,
  type: alert.type,
  subtype: alert.subtype,
  severity: alert.severity,
  title: alert.title,
  description: alert.description,
  providerCode: alert.providerCode,
  resolved: alert.status === "RESOLVED"
})

/**
 * Readings of which the platform takes the newest for the present state. Clocks of stations are behind, or count whole seconds:
 * where no reading of a connector is newer than what was reported before, its present state is added with our time.
 */
export const unseenReadings = (
  session: Session,
  readings: ReadonlyArray<StationReading>,
  reportedAt: ReadonlyMap<string, number>,
  now: number
): ReadonlyArray<StationReading> => {
  const last = new Map<string, StationReading>()
  for (const one of readings) {
    const key = `${one.manufacturerDeviceId} ${one.observedAt}`
    const register = last.get(key)?.state.lifetimeEnergyCharged
    const state = register === undefined ? one.state : { lifetimeEnergyCharged: register, ...one.state }
    last.set(key, { ...one, state })
  }
  const newer = new Set(
    readings
      .filter(({ manufacturerDeviceId: id, observedAt }) => observedAt > (reportedAt.get(id) ?? 0))
      .map(({ manufacturerDeviceId }) => manufacturerDeviceId)
  )
  const older = new Set(readings.map(({ manufacturerDeviceId }) => manufacturerDeviceId).filter((id) => !newer.has(id)))
  const present = currentReadings(session, now).filter(({ manufacturerDeviceId }) => older.has(manufacturerDeviceId))
  return [...last.values(), ...present]
}

/** The report of what a station has said. */
export const stationReport = (
  session: Session,
  said: {
    readonly readings?: ReadonlyArray<StationReading>
    readonly alerts?: ReadonlyArray<StationAlert>
    readonly devices?: ReadonlyArray<DiscoveredDevice> | null
  }
): AccountReport => ({
  observations: (said.readings ?? []).map(observation),
  alerts: (said.alerts ?? []).map(adapterAlert),
  devices: said.devices ?? null,
  activity: session.connectors.some(({ status }) => status === "Charging") ? "busy" : "normal"
})
