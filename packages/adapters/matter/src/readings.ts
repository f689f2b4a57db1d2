import type { DeviceObservation, DiscoveredDevice } from "@edp/adapter-kit/Account"
import { staticStateSchemas } from "@edp/domain/devices/StaticState"
import { Schema } from "effect"
import type { MatterDevice } from "./describeNode.ts"
import type { Endpoints } from "./endpoints.ts"
import { isReachable, observeDevice } from "./observeDevice.ts"
import { availableCommands } from "./planCalls.ts"

const TEXT_LIMIT = 255

/** Milliseconds between two reports of a device, and after which an unchanged one is repeated. */
export interface ReportPace {
  readonly reportEvery: number
  readonly repeatAfter: number
}

/** The device's id among those of the manufacturer: its own in the node, and the node's. */
export const manufacturerDeviceId = (identity: string, { id }: Pick<MatterDevice, "id">) => `${identity}/${id}`

export const discovered = (identity: string, device: MatterDevice, endpoints: Endpoints): DiscoveredDevice => ({
  manufacturerDeviceId: manufacturerDeviceId(identity, device),
  type: device.type,
  name: device.name.slice(0, TEXT_LIMIT),
  model: device.model.slice(0, TEXT_LIMIT),
  serialNumber: device.serialNumber?.slice(0, TEXT_LIMIT) ?? null,
  rawType: null,
  rawModel:
    [device.vendor, device.model]
      .filter((one) => one !== null)
      .join(" ")
      .slice(0, TEXT_LIMIT) || null,
  modelYear: null,
  staticState: null,
  commands: availableCommands(device, endpoints),
  incompatible: device.incompatible
})

/** A device of which nothing can be read, because its node does not respond. */
export const lost = (id: string, now: number): DeviceObservation => ({
  manufacturerDeviceId: id,
  observedAt: now,
  state: null,
  asleep: false,
  isUnreachable: true,
  coordinates: null,
  staticState: null,
  commands: null,
  interventions: null,
  problems: []
})

/** A node as it shows itself: its devices with their attributes, and whether it reports to the platform now. */
export interface NodeView {
  readonly devices: ReadonlyArray<MatterDevice>
  readonly endpoints: Endpoints
  readonly isActive: boolean
}

/** The observations of a node's devices that are due, and the time of the next ones. */
export const makeReadings = (identity: string, { repeatAfter, reportEvery }: ReportPace) => {
  const reported = new Map<string, { readonly content: string; readonly at: number; readonly isUnreachable: boolean }>()

  const next = ({ endpoints, isActive }: NodeView, device: MatterDevice, now: number): DeviceObservation | number => {
    const isUnreachable = !isActive || !isReachable(device, endpoints)
    const { missing, problems, state, staticState } = observeDevice(device, endpoints)
    const shown = isUnreachable || missing.length > 0 ? null : state
    const commands = availableCommands(device, endpoints)
    const content = JSON.stringify([shown, staticState, problems, isUnreachable, commands])
    const last = reported.get(device.id)
    // The clock may have been set back.
    const since = last === undefined ? Infinity : Math.abs(now - last.at)
    if (since < reportEvery && last?.isUnreachable === isUnreachable) {
      return last.content === content ? now + repeatAfter - since : now + reportEvery - since
    }
    if (last?.content === content && (isUnreachable || since < repeatAfter)) {
      return isUnreachable ? Infinity : now + repeatAfter - since
    }
    reported.set(device.id, { content, at: now, isUnreachable })
    const id = manufacturerDeviceId(identity, device)
    if (isUnreachable) return lost(id, now)
    return {
      ...lost(id, now),
      // The node keeps the subscription alive: attributes that it has not reported since are as they were.
      isUnreachable: false,
      state: shown,
      staticState: Schema.is(staticStateSchemas[device.type])(staticState) ? staticState : null,
      commands,
      interventions: [],
      problems
    }
  }

  return (view: NodeView, now: number) => {
    const all = view.devices
      .filter(({ incompatible }) => incompatible === null)
      .map((device) => next(view, device, now))
    return {
      observations: all.filter((one) => typeof one === "object"),
      nextAt: all.reduce<number>((least, one) => (typeof one === "number" ? Math.min(least, one) : least), Infinity)
    }
  }
}
