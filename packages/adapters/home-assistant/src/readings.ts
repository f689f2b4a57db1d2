import type { DeviceObservation, DiscoveredDevice } from "@edp/adapter-kit/Account"
import { staticStateSchemas } from "@edp/domain/devices/StaticState"
import { Schema } from "effect"
import type { InstanceDevice } from "./describeDevices.ts"
import type { Instance } from "./Instance.ts"
import { isReachable, observeDevice, updatedAt } from "./observeDevice.ts"
import { availableCommands } from "./planCalls.ts"

const TEXT_LIMIT = 255
const plainText = (text: string | null) => (text ?? "").replaceAll(/\p{C}/gu, "").trim().slice(0, TEXT_LIMIT)

/** Milliseconds between two reports of a device, and after which an unchanged one is repeated. */
export interface ReportPace {
  readonly reportEvery: number
  readonly repeatAfter: number
}

interface Reported {
  readonly content: string
  readonly reportedAt: number
  readonly observedAt: number
}

/** The device's id among those of the manufacturer: its own in the instance, at the address of the instance. */
export const manufacturerDeviceId = (identity: string, { id }: Pick<InstanceDevice, "id">) => `${id}@${identity}`

export const discovered = (
  identity: string,
  device: InstanceDevice,
  entities: Instance["entities"]
): DiscoveredDevice => ({
  manufacturerDeviceId: manufacturerDeviceId(identity, device),
  type: device.type,
  name: plainText(device.name) || device.id,
  model: plainText(device.model) || "Unknown",
  serialNumber: plainText(device.serialNumber) || null,
  rawType: null,
  rawModel: plainText([device.manufacturer, device.model].filter((one) => one !== null).join(" ")) || null,
  modelYear: null,
  staticState: null,
  commands: availableCommands(device, entities),
  incompatible: device.incompatible
})

/** The observations of an instance's devices that are due, and the time of the next ones. */
export const makeReadings = (identity: string, { repeatAfter, reportEvery }: ReportPace) => {
  const reported = new Map<string, Reported>()

  const next = (instance: Instance, device: InstanceDevice, now: number): DeviceObservation | number => {
    const { entities, unit } = instance
    const isUnreachable = !isReachable(device, entities)
    const { missing, problems, state, staticState } = observeDevice(device, entities, unit)
    const shown = isUnreachable || missing.length > 0 ? null : state
    const commands = availableCommands(device, entities)
    const content = JSON.stringify([shown, staticState, problems, isUnreachable, commands])
    const last = reported.get(device.id)
    // The clock may have been set back.
    const since = last === undefined ? Infinity : Math.abs(now - last.reportedAt)
    if (since < reportEvery) return now + reportEvery - since
    const isChanged = last?.content !== content
    if (!isChanged && (isUnreachable || since < repeatAfter))
      return isUnreachable ? Infinity : now + repeatAfter - since
    // Before its first complete state there is nothing to tell, except that it is not reachable.
    if (shown === null && !isUnreachable && problems.length === 0 && last === undefined) return Infinity
    // An entity that is available holds its state: a repeated report is as of now.
    const observedAt = isChanged
      ? Math.max(Math.min(updatedAt(device, entities) || now, now), Math.min(last?.observedAt ?? 0, now))
      : now
    reported.set(device.id, { content, reportedAt: now, observedAt })
    return {
      manufacturerDeviceId: manufacturerDeviceId(identity, device),
      observedAt,
      state: shown,
      asleep: false,
      isUnreachable,
      coordinates: null,
      staticState: Schema.is(staticStateSchemas[device.type])(staticState) ? staticState : null,
      commands,
      interventions: [],
      problems
    }
  }

  return (instance: Instance, now: number) => {
    const all = instance
      .devices()
      .filter(({ incompatible }) => incompatible === null)
      .map((device) => next(instance, device, now))
    return {
      observations: all.filter((one) => typeof one === "object"),
      nextAt: all.reduce<number>((least, one) => (typeof one === "number" ? Math.min(least, one) : least), Infinity)
    }
  }
}
