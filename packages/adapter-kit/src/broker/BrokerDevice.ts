import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import type { MessagePlan, Publication, ReadTopic } from "../decoding/messages.ts"
import type { Observation, TypedDevice } from "../decoding/observation.ts"

/** How a device takes modes by a set-point that it holds for a while after each message. */
export interface SetPointControl {
  /** Seconds between two messages while a mode lasts. */
  readonly everySeconds: number
  /** The set-point of a mode by the newest values; a sentence if the device can't follow one. */
  readonly compute: (
    inputs: Readonly<Record<string, unknown>>,
    read: ReadTopic
  ) => number | { readonly refused: string }
  /** The message that sets it, or ends it by null. */
  readonly message: (setPoint: number | null) => Publication
  /** The set-point that the device shows: null for none; undefined if it is not known. */
  readonly shown: (read: ReadTopic) => number | null | undefined
}

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
  /** How `battery:set-operating-mode` is done; absent for devices without it. */
  readonly setPoint?: SetPointControl
}
