import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import type { ReadTopic } from "@edp/adapter-kit/decoding/messages"
import { type Observation, observe, type ReportedStatic, type TypedDevice } from "@edp/adapter-kit/decoding/observation"
import { controlledCommands, type Controls } from "./controls.ts"
import { type Availability, readAvailability } from "./availability.ts"
import { type Channel, readChannel } from "./channels.ts"

/** A device on a broker, whatever dialect described it. */
export interface DescribedDevice {
  /** Unique on the broker and the same after a restart. */
  readonly id: string
  readonly name: string
  readonly manufacturerName: string | undefined
  readonly modelName: string | undefined
  readonly serialNumber: string | undefined
  readonly type: TypedDevice
  readonly channels: ReadonlyArray<Channel>
  /** The one set-point of a thermostat: the heating or the cooling target, by the mode. */
  readonly setpoint?: Channel | undefined
  /** Whether the outlet of a charger is on: the values are on and off. */
  readonly switchState?: Channel | undefined
  readonly availability: ReadonlyArray<Availability>
  readonly staticState: ReportedStatic
  readonly controls: Controls
  /** Parts of the description that were not understood, a sentence each. */
  readonly problems: ReadonlyArray<string>
}

/** The topics of a device's state. */
export const stateTopics = ({ channels, setpoint, switchState }: DescribedDevice): ReadonlyArray<string> => [
  ...new Set([...channels, setpoint, switchState].flatMap((channel) => (channel === undefined ? [] : [channel.topic])))
]

/** The topics on which a device indicates whether it is reachable. */
export const availabilityTopics = ({ availability }: DescribedDevice): ReadonlyArray<string> => [
  ...new Set(availability.flatMap(({ topics }) => topics.map(({ topic }) => topic)))
]

/** Whether a device is reachable; undefined if unknown. */
export const isReachable = ({ availability }: DescribedDevice, read: ReadTopic): boolean | undefined => {
  const known = availability.map((one) => readAvailability(one, read)).filter((one) => one !== undefined)
  return known.length === 0 ? undefined : known.includes(true)
}

/** Whether the outlet of a charger is on; undefined if unknown. */
export const isSwitchedOn = ({ switchState }: DescribedDevice, read: ReadTopic): boolean | undefined => {
  const shown = switchState === undefined ? undefined : readChannel(switchState, read)
  return shown !== undefined && "value" in shown ? shown.value === "on" : undefined
}

/** Chargers and power supplies draw some watts while no vehicle charges. */
const CHARGING_ABOVE_WATTS = 100

export const availableCommands = ({ controls, type }: DescribedDevice): ReadonlyArray<CommandSlug> =>
  controlledCommands(type, controls)

/** The state of a device by the newest messages. */
export const observeDevice = (device: DescribedDevice, read: ReadTopic): Observation => {
  const state: Record<string, unknown> = {}
  const problems: Array<string> = []
  for (const channel of device.channels) {
    const result = readChannel(channel, read)
    if (result === undefined) continue
    if ("problem" in result) problems.push(result.problem)
    else state[channel.field] = result.value
  }
  const setpoint = device.setpoint === undefined ? undefined : readChannel(device.setpoint, read)
  if (setpoint !== undefined) {
    const mode = state["operatingMode"]
    const field = mode === "heat" ? "heatTarget" : mode === "cool" ? "coolTarget" : undefined
    if ("problem" in setpoint) problems.push(setpoint.problem)
    else if (field !== undefined) state[field] = setpoint.value
  }
  const watts = state["chargerWattage"]
  if (device.type === "charger" && typeof watts === "number") {
    state["chargingState"] = watts > CHARGING_ABOVE_WATTS ? "charging" : "idle"
  }
  return observe(device.type, state, device.staticState, problems)
}
