import type { Publication } from "../decoding/messages.ts"
import type { BrokerDevice } from "./BrokerDevice.ts"

export interface DescribedDevices {
  readonly devices: ReadonlyArray<BrokerDevice>
  /** Descriptions that were not understood, a sentence each. */
  readonly problems: ReadonlyArray<string>
}

/** Messages that make a broker publish values that it does not retain. */
export interface BrokerKeepAlive {
  /** Makes it publish all values: at the start, and when devices were found. */
  readonly wake: Publication
  /** Makes it go on, without all values again. */
  readonly stay: Publication
  readonly everySeconds: number
}

/** How the devices of an account are found on its broker. */
export interface BrokerDialect {
  /** Filters of the topics that describe devices; none if the devices are known beforehand. */
  readonly filters: ReadonlyArray<string>
  /** Whether a topic describes devices. */
  readonly isDescription: (topic: string) => boolean
  /** The devices by the newest payloads of those topics. */
  readonly describe: (descriptions: ReadonlyMap<string, string>) => DescribedDevices
  /** Absent where the broker retains what describes devices. */
  readonly keepAlive?: BrokerKeepAlive
}
