import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import type { MessagePlan, ReadTopic } from "../decoding/messages.ts"
import type { Observation, TypedDevice } from "../decoding/observation.ts"

/** A device on a broker, however it was described. */
export interface BrokerDevice {
  /** Unique on the broker and the same after a restart. */
  readonly id: string
  readonly name: string
  readonly model: string
  readonly manufacturerName: string | null
  readonly serialNumber: string | null
  readonly type: TypedDevice
  readonly commands: ReadonlyArray<CommandSlug>
  /** Topics of its state. */
  readonly topics: ReadonlyArray<string>
  /** Topics that indicate whether it is reachable. */
  readonly availabilityTopics: ReadonlyArray<string>
  /** Parts of its description that were not understood, a sentence each. */
  readonly problems: ReadonlyArray<string>
  readonly observe: (read: ReadTopic) => Observation
  /** Undefined if unknown. */
  readonly isReachable: (read: ReadTopic) => boolean | undefined
  readonly plan: (slug: CommandSlug, inputs: Readonly<Record<string, unknown>>) => MessagePlan
  /** Whether an outlet that the device switches is on; undefined for other devices and while it is unknown. */
  readonly isSwitchedOn: (read: ReadTopic) => boolean | undefined
}
