import { readingSchemas } from "@edp/domain/devices/DeviceState"
import { Result, Schema } from "effect"
import type { AccountReport, AdapterAlert, DeviceObservation } from "@edp/adapter-kit/Account"
import type { LiveAccount } from "./cloud/Accounts.ts"
import { listInterventions } from "./interventions.ts"
import { readDevices, type SimulatedDevice } from "./physics/devices.ts"
import { distortReading } from "./physics/faults.ts"
import type { SiteProfile } from "./physics/SiteProfile.ts"
import type { EnergyCounters, SiteState } from "./physics/SiteState.ts"

/** Memory of the last report, from which the next one has the energies since then. JSON. */
export interface Memory {
  /** Time of the last report, on the account's clock. */
  readonly at: number
  /** The counters of the last reading of each device that reports energies, by its id. */
  readonly counters: Readonly<Record<string, EnergyCounters>>
  /** Ids of the alerts that are open. */
  readonly alerts: ReadonlyArray<string>
}

/** Shorter gaps between reports are left as they are. A meter's interval is a quarter of an hour. */
const GAP = 20 * 60_000
const INTERVAL = 15 * 60_000
const HOUR = 60 * 60_000
/** The manufacturer keeps the intervals of this time, and the hours before it. */
const KEPT = 24 * HOUR

/**
 * The times of a report: the present and, after a gap, the quarters of an hour of the last day before it. A gap is the work
 * of a fast clock, or of a platform that was down. A first report may go back further than a day, by the hour.
 */
export const reportTimes = (last: number | null, time: number, history: number): ReadonlyArray<number> => {
  if (last === null || time - last <= GAP) return [time]
  const times: Array<number> = []
  for (let at = Math.max(last, time - history); ;) {
    const interval = at < time - KEPT ? HOUR : INTERVAL
    at = (Math.floor(at / interval) + 1) * interval
    if (at >= time) return [...times, time]
    times.push(at)
  }
}

const offlineSince = (state: SiteState, deviceId: string) =>
  state.faults.find(({ deviceId: id, fault }) => fault.kind === "offline" && (id === null || id === deviceId))?.from ??
  state.asOf

const decoders = new Map(
  Object.entries(readingSchemas).map(([type, schema]) => [
    type,
    Schema.decodeUnknownResult(schema as Schema.Codec<unknown, unknown>)
  ])
)

/** A reading as it arrives, and what is wrong with it. */
const receive = (
  device: SimulatedDevice
): { readonly state: object | null; readonly problems: ReadonlyArray<string> } => {
  const state = distortReading(device.state, device.faults)
  if (state === device.state) return { state, problems: [] }
  const decoded = decoders.get(device.type)!(state)
  if (Result.isSuccess(decoded)) return { state, problems: [] }
  const missing = Object.keys(device.state).filter((name) => !(name in state))
  const what = missing.length > 0 ? `${missing.join(", ")} missing` : "values out of range"
  return { state: null, problems: [`${device.type}: ${what} in the reading`] }
}

const raiseAlerts = (device: SimulatedDevice): ReadonlyArray<Omit<AdapterAlert, "resolved">> => {
  const common = { manufacturerDeviceId: device.identity.id, providerCode: null }
  return [
    ...(device.onlineStatus === "offline"
      ? [
          {
            ...common,
            externalId: `offline:${device.identity.id}`,
            type: "COMMUNICATIONS" as const,
            subtype: null,
            severity: "WARNING" as const,
            title: `${device.identity.name} does not respond to the manufacturer`,
            description: null
          }
        ]
      : []),
    ...(device.type === "battery" && device.state.isStormModeActive === true
      ? [
          {
            ...common,
            externalId: `storm:${device.identity.id}`,
            type: "GRID_STATUS" as const,
            subtype: null,
            severity: "INFO" as const,
            title: "Storm mode charges the battery for an outage",
            description: null
          }
        ]
      : [])
  ]
}

const resolved = (externalId: string): AdapterAlert => ({
  manufacturerDeviceId: externalId.slice(externalId.indexOf(":") + 1),
  externalId,
  ...(externalId.startsWith("offline:")
    ? { type: "COMMUNICATIONS", severity: "WARNING", title: "The device responds again" }
    : { type: "GRID_STATUS", severity: "INFO", title: "Storm mode has ended" }),
  subtype: null,
  description: null,
  providerCode: null,
  resolved: true
})

/** Devices whose readings have energies since the previous one. */
const hasEnergies = (device: SimulatedDevice) => device.type === "battery" || device.type === "inverter"

const judgeActivity = (devices: ReadonlyArray<SimulatedDevice>): AccountReport["activity"] => {
  if (devices.length > 0 && devices.every(({ onlineStatus }) => onlineStatus === "asleep")) return "asleep"
  const isBusy = devices.some(
    (device) =>
      device.forcedMode !== null ||
      ((device.type === "charger" || device.type === "vehicle") && device.state.chargingState === "charging")
  )
  if (isBusy) return "busy"
  const isActive = devices.some(
    (device) =>
      (device.type === "inverter" && device.state.power > 0) ||
      (device.type === "battery" && device.state.chargingState !== "idle") ||
      device.type === "meter" ||
      device.type === "thermostat"
  )
  return isActive ? "normal" : "idle"
}

/** The report of an account: `sites` with their states in the order of time. */
export const makeReport = (
  account: Pick<LiveAccount, "record" | "time">,
  sites: ReadonlyArray<{ readonly profile: SiteProfile; readonly states: ReadonlyArray<SiteState> }>,
  memory: Memory | null
): AccountReport => {
  const observations: Array<DeviceObservation> = []
  const alerts: Array<AdapterAlert> = []
  const present: Array<SimulatedDevice> = []
  const counters: Record<string, EnergyCounters> = {}
  const readSite = (profile: SiteProfile, state: SiteState, isLast: boolean) => {
    for (const seen of readDevices(profile, state, null)) {
      const { id } = seen.identity
      const before = counters[id] ?? memory?.counters[id]
      const device =
        before !== undefined && hasEnergies(seen)
          ? readDevices(profile, state, before).find(({ identity }) => identity.id === id)!
          : seen
      const isOffline = device.onlineStatus === "offline"
      if (hasEnergies(device)) counters[id] = isOffline ? (before ?? state.energy) : state.energy
      if (isLast) present.push(device)
      if (!isLast && (isOffline || device.onlineStatus === "asleep")) continue
      observations.push({
        manufacturerDeviceId: id,
        observedAt: isOffline ? offlineSince(state, id) : device.observedAt,
        asleep: device.onlineStatus === "asleep",
        isUnreachable: isOffline,
        coordinates: isOffline ? null : device.coordinates,
        staticState: isLast && !isOffline && device.type === "vehicle" ? device.staticState : null,
        commands: null,
        interventions: isLast ? listInterventions(device, account.record, account.time) : null,
        ...(isOffline ? { state: null, problems: [] } : receive(device))
      })
      if (isLast) alerts.push(...raiseAlerts(device).map((alert) => ({ ...alert, resolved: false })))
    }
  }
  for (const { profile, states } of sites)
    states.forEach((state, at) => readSite(profile, state, at === states.length - 1))
  const open = alerts.map(({ externalId }) => externalId)
  const ended = (memory?.alerts ?? []).filter((id) => !open.includes(id))
  return {
    observations,
    alerts: [...alerts, ...ended.map(resolved)],
    devices: null,
    activity: judgeActivity(present),
    memory: { at: account.time, counters, alerts: open } satisfies Memory
  }
}
