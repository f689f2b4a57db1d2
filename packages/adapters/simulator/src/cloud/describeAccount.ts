import type { SimulatorAccount, SimulatorFault } from "@edp/domain/accounts/Simulator"
import { readDevices } from "../physics/devices.ts"
import type { Fault } from "../physics/faults.ts"
import type { AccountFault, StoredSite } from "./AccountRecord.ts"
import type { LiveAccount } from "./Accounts.ts"
import { findTestAccount } from "./testAccounts.ts"
import { currentSpeed } from "./virtualClock.ts"

/** The time zone of all simulated homes, which are in Davis, California. */
const TIMEZONE = "America/Los_Angeles"

const iso = (time: number) => new Date(time).toISOString()
const span = ({ from, until }: { readonly from: number; readonly until: number | null }) => ({
  from: iso(from),
  until: until === null ? null : iso(until)
})

/** The parameters of a fault of the physics under their names in the API. */
const parameters = (fault: Fault): Partial<SimulatorFault> => {
  switch (fault.kind) {
    case "slow":
      return { seconds: fault.latencySeconds }
    case "refuses_command":
      return { reason: fault.reason, ...(fault.command !== null && { command: fault.command }) }
    case "partial_fields":
      return { fields: fault.fields }
    case "wrong_units":
      return { fields: fault.fields, factor: fault.factor }
    default:
      return {}
  }
}

const describeAccountFault = (fault: AccountFault): SimulatorFault => ({
  kind: fault.kind,
  deviceId: null,
  ...(fault.seconds !== undefined && { seconds: fault.seconds }),
  ...span(fault)
})

/** The faults of a home that are in force, and those that its script has for later. */
const describeSiteFaults = (site: StoredSite, { faults, applied }: LiveAccount["states"][number], time: number) => {
  const present = faults
    .filter(({ until }) => until === null || until > time)
    .map(({ deviceId, fault, ...when }) => ({ kind: fault.kind, deviceId, ...parameters(fault), ...span(when) }))
  const later = site.timeline.slice(applied).flatMap(({ at, event }) => {
    if (event.type === "counter_reset")
      return [{ kind: event.type, deviceId: event.deviceId, from: iso(at), until: null }]
    if (event.type !== "fault") return []
    const { deviceId, fault, until } = event
    return [{ kind: fault.kind, deviceId, ...parameters(fault), ...span({ from: at, until }) }]
  })
  return [...present, ...later] as ReadonlyArray<SimulatorFault>
}

/** An account for operators. `now`: milliseconds since 1970. */
export const describeAccount = (account: LiveAccount, now: number, withStates: boolean): SimulatorAccount => {
  const { id, record, states, time } = account
  const testAccount = findTestAccount(id)
  return {
    id,
    name: record.name,
    description: testAccount?.description.en ?? null,
    isTestAccount: testAccount !== undefined,
    clock: { time: iso(time), speed: currentSpeed(record.clock, now), behind: Math.round((now - time) / 1000) },
    faults: [
      ...record.faults.filter(({ until }) => until === null || until > time).map(describeAccountFault),
      ...record.sites.flatMap((site, index) => describeSiteFaults(site, states[index]!, time))
    ],
    sites: record.sites.map(({ profile }, index) => ({
      id: profile.id,
      name: profile.name,
      address: profile.address,
      timezone: TIMEZONE,
      devices: readDevices(profile, states[index]!, null).map(({ identity, onlineStatus, state, type }) => ({
        id: identity.id,
        type,
        name: identity.name,
        onlineStatus,
        ...(withStates && { state: state as Record<string, unknown> })
      }))
    }))
  }
}
