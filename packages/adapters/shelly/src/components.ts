import type { DiscoveredDevice } from "@edp/adapter-kit/Account"
import { type ComponentKey, type DeviceStatus, parseKey } from "./deviceStatus.ts"
import { type Fields, keptText } from "./frames.ts"

/** The commands of a switch that supplies a charging cable. */
export const chargerCommands = ["charger:set-operating-mode"] as const

/** A device's own description (`Shelly.GetDeviceInfo`). */
export interface DeviceInfo {
  /** The name that its owner gave it. */
  readonly name: string | null
  /** The product, such as Pro3EM, and its order number, such as SPEM-003CEBEU. */
  readonly app: string | null
  readonly model: string | null
  readonly mac: string | null
}

export const readDeviceInfo = (result: Fields): DeviceInfo => ({
  name: keptText(result["name"]),
  app: keptText(result["app"]),
  model: keptText(result["model"]),
  mac: keptText(result["mac"])
})

/** A device that has not described itself. */
export const noInfo: DeviceInfo = { name: null, app: null, model: null, mac: null }

/** A component that is one device of the platform. */
export interface MeasuredComponent extends ComponentKey {
  readonly manufacturerDeviceId: string
  readonly type: "meter" | "charger"
  /** Why it can't be read; null if it can. */
  readonly incompatible: string | null
}

const NOTHING_MEASURED = "It measures no power"

/** Components of a device that are devices of the platform. A switch whose number is in `chargers` is a charger. */
export const measuredComponents = (
  source: string,
  status: DeviceStatus,
  chargers: ReadonlyArray<number>
): ReadonlyArray<MeasuredComponent> =>
  [...status.keys()].flatMap((key) => {
    const component = parseKey(key)
    if (component === undefined || component.kind === "emdata" || component.kind === "em1data") return []
    const { id, kind } = component
    const isCharger = kind === "switch" && chargers.includes(id)
    const { aenergy, apower } = status.get(key) ?? {}
    const isMeasured = kind !== "switch" || apower !== undefined || aenergy !== undefined
    return [
      {
        kind,
        id,
        manufacturerDeviceId: `${source}/${key}`,
        type: isCharger ? ("charger" as const) : ("meter" as const),
        incompatible: isMeasured ? null : NOTHING_MEASURED
      }
    ]
  })

/** The number of the switch in the id of a device; undefined if it is no switch. */
export const switchId = (manufacturerDeviceId: string): number | undefined => {
  const component = parseKey(manufacturerDeviceId.slice(manufacturerDeviceId.indexOf("/") + 1))
  return component?.kind === "switch" ? component.id : undefined
}

const model = ({ app, model }: DeviceInfo) => (app === null && model === null ? "Shelly" : `Shelly ${app ?? model}`)

/** The devices that a Shelly is. One that measures nothing is listed, so that the person who links it sees why nothing follows. */
export const listDevices = (
  source: string,
  info: DeviceInfo,
  components: ReadonlyArray<MeasuredComponent>
): ReadonlyArray<DiscoveredDevice> => {
  const common = {
    model: model(info),
    serialNumber: info.mac,
    rawModel: info.model,
    modelYear: null,
    staticState: null
  }
  const name = info.name ?? model(info)
  if (components.length === 0) {
    return [
      {
        ...common,
        manufacturerDeviceId: `${source}/none`,
        type: "meter",
        name,
        rawType: null,
        commands: [],
        incompatible: NOTHING_MEASURED
      }
    ]
  }
  return components.map(({ id, incompatible, kind, manufacturerDeviceId, type }) => ({
    ...common,
    manufacturerDeviceId,
    type,
    name: components.length > 1 ? `${name}, ${kind}:${id}` : name,
    rawType: `${kind}:${id}`,
    commands: type === "charger" && incompatible === null ? chargerCommands : [],
    incompatible
  }))
}
