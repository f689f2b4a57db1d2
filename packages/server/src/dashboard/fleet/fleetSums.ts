import type { Fleet } from "@edp/domain/dashboard/Fleet"
import type { DeviceType, OnlineStatus } from "@edp/domain/devices/DeviceType"

/** The number of devices with the same properties. */
interface Group {
  readonly type: DeviceType
  readonly manufacturer: string
  readonly manufacturerName: string
  readonly onlineStatus: OnlineStatus
  readonly connected: boolean
  readonly devices: number
}

interface Alerts {
  readonly severity: keyof Fleet["openAlerts"]
  readonly alerts: number
}

const sumBy = <K extends string>(groups: ReadonlyArray<Group>, key: (group: Group) => K) => {
  const sums = new Map<K, number>()
  for (const group of groups) sums.set(key(group), (sums.get(key(group)) ?? 0) + group.devices)
  return sums
}

/** The most first; equal numbers by name. */
const ranked = <K extends string>(sums: ReadonlyMap<K, number>) =>
  [...sums].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))

/** The numbers of devices by each property, from groups of those that have all of them in common. */
export const sumGroups = (
  groups: ReadonlyArray<Group>,
  alerts: ReadonlyArray<Alerts>
): Omit<Fleet, "sites" | "customers" | "accountsNeedingAction" | "asOf"> => {
  const statuses = sumBy(groups, ({ onlineStatus }) => onlineStatus)
  const names = new Map(groups.map(({ manufacturer, manufacturerName }) => [manufacturer, manufacturerName]))
  const open = new Map(alerts.map(({ alerts: n, severity }) => [severity, n]))
  return {
    devices: groups.reduce((sum, { devices }) => sum + devices, 0),
    types: ranked(sumBy(groups, ({ type }) => type)).map(([type, devices]) => ({ type, devices })),
    onlineStatus: {
      online: statuses.get("online") ?? 0,
      asleep: statuses.get("asleep") ?? 0,
      offline: statuses.get("offline") ?? 0,
      unknown: statuses.get("unknown") ?? 0
    },
    manufacturers: ranked(sumBy(groups, ({ manufacturer }) => manufacturer)).map(([slug, devices]) => ({
      slug,
      name: names.get(slug)!,
      devices
    })),
    disconnected: groups.reduce((sum, { connected, devices }) => sum + (connected ? 0 : devices), 0),
    neverReported: statuses.get("unknown") ?? 0,
    openAlerts: {
      CRITICAL: open.get("CRITICAL") ?? 0,
      WARNING: open.get("WARNING") ?? 0,
      INFO: open.get("INFO") ?? 0
    }
  }
}
