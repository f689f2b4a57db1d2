import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import { type Observation, observe, type ReportedStatic, type TypedDevice } from "../decoding/observation.ts"
import { controlledCommands, type Controls } from "./controls.ts"
import { type Channel, readChannel, type ReadTopic } from "./channels.ts"

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
  readonly staticState: ReportedStatic
  readonly controls: Controls
  /** Parts of the description that were not understood, a sentence each. */
  readonly problems: ReadonlyArray<string>
}

/** The topics of a device's state. */
export const stateTopics = ({ channels, setpoint }: DescribedDevice): ReadonlyArray<string> => [
  ...new Set([...channels, ...(setpoint === undefined ? [] : [setpoint])].map(({ topic }) => topic))
]

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
  return observe(device.type, state, device.staticState, problems)
}
